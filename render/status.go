package render

import (
	"slices"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Status folds records into what the agents of a run do now. The zero value is
// not usable; see [NewStatus]. It is not safe for concurrent use.
type Status struct {
	agents  []*agentStatus // in the order of their creation
	started time.Time      // of the stretch that runs; zero when none does
	earlier time.Duration  // length of the stretches before
	spent   spending       // by all, also by agents that the log never created
	task    part           // what belongs to the newest task of the person
}

// part is what a run has spent from some time on.
type part struct {
	spending
	before time.Duration // how long it had run by then
}

// agentStatus is what is known of one agent.
type agentStatus struct {
	id, name, model string
	scripted        bool
	state           event.State
	cause           string    // of the state
	since           time.Time // of the turn, or of the state when it rests
	changed         time.Time // when the state last changed
	thinking        bool      // a model call is under way
	calls           []openCall
	approvals       []openCall
	questions       []openQuestion
	unread          []unreadMessage // in the inbox, the oldest first
	steps           int
	spending
}

// unreadMessage is a message that was sent and is not in the conversation.
type unreadMessage struct {
	id string
	at time.Time
}

// openCall is a tool call without a result, or the approval of one.
type openCall struct {
	id, name, text string
	at             time.Time
}

type openQuestion struct {
	id, to string
	at     time.Time
}

// NewStatus makes an empty status.
func NewStatus() *Status { return &Status{} }

// Apply folds one record. Records of unknown types and live records change
// nothing.
func (s *Status) Apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted, event.RunResumed:
		s.stop(rec.Time)
		s.started = rec.Time
		if d, ok := d.(event.RunResumed); ok && d.Task != "" {
			s.task = part{before: s.earlier}
		}
	case event.RunSuspended, event.RunFinished, event.RunFailed:
		s.stop(rec.Time)
	case event.AgentCreated:
		s.agents = append(s.agents, &agentStatus{
			id: rec.Agent, name: CleanLine(d.Name), model: CleanLine(d.Model), scripted: d.Scripted,
			state: event.Created, since: rec.Time, changed: rec.Time,
		})
	case event.QuestionOpened:
		if a := s.agent(d.From); a != nil {
			a.questions = append(a.questions, openQuestion{id: d.ID, to: d.To, at: rec.Time})
		}
	case event.QuestionClosed:
		s.closeQuestion(d.ID)
	case event.ApprovalDecided:
		s.closeApproval(d.ID)
	case event.MessageSent:
		if a := s.agent(d.To); a != nil {
			a.unread = append(a.unread, unreadMessage{id: d.ID, at: rec.Time})
		}
	case event.MessageReturned:
		if a := s.agent(d.To); a != nil {
			a.read(d.ID)
		}
	default:
		s.applyAgent(rec)
	}
}

// applyAgent folds a record that is about its own agent.
func (s *Status) applyAgent(rec event.Record) {
	a := s.agent(rec.Agent)
	switch d := rec.Data.(type) {
	case event.ModelReplied:
		s.spend(a, d.Usage, d.Cost)
	case event.ModelFailed:
		s.spend(a, d.Usage, d.Cost)
	default: // costs nothing
	}
	if a == nil {
		return
	}
	switch d := rec.Data.(type) {
	case event.AgentState:
		a.move(rec.Time, d)
	case event.TurnEnded:
		a.rest()
	case event.MessageDelivered:
		a.read(d.ID)
	case event.ModelRequested:
		a.thinking = true
		a.steps++
	case event.ModelReplied, event.ModelFailed:
		a.thinking = false
	case event.ToolStarted:
		a.calls = append(a.calls, openCall{id: d.CallID, name: d.Name, text: callText(d.Name, d.Arguments), at: rec.Time})
	case event.ToolFinished:
		a.calls = slices.DeleteFunc(a.calls, func(c openCall) bool { return c.id == d.CallID })
	case event.ApprovalRequested:
		a.approvals = append(a.approvals, openCall{id: d.ID, name: d.Name, text: callText(d.Name, d.Arguments), at: rec.Time})
	default: // changes nothing that a row shows
	}
}

// read takes a message out of the unread ones.
func (a *agentStatus) read(id string) {
	a.unread = slices.DeleteFunc(a.unread, func(m unreadMessage) bool { return m.id == id })
}

func (s *Status) agent(id string) *agentStatus {
	if i := slices.IndexFunc(s.agents, func(a *agentStatus) bool { return a.id == id }); i >= 0 {
		return s.agents[i]
	}
	return nil
}

func (s *Status) closeQuestion(id string) {
	for _, a := range s.agents {
		a.questions = slices.DeleteFunc(a.questions, func(q openQuestion) bool { return q.id == id })
	}
}

// closeApproval looks at all agents: the record may be about the person.
func (s *Status) closeApproval(id string) {
	for _, a := range s.agents {
		a.approvals = slices.DeleteFunc(a.approvals, func(c openCall) bool { return c.id == id })
	}
}

func (s *Status) spend(a *agentStatus, u event.Usage, c *event.Cost) {
	s.spent.add(u, c)
	s.task.add(u, c)
	if a != nil {
		a.add(u, c)
	}
}

// stop ends the stretch of time that runs.
func (s *Status) stop(at time.Time) {
	if !s.started.IsZero() {
		s.earlier += max(0, at.Sub(s.started))
	}
	s.started = time.Time{}
}

// move changes the state. A turn goes on while the agent works or waits.
func (a *agentStatus) move(at time.Time, d event.AgentState) {
	if !a.state.Busy() || !d.To.Busy() {
		a.since = at
	}
	a.state, a.cause, a.changed = d.To, CleanLine(d.Cause), at
	if !d.To.Busy() {
		a.rest()
	}
}

// rest forgets what was under way; nothing is when a turn has ended.
func (a *agentStatus) rest() {
	a.thinking, a.calls, a.approvals, a.questions = false, nil, nil, nil
}

// Rows is a row for each live agent, in the order of their creation;
// terminated agents have none. now is the time of looking: what began later,
// on a clock that is ahead, begins now.
func (s *Status) Rows(now time.Time) []Row {
	busy := 0
	for _, a := range s.agents {
		if a.state.Busy() || a.state == event.Created {
			busy++
		}
	}
	var rows []Row
	for _, a := range s.agents {
		if a.state == event.Finished {
			continue
		}
		row := a.row()
		if row.Phase == PhaseReports {
			row.Unfinished = busy - 1
		}
		row.Since = earlier(row.Since, now)
		if !row.WaitSince.IsZero() {
			row.WaitSince = earlier(row.WaitSince, now)
		}
		if row.Unread > 0 {
			row.UnreadSince = earlier(row.UnreadSince, now)
		}
		rows = append(rows, row)
	}
	return rows
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// row says what the agent does.
func (a *agentStatus) row() Row {
	r := Row{
		ID: a.id, Name: a.name, State: a.state, Since: a.since, Model: a.model, Scripted: a.scripted,
		Unread: len(a.unread), Steps: a.steps,
		Tokens: a.usage.Total(), Estimated: a.usage.Estimated, Cost: a.cost(), CostEstimated: a.guessed, AtLeast: a.unpriced,
	}
	if len(a.unread) > 0 {
		r.UnreadSince = a.unread[0].at
	}
	switch a.state {
	case event.Created:
		r.Phase = PhaseReady
	case event.Working:
		a.working(&r)
	case event.Waiting:
		a.waiting(&r)
	case event.Idle:
		r.Phase = PhaseIdle
	case event.Failing:
		r.Phase, r.Doing = PhaseFailed, a.cause
	case event.Stopped:
		r.Phase, r.Doing = PhaseStopped, a.cause
	case event.Finished:
		r.Phase = PhaseTerminated
	}
	return r
}

// working tells of the model call or the last tool call that runs.
func (a *agentStatus) working(r *Row) {
	switch n := len(a.calls); {
	case a.thinking:
		r.Phase = PhaseThinking
	case n > 0:
		r.Phase, r.Doing = PhaseTool, a.calls[n-1].text
	default:
		r.Phase = PhaseWorking
	}
}

// waiting tells what the agent waits for, the oldest of several. A question outlives the ask of a
// leader that was called away, so a wait for reports goes first.
func (a *agentStatus) waiting(r *Row) {
	r.WaitSince = a.changed
	reports := slices.ContainsFunc(a.calls, func(c openCall) bool { return c.name == "wait_sub_agent_output" })
	switch {
	case len(a.approvals) > 0:
		first := a.approvals[0]
		r.Phase, r.Doing, r.WaitSince = PhaseApproval, CleanLine(first.id)+" "+first.text, first.at
	case reports:
		r.Phase = PhaseReports
	case len(a.questions) > 0:
		first := a.questions[0]
		r.Phase, r.Doing, r.WaitSince = PhaseAnswer, CleanLine(first.id), first.at
		r.On = short(first.to)
	default:
		r.Phase, r.Doing = PhaseWaiting, a.cause
	}
}

// Total is what the run has spent so far. The limits in it are for the caller
// to fill in, the log does not tell them.
func (s *Status) Total() Total { return s.total(part{spending: s.spent}) }

// TaskTotal is what the run has spent on the newest task of the person, which
// is what the limits are for.
func (s *Status) TaskTotal() Total { return s.total(s.task) }

func (s *Status) total(p part) Total {
	return Total{
		Tokens: p.usage.Total(), Estimated: p.usage.Estimated, Cost: p.cost(), CostEstimated: p.guessed, AtLeast: p.unpriced,
		Since: s.started, Earlier: s.earlier - p.before,
	}
}

// spending is tokens and money.
type spending struct {
	usage    event.Usage
	money    event.Cost
	guessed  bool // some of the money is that of estimated tokens
	unpriced bool // some tokens have no price, or one in another currency
}

// add counts one model call. A script uses no tokens and so needs no price.
func (s *spending) add(u event.Usage, c *event.Cost) {
	s.usage = s.usage.Add(u)
	switch {
	case c == nil || c.Currency == "":
		s.unpriced = s.unpriced || u.Total() > 0
	case s.money.Currency == "":
		s.money, s.guessed = *c, u.Estimated
	case c.Currency == s.money.Currency:
		s.money.Amount += c.Amount
		s.guessed = s.guessed || u.Estimated
	default:
		s.unpriced = true
	}
}

// cost is nil when nothing is known.
func (s *spending) cost() *event.Cost {
	if s.money.Currency == "" {
		return nil
	}
	c := s.money
	return &c
}
