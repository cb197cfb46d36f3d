package leader_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// checkLog folds the log of a whole run, which happened in a bubble, and
// reports each rule between agents that it breaks:
//
//   - a message is sent once, and delivered once or returned once, in the order
//     of its sender; at the end of a run that finished, only progress to the
//     leader and what an agent had not read when it was stopped are left
//   - a question is opened once and closed once; none is open at the end
//   - ids are unique
//   - each tool call has one result, at its place in a valid conversation; in a
//     run that was interrupted, calls that wait for others are left without one,
//     and their questions open
//   - each turn of a sub-agent has one completion, with the reason of its end
//   - states form a path of the machine; nothing comes from an agent after its
//     last state, nothing at all after the end of the run
//   - nobody rests while somebody waits for it: while time passes, the
//     addressee of an open question works, and no message lies in the box of an
//     agent that is idle
func checkLog(t testing.TB, records []event.Record) {
	t.Helper()
	checkLogTo(t, records, time.Time{})
}

// checkLogTo is [checkLog] for a run that was paused: from then on agents leave
// one by one, and what comes for them waits for the run to be resumed.
func checkLogTo(t testing.TB, records []event.Record, paused time.Time) {
	t.Helper()
	f := newFold()
	f.paused = paused
	for _, rec := range records {
		f.add(rec)
	}
	f.end()
	for i, fault := range f.faults {
		if i == 10 {
			t.Errorf("and %d more", len(f.faults)-i)
			break
		}
		t.Error(fault)
	}
}

// fold is what the records so far say.
type fold struct {
	faults    []string
	last      event.Record
	ended     bool      // the run
	natural   bool      // it finished
	suspended bool      // it was interrupted
	paused    time.Time // when somebody paused it, zero if nobody did
	ids       map[string]bool
	agents    map[string]*folded
	messages  map[string]*letter
	delivered map[[2]string]int64 // by sender and receiver: where the newest delivered was sent
	questions map[string]*inquiry
}

// folded is one agent.
type folded struct {
	parent     string
	state      event.State
	turn       int
	open       bool // a turn
	reports    []event.Reason
	history    []model.Message
	calls      map[string]int // results by call id, -1 while it only was asked for
	step       []event.Call   // calls of the newest reply whose results are not in history yet
	results    map[string]model.Message
	started    map[string]bool
	requesting bool // a model call is under way
}

// letter is one message on its way.
type letter struct {
	event.MessageSent
	seq                 int64
	delivered, returned bool
}

// inquiry is one question.
type inquiry struct {
	event.QuestionOpened
	closed bool
}

func newFold() *fold {
	return &fold{
		ids: map[string]bool{}, agents: map[string]*folded{}, messages: map[string]*letter{},
		delivered: map[[2]string]int64{}, questions: map[string]*inquiry{},
	}
}

func (f *fold) fault(rec event.Record, format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf("record %d (%s %s): ", rec.Seq, rec.Agent, rec.Type())+fmt.Sprintf(format, args...))
}

// edges are the moves of the machine.
var edges = map[event.State][]event.State{
	event.Created: {event.Working, event.Stopped, event.Finished},
	event.Working: {event.Waiting, event.Idle, event.Failing, event.Stopped, event.Finished},
	event.Waiting: {event.Working, event.Failing, event.Stopped, event.Finished},
	event.Idle:    {event.Working, event.Stopped, event.Finished},
	event.Failing: {event.Working, event.Stopped, event.Finished},
	event.Stopped: {event.Working, event.Finished},
}

func (f *fold) add(rec event.Record) {
	if rec.Seq != f.last.Seq+1 || rec.Time.Before(f.last.Time) {
		f.fault(rec, "follows record %d of %s at %s", f.last.Seq, f.last.Time, rec.Time)
	}
	if f.ended && !f.mayFollow(rec) {
		f.fault(rec, "comes after the end of the run")
	}
	if !f.ended && rec.Type() != event.TypeRunResumed && rec.Time.After(f.last.Time) && (f.paused.IsZero() || !rec.Time.After(f.paused)) {
		f.timePassed(rec)
	}
	f.last = rec
	if d, ok := rec.Data.(event.AgentCreated); ok {
		if f.agents[rec.Agent] != nil {
			f.fault(rec, "was created before")
		}
		f.agents[rec.Agent] = &folded{
			parent: d.Parent, state: event.Created, calls: map[string]int{}, started: map[string]bool{}, results: map[string]model.Message{},
			history: []model.Message{{Role: model.System, Content: d.Prompt}},
		}
		return
	}
	f.addRun(rec)
	f.addMessage(rec)
	f.addQuestion(rec)
	if a := f.agents[rec.Agent]; a != nil {
		if a.state == event.Finished && rec.Type() != event.TypeMessageReturned {
			f.fault(rec, "comes from a terminated agent")
		}
		f.addTurn(rec, a)
		f.addStep(rec, a)
	}
}

// mayFollow reports whether rec may come after the end of the run: it goes on,
// or the person answers meanwhile.
func (f *fold) mayFollow(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.RunResumed:
		return true
	case event.QuestionClosed:
		return f.suspended && rec.Agent == event.Person
	case event.ApprovalDecided:
		return f.suspended && d.Offline
	default:
		return false
	}
}

// timePassed looks at what everybody waited for until rec.
func (f *fold) timePassed(rec event.Record) {
	for id, q := range f.questions {
		if a := f.agents[q.To]; !q.closed && a != nil && !a.state.Busy() {
			f.fault(rec, "until now question %s from %s waited for %s, which was %s", id, q.From, q.To, a.state)
		}
	}
	for id, m := range f.messages {
		a := f.agents[m.To]
		if a == nil || m.delivered || m.returned || a.state.Busy() || a.state == event.Stopped {
			continue
		}
		if m.Kind != event.Progress || m.To != event.Leader {
			f.fault(rec, "until now message %s lay in the box of %s, which was %s", id, m.To, a.state)
		}
	}
}

func (f *fold) addRun(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		if rec.Seq != 1 {
			f.fault(rec, "is not the first")
		}
	case event.RunFinished:
		f.ended, f.natural = true, !d.Partial
	case event.RunSuspended:
		f.ended, f.suspended = true, true
	case event.RunFailed:
		f.ended = true
	case event.RunResumed:
		f.ended, f.natural, f.suspended, f.paused = false, false, false, time.Time{}
	}
}

// mint takes note of an id that must be new.
func (f *fold) mint(rec event.Record, id string) {
	if id == "" || f.ids[id] {
		f.fault(rec, "id %q is empty or taken", id)
	}
	f.ids[id] = true
}

func (f *fold) addMessage(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		if q := f.questions[d.ID]; q != nil && f.messages[d.ID] == nil {
			if q.From != d.From || q.To != d.To {
				f.fault(rec, "question %s is from %s to %s, its message from %s to %s", d.ID, q.From, q.To, d.From, d.To)
			}
		} else {
			f.mint(rec, d.ID)
		}
		f.messages[d.ID] = &letter{MessageSent: d, seq: rec.Seq}
	case event.MessageDelivered:
		m := f.messages[d.ID]
		if m == nil || m.To != rec.Agent || m.delivered || m.returned {
			f.fault(rec, "%s was not on its way to %s: %+v", d.ID, rec.Agent, m)
			return
		}
		m.delivered = true
		way := [2]string{m.From, m.To}
		if m.seq < f.delivered[way] {
			f.fault(rec, "%s overtook a later message of %s", d.ID, m.From)
		}
		f.delivered[way] = m.seq
	case event.MessageReturned:
		m := f.messages[d.ID]
		if m == nil || m.From != rec.Agent || m.To != d.To || m.delivered || m.returned || f.agents[d.To].state != event.Finished {
			f.fault(rec, "%s cannot come back: %+v", d.ID, m)
			return
		}
		m.returned = true
	}
}

func (f *fold) addQuestion(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.QuestionOpened:
		f.mint(rec, d.ID)
		f.questions[d.ID] = &inquiry{QuestionOpened: d}
	case event.QuestionClosed:
		q := f.questions[d.ID]
		if q == nil || q.closed {
			f.fault(rec, "question %s was not open: %+v", d.ID, q)
			return
		}
		q.closed = true
		if d.AnswerID != "" {
			f.mint(rec, d.AnswerID)
		}
		if d.AnswerID != "" && (d.From != q.To || d.Outcome != event.Answered) {
			f.fault(rec, "%s to %s was answered by %s, %s", d.ID, q.To, d.From, d.Outcome)
		}
	}
}

func (f *fold) addTurn(rec event.Record, a *folded) {
	switch d := rec.Data.(type) {
	case event.AgentState:
		if d.From != a.state || !slices.Contains(edges[d.From], d.To) {
			f.fault(rec, "moves from %s to %s, was %s", d.From, d.To, a.state)
		}
		if !a.state.Busy() && d.To == event.Working {
			if a.open || rec.Turn != a.turn+1 {
				f.fault(rec, "turn %d begins after turn %d, open %t", rec.Turn, a.turn, a.open)
			}
			a.turn, a.open, a.reports = rec.Turn, true, nil
		}
		if !d.To.Busy() && a.open {
			f.fault(rec, "rests before turn %d ended", a.turn)
		}
		a.state = d.To
	case event.MessageSent:
		if d.Kind == event.Completion {
			if !a.open || rec.Turn != a.turn || a.parent == "" {
				f.fault(rec, "report outside of a turn")
			}
			a.reports = append(a.reports, d.Reason)
		}
	case event.TurnEnded:
		if !a.open {
			f.fault(rec, "no turn is open")
		}
		a.open = false
		if a.parent != "" && (len(a.reports) != 1 || a.reports[0] != d.Reason) {
			f.fault(rec, "the turn ended %s with the reports %v", d.Reason, a.reports)
		}
		for _, q := range f.questions {
			if m := f.messages[q.ID]; q.To == rec.Agent && !q.closed && m != nil && m.delivered {
				f.fault(rec, "the turn ended without an end of %s", q.ID)
			}
		}
	}
}

// addStep follows the conversation and its model and tool calls.
func (f *fold) addStep(rec event.Record, a *folded) {
	switch d := rec.Data.(type) {
	case event.MessageDelivered:
		a.history = append(a.history, model.Message{Role: model.User, Content: d.ID})
	case event.ModelRequested:
		if d.Purpose != "" {
			a.requesting = true
			break
		}
		if err := agent.CheckHistory(a.history); err != nil || d.Messages != len(a.history) || a.requesting || !a.open {
			f.fault(rec, "request of %d messages, folded %d, another under way %t: %v", d.Messages, len(a.history), a.requesting, err)
		}
		a.requesting = true
	case event.ModelFailed:
		if !a.requesting {
			f.fault(rec, "nothing was asked")
		}
		a.requesting = false
	case event.ModelReplied:
		if !a.requesting {
			f.fault(rec, "nothing was asked")
		}
		a.requesting = false
		if d.Purpose == "" && (d.Text != "" || len(d.Calls) > 0) {
			a.history = append(a.history, model.Message{Role: model.Assistant, Content: d.Text, Calls: d.Calls})
		}
		for _, c := range d.Calls {
			if _, ok := a.calls[c.ID]; ok {
				f.fault(rec, "call id %s is used twice", c.ID)
			}
			a.calls[c.ID] = -1
		}
		if d.Purpose == "" {
			a.step = d.Calls
		}
	case event.HistoryCompacted:
		f.mint(rec, d.ID)
		from := len(a.history) - d.Kept
		if from-1 != d.Dropped+len(d.Pinned) || a.requesting {
			f.fault(rec, "%d messages, %d dropped, %d pinned, %d kept", len(a.history), d.Dropped, len(d.Pinned), d.Kept)
			break
		}
		stays := slices.DeleteFunc(slices.Clone(a.history[1:from]), func(m model.Message) bool {
			return !slices.Contains(d.Pinned, m.Content)
		})
		a.history = slices.Concat(a.history[:1], []model.Message{{Role: model.User, Content: d.ID}}, stays, a.history[from:])
	case event.ToolStarted:
		if n, ok := a.calls[d.CallID]; !ok || n != -1 || a.started[d.CallID] {
			f.fault(rec, "call %s cannot start", d.CallID)
		}
		a.started[d.CallID] = true
	case event.ToolFinished:
		a.calls[d.CallID]++
		a.results[d.CallID] = model.Message{Role: model.ToolRole, CallID: d.CallID, Content: d.Result}
		for len(a.step) > 0 && a.calls[a.step[0].ID] >= 0 {
			a.history = append(a.history, a.results[a.step[0].ID])
			a.step = a.step[1:]
		}
	}
}

// waiting are the tools that only wait for others.
var waiting = []string{"ask_sub_agent", "wait_sub_agent_output", "ask_master", "ask_other_agent", "ask_user"}

// leftOpen reports whether a call of a may be without a result now: the run was
// interrupted, and the call waited, or had not begun.
func (f *fold) leftOpen(a *folded, call string) bool {
	for _, c := range a.step {
		if c.ID == call {
			return f.suspended && a.calls[call] < 0 && (slices.Contains(waiting, c.Name) || !a.started[call])
		}
	}
	return false
}

// end looks at what is left when the log ends.
func (f *fold) end() {
	rec := f.last
	if !f.ended {
		f.fault(rec, "the log ends without an end of the run")
	}
	for id, q := range f.questions {
		from := f.agents[q.From]
		late := q.From == event.Leader && from.calls[q.CallID] == 0
		if !q.closed && (f.natural || !late && !f.leftOpen(from, q.CallID)) {
			f.fault(rec, "question %s from %s to %s is still open", id, q.From, q.To)
		}
	}
	for id, m := range f.messages {
		to := f.agents[m.To]
		if to == nil || m.delivered || m.returned {
			continue
		}
		left := !f.natural || to.state == event.Stopped || m.Kind == event.Progress && m.To == event.Leader
		if to.state == event.Finished || !left {
			f.fault(rec, "message %s (%s) to %s, %s, is lost", id, m.Kind, m.To, to.state)
		}
	}
	for id, a := range f.agents {
		if f.natural && (a.open || a.state.Busy()) {
			f.fault(rec, "%s is %s in turn %d, open %t", id, a.state, a.turn, a.open)
		}
		if a.requesting {
			f.fault(rec, "a model call of %s has no end", id)
		}
		for call, n := range a.calls {
			if n != 0 && !f.leftOpen(a, call) {
				f.fault(rec, "call %s of %s has %d results", call, id, n+1)
			}
		}
		for _, c := range a.step { // what is left open gets its result when the run is resumed
			a.history = append(a.history, model.Message{Role: model.ToolRole, CallID: c.ID})
		}
		if err := agent.CheckHistory(a.history); err != nil && len(a.history) > 1 {
			f.fault(rec, "%s is left with a bad conversation: %v", id, err)
		}
	}
}
