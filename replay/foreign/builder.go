package foreign

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/troupe-go/troupe/event"
)

// Codes of the warnings of an import.
const (
	warnNotImported = "not_imported"
	warnSource      = "import_source" // what the other system said about the run
	warnEnd         = "import_end"
)

// builder makes the records of a run out of what a transcript tells, and keeps
// the rules of a log: one result a call, ids that are unique, times that do not
// go back. Place 0 is kept for the header.
type builder struct {
	records []event.Record
	now     time.Time // of the next record
	started bool      // now is a time that the transcript told
	notes   notes

	agents map[string]*agent
	ids    map[string]int      // how many of each prefix were made
	calls  map[string]*call    // open calls, by the id in the log
	used   map[string]bool     // ids of calls in the log
	named  map[string][]string // ids in the log of open calls, by the id in the transcript

	usage event.Usage
	cost  *event.Cost
	task  string // the first words of the person
}

// agent is what the builder knows of an agent.
type agent struct {
	id, name, code string
	parent         string
	turn, step     int
	busy           bool
	inbox          []string // ids of messages that were not delivered
	heard          int      // messages in its conversation, as far as a summary counts them
	last           string   // its last words
	unanswered     bool     // it was spoken to after its last words
	waits          int      // calls without a result
	call           string   // the call that made it
	created        int      // the place of its record
}

// call is a tool call without a result.
type call struct {
	agent     *agent
	id, name  string
	arguments string
	began     time.Time
	started   int // the place of its record
	agents    int // that it started
}

func newBuilder(began time.Time) *builder {
	return &builder{
		records: make([]event.Record, 1), now: began.UTC(),
		agents: map[string]*agent{}, ids: map[string]int{},
		calls: map[string]*call{}, used: map[string]bool{}, named: map[string][]string{},
	}
}

// at sets the time of what follows. A time that is not known, or lies before
// the last one, changes nothing.
func (b *builder) at(t time.Time) {
	switch {
	case t.IsZero():
	case !b.started:
		b.now, b.started = t.UTC(), true
		for i := range b.records {
			b.records[i].Time = b.now
		}
	case t.After(b.now):
		b.now = t.UTC()
	}
}

func (b *builder) add(agent string, turn int, d event.Data) {
	b.records = append(b.records, event.Record{
		V: event.Version, Seq: int64(len(b.records) + 1), Time: b.now, Agent: agent, Turn: turn, Data: d,
	})
}

func (b *builder) warn(code, text string) { b.add("", 0, event.Warning{Code: code, Text: text}) }

// made counts what came of the transcript so far.
func (b *builder) made() int { return len(b.records) + b.notes.total() }

// id makes the next id of a kind for a sender: ask_uio_001.
func (b *builder) id(kind event.Kind, code string) string {
	prefix := kind.Prefix()
	if kind != event.Task {
		prefix += code + "_"
	}
	b.ids[prefix]++
	return fmt.Sprintf("%s%03d", prefix, b.ids[prefix])
}

// create makes an agent; the first one without a parent is the leader.
func (b *builder) create(d event.AgentCreated) *agent {
	a := &agent{id: event.Leader, code: event.Leader, name: d.Name, parent: d.Parent}
	if b.agents[event.Leader] == nil && d.Parent == "" {
		d.Role, d.Code = event.Leader, event.Leader
		b.agents[event.Leader] = a
	} else {
		d.Code = codeOf(cmp.Or(d.Role, d.Name))
		d.Role = cmp.Or(d.Role, d.Code)
		a.code = d.Code
		for n := 1; ; n++ {
			if a.id = fmt.Sprintf("%s_%d", d.Code, n); b.agents[a.id] == nil {
				break
			}
		}
		b.agents[a.id] = a
	}
	if b.taken(a.name, a) {
		a.name += strings.TrimPrefix(a.id, a.code)
		d.Name = a.name
	}
	if d.Tools == nil {
		d.Tools = []string{}
	}
	a.created = len(b.records)
	b.add(a.id, 0, d)
	return a
}

// taken reports whether an agent but a has the name.
func (b *builder) taken(name string, a *agent) bool {
	for _, other := range b.agents {
		if other != a && other.name == name {
			return true
		}
	}
	return false
}

// model notes the model of an agent, which shows only with its first reply. It
// returns the name again when a later reply comes from another one.
func (b *builder) model(a *agent, name string) (another string) {
	d, ok := b.records[a.created].Data.(event.AgentCreated)
	switch {
	case !ok || name == d.Model:
		return ""
	case d.Model != "":
		return name
	}
	d.Model = name
	b.records[a.created].Data = d
	return ""
}

// codeOf turns a name into the code of a role.
func codeOf(name string) string {
	const most = 24
	code := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
	code = code[:min(len(code), most)]
	switch code {
	case "", event.Leader, event.Person, event.Runtime:
		return "agent"
	}
	return code
}

// send records a message. The name is that of the sender as the transcript has
// it.
func (b *builder) send(m event.MessageSent) {
	code, turn := m.From, 0
	if from := b.agents[m.From]; from != nil {
		code, turn = from.code, from.turn
		m.FromName = cmp.Or(m.FromName, from.name)
	}
	switch m.From {
	case event.Person:
		m.FromName = cmp.Or(m.FromName, event.PersonName)
		b.task = cmp.Or(b.task, m.Content)
	case event.Runtime:
		m.FromName = cmp.Or(m.FromName, event.RuntimeName)
	}
	m.ID = b.id(m.Kind, code)
	b.add(m.From, turn, m)
	to := b.agents[m.To]
	if to == nil {
		return
	}
	to.inbox = append(to.inbox, m.ID)
	to.unanswered = true
	if m.Kind != event.Completion && m.Kind != event.Progress { // those come again as results of calls
		to.heard++
	}
}

// begin starts a turn of an agent that rests, and delivers what waits for it.
func (b *builder) begin(a *agent) {
	if !a.busy {
		from := event.Idle
		if a.turn == 0 {
			from = event.Created
		}
		a.busy, a.step = true, 0
		a.turn++
		b.add(a.id, a.turn, event.AgentState{From: from, To: event.Working})
	}
	for _, id := range a.inbox {
		b.add(a.id, a.turn, event.MessageDelivered{ID: id, Step: a.step + 1})
	}
	a.inbox = nil
}

// end ends the turn of an agent.
func (b *builder) end(a *agent, why event.Reason) {
	if !a.busy {
		return
	}
	a.busy = false
	b.add(a.id, a.turn, event.TurnEnded{Reason: why})
	b.add(a.id, a.turn, event.AgentState{From: event.Working, To: event.Idle})
}

// reply records what an agent's model said, starts its calls and, without
// calls, ends the turn. The words of others than the leader are messages to
// the parent, or to the person when there is none.
func (b *builder) reply(a *agent, d event.ModelReplied) {
	b.begin(a)
	a.step++
	d.Step = a.step
	original := make([]string, len(d.Calls))
	for i := range d.Calls {
		original[i] = d.Calls[i].ID
		d.Calls[i].ID = b.callID(d.Calls[i].ID)
	}
	switch {
	case d.Finish == "" && len(d.Calls) > 0:
		d.Finish = event.FinishToolCalls
	case d.Finish == "":
		d.Finish = event.FinishStop
	}
	b.usage, b.cost = b.usage.Add(d.Usage), b.cost.Add(d.Cost)
	b.add(a.id, a.turn, d)
	a.heard++
	a.unanswered = false
	if d.Text != "" || len(d.Calls) == 0 {
		a.last = d.Text
	}
	b.speak(a, d)
	for i, c := range d.Calls {
		b.calls[c.ID] = &call{agent: a, id: c.ID, name: c.Name, arguments: c.Arguments, began: b.now, started: len(b.records)}
		b.named[original[i]] = append(b.named[original[i]], c.ID)
		a.waits++
		b.add(a.id, a.turn, event.ToolStarted{CallID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	if len(d.Calls) == 0 && a.waits == 0 {
		b.end(a, event.EndNatural)
	}
}

// speak sends the words of a reply on.
func (b *builder) speak(a *agent, d event.ModelReplied) {
	if a.id == event.Leader || d.Text == "" {
		return
	}
	m := event.MessageSent{Kind: event.Progress, From: a.id, To: cmp.Or(a.parent, event.Person), Content: d.Text}
	if len(d.Calls) == 0 && a.waits == 0 {
		m.Kind, m.Reason = event.Completion, event.EndNatural
	}
	b.send(m)
}

// callID is an id for a call that no other call of the run has.
func (b *builder) callID(id string) string {
	id = cmp.Or(id, "call")
	unique := id
	for n := 2; b.used[unique]; n++ {
		unique = fmt.Sprintf("%s~%d", id, n)
	}
	b.used[unique] = true
	return unique
}

// open is the call that a result of that id belongs to: the oldest one that is
// open, or nil.
func (b *builder) open(id string) *call {
	if ids := b.named[id]; len(ids) > 0 {
		return b.calls[ids[0]]
	}
	return nil
}

// result records the result of a call of a; place says where it stood.
func (b *builder) result(a *agent, id string, d event.ToolFinished, place string) {
	c := b.open(id)
	if c == nil {
		d.CallID = b.callID(cmp.Or(id, "result"))
		b.warn(warnNotImported, fmt.Sprintf("a result of call %q, which nobody made, at %s; it is shown as a call of its own", id, place))
		d.Name = cmp.Or(d.Name, "unknown")
		b.begin(a)
		b.add(a.id, a.turn, d)
		return
	}
	b.named[id] = b.named[id][1:]
	delete(b.calls, c.id)
	d.CallID, d.Name = c.id, c.name
	if d.DurationMS == 0 && b.started {
		d.DurationMS = b.now.Sub(c.began).Milliseconds()
	}
	c.agent.waits--
	c.agent.heard++
	b.add(c.agent.id, c.agent.turn, d)
}
