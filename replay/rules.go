package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// Rule names a rule between agents.
type Rule string

// The rules that [Check] holds a log to.
const (
	RuleSequence Rule = "sequence" // records are numbered from 1 without a gap; the header is the first, and only that
	RuleEnd      Rule = "end"      // after the end of the run only run.resumed comes, and what the person answers a suspended one
	RuleIDs      Rule = "ids"      // no id is given twice
	RuleMessage  Rule = "message"  // a message is sent, then delivered or returned, once; none is lost in a run that finished
	RuleOrder    Rule = "order"    // messages of one sender to one receiver are read in the order in which they were sent
	RuleQuestion Rule = "question" // a question is opened, then closed, once; only its addressee answers it
	RuleCycle    Rule = "cycle"    // nobody waits for himself by way of others
	RuleState    Rule = "state"    // an agent moves as its machine allows
	RuleSilence  Rule = "silence"  // nothing comes from an agent that was terminated
	RuleTurn     Rule = "turn"     // turns follow one another; each of a sub-agent ends with one report
	RuleCall     Rule = "call"     // every tool call has one result, in the order of the calls
	RuleHistory  Rule = "history"  // a request is sent with a whole conversation, of the length that the record says
	RuleRequest  Rule = "request"  // a request has one end, and the next comes after it
	RuleBudget   Rule = "budget"   // no request is sent that the limits of the run do not pay for
)

// Violation is a place where a log breaks a rule between agents.
type Violation struct {
	Rule Rule   `json:"rule"`
	Seq  int64  `json:"seq"` // of the record at which it shows
	Text string `json:"text"`
}

// String is the violation in one line, in English.
func (v Violation) String() string { return fmt.Sprintf("record %d: %s: %s", v.Seq, v.Rule, v.Text) }

// Check folds a whole log and reports every place where it breaks a rule
// between agents, in the order of the log. What the end of a run requires is
// asked only of a log whose last record says that the run finished.
func Check(records iter.Seq2[event.Record, error]) ([]Violation, error) {
	var list []event.Record
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	return checkAll(list), nil
}

func checkAll(records []event.Record) []Violation {
	k := &checker{
		ids: map[string]bool{}, agents: map[string]*member{}, mail: map[string]*letter{},
		read: map[[2]string]int64{}, asked: map[string]*inquiry{},
	}
	k.budget.usage = usageOf(records)
	for _, rec := range records {
		k.add(rec)
	}
	k.end()
	slices.SortStableFunc(k.found, func(a, b Violation) int { return cmp.Compare(a.Seq, b.Seq) })
	return k.found
}

// checker is what the records so far say.
type checker struct {
	found     []Violation
	last      event.Record
	over      bool // the run, until it is resumed
	suspended bool // it waits for a person
	// resumes counts how often it was.
	resumes int
	ids     map[string]bool
	agents  map[string]*member
	mail    map[string]*letter
	read    map[[2]string]int64 // by sender and receiver: the seq of the newest message that was read
	asked   map[string]*inquiry
	circle  *inquiry // closes a circle unless the next record about questions refuses it
	budget  account
}

func (k *checker) fault(seq int64, r Rule, format string, args ...any) {
	k.found = append(k.found, Violation{Rule: r, Seq: seq, Text: fmt.Sprintf(format, args...)})
}

// mint takes note of an id that must be new.
func (k *checker) mint(seq int64, id string) {
	if id == "" || k.ids[id] {
		k.fault(seq, RuleIDs, "the id %q is empty or was given before", id)
	}
	k.ids[id] = true
}

func (k *checker) add(rec event.Record) {
	if rec.Seq != k.last.Seq+1 {
		k.fault(rec.Seq, RuleSequence, "record %d follows record %d", rec.Seq, k.last.Seq)
	}
	if (rec.Type() == event.TypeRunStarted) != (k.last.Seq == 0) {
		k.fault(rec.Seq, RuleSequence, "the header is the first record and no other; this is %s", rec.Type())
	}
	if k.over && !k.mayFollow(rec) {
		k.fault(rec.Seq, RuleEnd, "%s comes after %s", rec.Type(), k.last.Type())
	}
	k.last = rec
	k.addRun(rec)
	k.addMail(rec)
	k.addQuestion(rec)
	if m := k.agents[rec.Agent]; m != nil {
		if m.state == event.Finished && rec.Type() != event.TypeMessageReturned {
			k.fault(rec.Seq, RuleSilence, "%s comes from %s, which was terminated", rec.Type(), rec.Agent)
		}
		k.addTurn(rec, m)
		k.addCalls(rec, m)
		k.addRequest(rec, m)
		m.talk.apply(m.id, rec)
	}
}

// mayFollow reports whether rec may come after the end of a run: it goes on, or
// the person answers what it was suspended for.
func (k *checker) mayFollow(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.RunResumed:
		return true
	case event.QuestionClosed:
		return k.suspended && rec.Agent == event.Person
	case event.ApprovalDecided:
		return k.suspended && d.Offline
	case event.ToolReturned:
		return k.suspended
	default:
		return false
	}
}

func (k *checker) addRun(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		k.limits(d.Team)
	case event.RunResumed:
		k.over = false
		k.limits(d.Team)
		k.resumes++
		if d.Task != "" {
			k.budget.used, k.budget.steps = amount{}, 0
		}
	case event.RunSuspended:
		k.over, k.suspended = true, true
	case event.RunFinished, event.RunFailed:
		k.over, k.suspended = true, false
	case event.AgentCreated:
		k.mint(rec.Seq, rec.Agent)
		k.agents[rec.Agent] = &member{
			id: rec.Agent, parent: d.Parent, state: event.Created, talk: newTalk(d.Prompt),
			calls: map[string]*callSeen{},
		}
	default:
	}
}

// limits takes the limits of a team, if the log has one here.
func (k *checker) limits(raw json.RawMessage) {
	var t leader.Team
	if json.Unmarshal(raw, &t) == nil {
		k.budget.limits = t.Limits
	}
}

// end looks at what is left when the log ends.
func (k *checker) end() {
	d, ok := k.last.Data.(event.RunFinished)
	if !ok {
		return
	}
	k.settleCircle("")
	for _, q := range k.asked {
		if !q.closed && (!d.Partial || q.From != event.Leader) {
			k.fault(k.last.Seq, RuleQuestion, "the run ends while question %s from %s to %s is open", q.ID, q.From, q.To)
		}
	}
	if d.Partial {
		return
	}
	for id, m := range k.agents {
		if m.state.Busy() {
			k.fault(k.last.Seq, RuleTurn, "the run ends while %s is in a turn", id)
		}
	}
	for _, l := range k.mail {
		if to := k.agents[l.To]; to != nil && !l.read && !l.returned && !l.mayStay(to) {
			k.fault(k.last.Seq, RuleMessage, "the run ends and %s never got message %s", l.To, l.ID)
		}
	}
}
