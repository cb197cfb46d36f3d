package replay

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// member is one agent.
type member struct {
	id, parent string
	state      event.State
	turn       int
	open       bool // a turn
	reports    []event.Reason
	talk       *talk
	calls      map[string]*callSeen
	due        []string // ids of calls without a result, in order
	requested  int64    // the seq of the request under way; 0 if there is none
}

// callSeen is a call that a model made.
type callSeen struct {
	started, finished bool
	// overtaken is the record with the result of a later call, that of this one
	// being due; resumes is how often the run had been resumed then.
	overtaken int64
	resumes   int
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (k *checker) addTurn(rec event.Record, m *member) {
	switch d := rec.Data.(type) {
	case event.AgentState:
		k.addMove(rec, m, d)
	case event.MessageSent:
		if d.Kind != event.Completion {
			return
		}
		if !m.open || rec.Turn != m.turn || m.parent == "" {
			k.fault(rec.Seq, RuleTurn, "%s reports the end of turn %d, which it does not take", m.id, rec.Turn)
		}
		m.reports = append(m.reports, d.Reason)
	case event.TurnEnded:
		if !m.open {
			k.fault(rec.Seq, RuleTurn, "%s takes no turn that could end", m.id)
		}
		m.open = false
		if m.parent != "" && (len(m.reports) != 1 || m.reports[0] != d.Reason) {
			k.fault(rec.Seq, RuleTurn, "turn %d of %s ended %s, with the reports %q", rec.Turn, m.id, d.Reason, m.reports)
		}
		if len(m.due) > 0 {
			k.fault(rec.Seq, RuleCall, "the turn of %s ends without a result of call %s", m.id, m.due[0])
		}
	default:
	}
}

func (k *checker) addMove(rec event.Record, m *member, d event.AgentState) {
	if d.From != m.state || !agent.LegalMove(d.From, d.To) {
		k.fault(rec.Seq, RuleState, "%s moves from %s to %s, and was %s", m.id, d.From, d.To, m.state)
	}
	if !m.state.Busy() && d.To == event.Working {
		if m.open || rec.Turn != m.turn+1 {
			k.fault(rec.Seq, RuleTurn, "turn %d of %s begins after turn %d", rec.Turn, m.id, m.turn)
		}
		m.turn, m.open, m.reports = rec.Turn, true, nil
	}
	if !d.To.Busy() && m.open {
		k.fault(rec.Seq, RuleTurn, "%s rests before turn %d ended", m.id, m.turn)
		m.open = false
	}
	m.state = d.To
}

func (k *checker) addCalls(rec event.Record, m *member) {
	switch d := rec.Data.(type) {
	case event.ModelReplied:
		if d.Purpose != "" {
			return
		}
		for _, c := range d.Calls {
			if c.ID == "" || m.calls[c.ID] != nil {
				k.fault(rec.Seq, RuleIDs, "the call id %q of %s is empty or was given before", c.ID, m.id)
			}
			m.calls[c.ID] = &callSeen{}
			m.due = append(m.due, c.ID)
		}
	case event.ToolStarted:
		c := m.calls[d.CallID]
		if c == nil || c.started || c.finished {
			k.fault(rec.Seq, RuleCall, "call %s of %s cannot start", d.CallID, m.id)
			return
		}
		c.started = true
	case event.ToolFinished:
		k.addResult(rec, m, d.CallID)
	default:
	}
}

// addResult looks at the place of a result. One of a call that waited when the
// run was interrupted comes after the run was resumed.
func (k *checker) addResult(rec event.Record, m *member, id string) {
	c := m.calls[id]
	if c == nil || c.finished {
		k.fault(rec.Seq, RuleCall, "call %s of %s cannot have a result", id, m.id)
		return
	}
	c.finished = true
	if c.overtaken != 0 && c.resumes == k.resumes {
		k.fault(c.overtaken, RuleCall, "a result of %s where that of call %s is due", m.id, id)
	}
	for _, before := range m.due[:max(0, slices.Index(m.due, id))] {
		if w := m.calls[before]; w.overtaken == 0 {
			w.overtaken, w.resumes = rec.Seq, k.resumes
		}
	}
	m.due = slices.DeleteFunc(m.due, func(due string) bool { return due == id })
}

func (k *checker) addRequest(rec event.Record, m *member) {
	switch d := rec.Data.(type) {
	case event.ModelRequested:
		if m.requested != 0 {
			k.fault(rec.Seq, RuleRequest, "%s asks again before record %d has an end", m.id, m.requested)
		}
		m.requested = rec.Seq
		if d.Purpose == "" {
			if err := agent.CheckHistory(m.talk.messages); err != nil {
				k.fault(rec.Seq, RuleHistory, "%s: %v", m.id, err)
			} else if n := len(m.talk.messages); d.Messages != n {
				k.fault(rec.Seq, RuleHistory, "%s sends %d messages; the records tell of %d", m.id, d.Messages, n)
			}
		}
		k.pay(rec, d)
	case event.ModelReplied, event.ModelFailed:
		if m.requested == 0 {
			k.fault(rec.Seq, RuleRequest, "%s asked nothing that could end with %s", m.id, rec.Type())
		}
		k.budget.settle(m.requested)
		m.requested = 0
	default:
	}
}

// account follows what the requests of a run cost.
type account struct {
	limits leader.Limits
	usage  map[int64]amount // what each request cost in the end, by its seq
	open   map[int64]amount // what is reserved for the requests under way
	used   amount
	steps  int
	errors map[string]amount // by agent: by how much its worst estimate was too low
}

// amount is tokens and money.
type amount struct{ tokens, money float64 }

func (a amount) add(b amount) amount { return amount{a.tokens + b.tokens, a.money + b.money} }

func (a amount) least(b amount) amount { return amount{min(a.tokens, b.tokens), min(a.money, b.money)} }

func (a amount) most(b amount) amount { return amount{max(a.tokens, b.tokens), max(a.money, b.money)} }

// usageOf finds what each request cost in the end.
func usageOf(records []event.Record) map[int64]amount {
	usage, open := map[int64]amount{}, map[string]int64{}
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.ModelRequested:
			open[rec.Agent] = rec.Seq
		case event.ModelReplied:
			usage[open[rec.Agent]] = amount{float64(d.Usage.Total()), money(d.Cost)}
		case event.ModelFailed:
			usage[open[rec.Agent]] = amount{float64(d.Usage.Total()), money(d.Cost)}
		default:
		}
	}
	return usage
}

func money(c *event.Cost) float64 {
	if c == nil {
		return 0
	}
	return c.Amount
}

// pay reserves what a request may cost, and looks whether the limits allow it.
// A call whose end is not in the log yet may have been settled already, so of
// each the lower of reserve and cost counts.
func (k *checker) pay(rec event.Record, d event.ModelRequested) {
	b := &k.budget
	if b.open == nil {
		b.open, b.errors = map[int64]amount{}, map[string]amount{}
	}
	reserve := amount{float64(d.Reserved), money(d.ReservedCost)}
	sum, slack := b.used.add(reserve), amount{}
	for seq, a := range b.open {
		if cost, ended := b.usage[seq]; ended {
			a = a.least(cost)
		}
		sum = sum.add(a)
	}
	if cost, ended := b.usage[rec.Seq]; ended {
		b.errors[rec.Agent] = b.errors[rec.Agent].most(amount{cost.tokens - reserve.tokens, cost.money - reserve.money})
	}
	for _, e := range b.errors {
		slack = slack.add(e)
	}
	if !d.WrapUp {
		b.steps++
	}
	const rounding = 1e-9
	switch {
	case b.limits.Steps > 0 && b.steps > b.limits.Steps:
		k.fault(rec.Seq, RuleBudget, "%s makes call %d of %d", rec.Agent, b.steps, b.limits.Steps)
	case b.limits.Tokens > 0 && sum.tokens > float64(b.limits.Tokens)+slack.tokens:
		k.fault(rec.Seq, RuleBudget, "%s may bring the tokens to %.0f of %d", rec.Agent, sum.tokens, b.limits.Tokens)
	case b.limits.Budget > 0 && sum.money > b.limits.Budget*(1+rounding)+slack.money:
		k.fault(rec.Seq, RuleBudget, "%s may bring the cost to %g of %g", rec.Agent, sum.money, b.limits.Budget)
	}
	b.open[rec.Seq] = reserve
}

// settle books the end of a request.
func (b *account) settle(seq int64) {
	if _, ok := b.open[seq]; !ok {
		return
	}
	delete(b.open, seq)
	b.used = b.used.add(b.usage[seq])
}
