package leader

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// member is what the log says of one agent.
type member struct {
	id, name, role, parent, model string
	scripted                      bool
	created, since                time.Time
	state                         event.State
	cause                         string
	turn, steps                   int
	reported                      bool // the newest turn has had its report
	usage                         event.Usage
	cost                          *event.Cost
	calls                         []event.ToolStarted // that run now
	last                          string              // last natural output
	task                          string              // newest task
	assigned                      *assignment         // of one that works elsewhere
}

// inquiry is an open question.
type inquiry struct {
	event.QuestionOpened
	seq  int64 // of its opening
	at   time.Time
	text string // of the message with the same id
}

// failure is why the agent's last turn failed, empty when it did not.
func (m member) failure() string {
	if m.state == event.Failing {
		return m.cause
	}
	return ""
}

// roster folds the log into who exists and what each does. It is the run's
// memory: the loop, the tools and the views all read it.
type roster struct {
	mu        sync.Mutex // guards all below
	members   []*member  // in order of creation
	byID      map[string]*member
	open      map[string]*inquiry // open questions by id
	usage     event.Usage
	cost      *event.Cost
	spawns    int            // since the person's newest task
	instances map[string]int // by role: the highest number given
	artifacts []string
	task      string          // the person's
	requests  map[string]bool // the person's commands, by the names that they came with
	answer    string          // the leader's last natural output
	end       event.TurnEnded
	endSeq    int64 // of end
	seq       int64
	active    int // members that work or wait, the leader too
	fresh     int // sub-agents in state created

	busyWorkers int // sub-agents that work or wait
}

func newRoster() *roster {
	return &roster{byID: map[string]*member{}, open: map[string]*inquiry{}, instances: map[string]int{}, requests: map[string]bool{}}
}

// apply folds one record. Records of one agent come in the order of the log;
// those of different agents touch different members.
func (r *roster) apply(rec event.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq = max(r.seq, rec.Seq)
	switch d := rec.Data.(type) {
	case event.AgentCreated:
		m := &member{
			id: rec.Agent, name: d.Name, role: d.Role, parent: d.Parent, model: d.Model, scripted: d.Scripted,
			created: rec.Time, since: rec.Time, state: event.Created,
		}
		if d.Remote != "" {
			m.assigned = &assignment{mail: map[string]string{}}
		}
		r.members = append(r.members, m)
		r.byID[rec.Agent] = m
		if d.Parent != "" {
			r.fresh++
			r.spawns++
			r.instances[d.Role]++
		}
		return
	case event.QuestionOpened:
		r.open[d.ID] = &inquiry{QuestionOpened: d, seq: rec.Seq, at: rec.Time}
		return
	case event.QuestionClosed:
		delete(r.open, d.ID)
		return
	case event.MessageSent:
		r.applySent(d)
		return
	case event.RunStarted:
		r.setTask(d.Task)
		r.note(d.RequestID)
		return
	case event.RunResumed:
		if d.Task != "" {
			r.spawns = 0 // each task has the whole limit
		}
		r.setTask(d.Task)
		r.note(d.RequestID)
		return
	case event.ArtifactCreated:
		if !slices.Contains(r.artifacts, d.Path) {
			r.artifacts = append(r.artifacts, d.Path)
		}
		return
	default: // about one agent, or nothing the roster tells of
	}
	if m := r.byID[rec.Agent]; m != nil {
		r.applyTo(m, rec)
	}
}

// applySent folds a message; the caller holds r.mu.
func (r *roster) applySent(d event.MessageSent) {
	r.note(d.RequestID)
	if m := r.byID[d.To]; m != nil {
		if d.Kind == event.Task {
			m.task = d.Content
		}
		if m.assigned != nil {
			m.assigned.sent(d)
		}
	}
	if q := r.open[d.ID]; q != nil {
		q.text = d.Content
	}
	if m := r.byID[d.From]; m != nil && d.Kind == event.Completion {
		m.reported = true
	}
}

// note remembers a command by its name; the caller holds r.mu.
func (r *roster) note(request string) {
	if request != "" {
		r.requests[request] = true
	}
}

// requested reports whether the run has had the command with this name.
func (r *roster) requested(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests[name]
}

// setTask notes what the person wants; the caller holds r.mu.
func (r *roster) setTask(task string) {
	if task != "" {
		r.task = task
	}
}

// applyTo folds a record that is about one agent; the caller holds r.mu.
func (r *roster) applyTo(m *member, rec event.Record) {
	if m.assigned != nil {
		m.assigned.apply(rec)
	}
	switch d := rec.Data.(type) {
	case event.AgentState:
		r.count(m, -1)
		m.state, m.cause, m.since = d.To, d.Cause, rec.Time
		r.count(m, +1)
		m.turn = max(m.turn, rec.Turn)
		if d.To == event.Working && d.From != event.Waiting { // a turn begins
			m.reported = false
		}
	case event.ModelRequested:
		m.steps++
	case event.ModelReplied:
		m.book(d.Usage, d.Cost)
		r.usage = r.usage.Add(d.Usage)
		r.cost = r.cost.Add(d.Cost)
		if d.Text != "" && d.Purpose == "" {
			m.last = d.Text
		}
	case event.ModelFailed:
		m.book(d.Usage, d.Cost)
		r.usage = r.usage.Add(d.Usage)
		r.cost = r.cost.Add(d.Cost)
	case event.ToolStarted:
		m.calls = append(m.calls, d)
	case event.ToolFinished:
		m.finish(d.CallID)
	case event.TurnEnded:
		if m.id == event.Leader {
			r.answer, r.end, r.endSeq = m.last, d, rec.Seq
		}
	default: // nothing the roster tells of
	}
}

// count takes a member into the counters, or out of them; the caller holds
// r.mu.
func (r *roster) count(m *member, by int) {
	switch {
	case m.state.Busy():
		r.active += by
		if m.parent != "" {
			r.busyWorkers += by
		}
	case m.parent != "" && m.state == event.Created:
		r.fresh += by
	}
}

// anyBusy reports whether somebody works or waits.
func (r *roster) anyBusy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.active > 0
}

// state is the state of one member; empty if there is none.
func (r *roster) state(id string) event.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.byID[id]; m != nil {
		return m.state
	}
	return ""
}

// finish takes a call out of those that run. Results come in the order of the
// calls, so it is nearly always the first.
func (m *member) finish(callID string) {
	i := slices.IndexFunc(m.calls, func(c event.ToolStarted) bool { return c.CallID == callID })
	switch {
	case len(m.calls) == 1 && i == 0:
		m.calls = nil
	case i == 0:
		m.calls[0] = event.ToolStarted{}
		m.calls = m.calls[1:]
	case i > 0:
		m.calls = slices.Delete(m.calls, i, i+1)
	}
}

func (m *member) book(u event.Usage, c *event.Cost) {
	m.usage = m.usage.Add(u)
	m.cost = m.cost.Add(c)
}

// view returns a copy of one member.
func (r *roster) view(id string) (member, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.byID[id]
	if m == nil {
		return member{}, false
	}
	c := *m
	c.calls = slices.Clone(m.calls)
	return c, true
}

// step is what an agent that works elsewhere is told now.
func (r *roster) step(who event.RemoteAgent) event.RemoteStep {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.byID[who.Agent]
	who.Name = m.name
	return m.assigned.step(who)
}

// nameOf is the display name of a participant.
func (r *roster) nameOf(id string) string {
	if id == event.Person {
		return event.PersonName
	}
	m, _ := r.view(id)
	return m.name
}

// runs reports whether a call has no result yet.
func (r *roster) runs(agent, call string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.byID[agent]
	return m != nil && slices.ContainsFunc(m.calls, func(c event.ToolStarted) bool { return c.CallID == call })
}

// all returns copies of all members, the leader first.
func (r *roster) all() []member {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]member, len(r.members))
	for i, m := range r.members {
		list[i] = *m
		list[i].calls = slices.Clone(m.calls)
	}
	return list
}

// workers lists the ids of the sub-agents in order of creation.
func (r *roster) workers() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for _, m := range r.members {
		if m.parent != "" {
			ids = append(ids, m.id)
		}
	}
	return ids
}

// busy counts the sub-agents that count against the limit "agents": working,
// waiting or just created.
func (r *roster) busy() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.busyWorkers + r.fresh
}

// roleAlive counts the instances of a role that can still work.
func (r *roster) roleAlive(role string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, m := range r.members {
		if m.role == role && m.state != event.Finished {
			n++
		}
	}
	return n
}

// spawned is how many sub-agents were created for the person's newest task.
func (r *roster) spawned() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.spawns
}

// nextInstance is the number of the next instance of a role.
func (r *roster) nextInstance(role string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.instances[role] + 1
}

// position is the seq of the newest record that was folded.
func (r *roster) position() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq
}

// inquiries lists the open questions, oldest first.
func (r *roster) inquiries() []inquiry {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []inquiry
	for _, q := range r.open {
		list = append(list, *q)
	}
	slices.SortFunc(list, func(a, b inquiry) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

// personTask is what the person wants.
func (r *roster) personTask() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.task
}

// wasSent reports whether the message of a question is on its way, or will
// never be.
func (r *roster) wasSent(question string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.open[question]
	return q == nil || q.text != ""
}

func (r *roster) openQuestions() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}

// leaderEnd is how the leader's last turn ended.
func (r *roster) leaderEnd() event.TurnEnded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.end
}

// leaderEndSeq is the seq of that end; 0 before the first.
func (r *roster) leaderEndSeq() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endSeq
}

// lastTurn is what the leader's last turn brought.
type lastTurn struct {
	answer string
	end    event.TurnEnded
}

func (r *roster) totals() (lastTurn, event.Usage, *event.Cost, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := lastTurn{r.answer, r.end}
	if last.answer == "" && r.byID[event.Leader] != nil {
		last.answer = r.byID[event.Leader].last
	}
	return last, r.usage, r.cost, slices.Clone(r.artifacts)
}
