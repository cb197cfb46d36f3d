package leader

import (
	"sync"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
)

// The limits of a run that the budget watches, as the team file names them.
const (
	limitSteps    = "steps"
	limitTokens   = "tokens"
	limitMoney    = "budget"
	limitDeadline = "deadline"
)

// The limits of a turn that agents watch themselves.
const (
	limitMaxSteps = "max_steps"
	limitRepeated = "repeated_call"
)

// account is one thing that is spent: tokens or money.
type account struct {
	max      float64 // 0: no limit
	used     float64
	reserved float64 // for calls under way
	kept     float64 // for the leader's wrap-up
}

// fits reports whether n more can be paid. What is kept for the leader's
// wrap-up is there only for that.
func (a account) fits(n float64, last bool) bool {
	free := a.max - a.used - a.reserved
	if !last {
		free -= a.kept
	}
	return a.max == 0 || n <= free
}

// budget gives leave for the model calls of a run. Everybody draws on the
// same accounts, so that no call starts that could not be paid. Each task of the
// person has the whole of it: in a session one comes after the other.
type budget struct {
	maxSteps int // 0: no limit
	deadline time.Duration
	started  time.Time
	now      func() time.Time

	mu     sync.Mutex // guards all below
	steps  int
	tokens account
	money  account
	warned map[string]bool // agent and limit
}

func newBudget(l Limits, now func() time.Time) *budget {
	b := &budget{
		maxSteps: bound(l.Steps), deadline: bound(l.Deadline), now: now, started: now(),
		tokens: account{max: float64(bound(l.Tokens))}, money: account{max: max(0, l.Budget)},
	}
	b.renew()
	return b
}

// renew begins the count for a new task of the person. Nothing may be reserved.
func (b *budget) renew() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps, b.warned = 0, map[string]bool{}
	b.tokens, b.money = account{max: b.tokens.max}, account{max: b.money.max}
}

// Reserve implements [agent.Budget].
func (b *budget) Reserve(n agent.Need) ([]event.LimitWarned, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	tokens, money := float64(n.Tokens()), amount(n.Cost)
	if n.Agent == event.Leader && !n.WrapUp { // its wrap-up will cost about as much
		b.tokens.kept, b.money.kept = tokens, money
	}
	if reached := b.refuses(n, tokens, money); reached != nil {
		// A last word has no step of its own, and only the leader's is paid for.
		paid := reached.Limit == limitSteps || n.Agent == event.Leader
		return nil, &agent.LimitError{LimitReached: *reached, NoWrapUp: !paid}
	}
	b.steps++
	b.tokens.reserved += tokens
	b.money.reserved += money
	return b.near(n.Agent), nil
}

// refuses names the limit that does not allow a call.
func (b *budget) refuses(n agent.Need, tokens, money float64) *event.LimitReached {
	last := n.WrapUp && n.Agent == event.Leader
	switch {
	case b.maxSteps > 0 && b.steps >= b.maxSteps && !n.WrapUp:
		return &event.LimitReached{Limit: limitSteps, Used: float64(b.steps), Max: float64(b.maxSteps)}
	case !b.tokens.fits(tokens, last):
		return &event.LimitReached{Limit: limitTokens, Used: b.tokens.used, Max: b.tokens.max}
	case !b.money.fits(money, last):
		return &event.LimitReached{Limit: limitMoney, Used: b.money.used, Max: b.money.max}
	case b.deadline > 0 && b.elapsed() >= b.deadline && !last:
		return &event.LimitReached{Limit: limitDeadline, Used: b.elapsed().Seconds(), Max: b.deadline.Seconds()}
	}
	return nil
}

func (b *budget) elapsed() time.Duration { return b.now().Sub(b.started) }

// near lists the limits of which 80 % are used, each once for each agent.
func (b *budget) near(who string) []event.LimitWarned {
	var list []event.LimitWarned
	for _, w := range []event.LimitWarned{
		{Limit: limitSteps, Used: float64(b.steps), Max: float64(b.maxSteps)},
		{Limit: limitTokens, Used: b.tokens.used + b.tokens.reserved, Max: b.tokens.max},
		{Limit: limitMoney, Used: b.money.used + b.money.reserved, Max: b.money.max},
		{Limit: limitDeadline, Used: b.elapsed().Seconds(), Max: b.deadline.Seconds()},
	} {
		const nearly = 0.8
		if w.Max <= 0 || w.Used < nearly*w.Max {
			continue
		}
		if key := who + " " + w.Limit; !b.warned[key] {
			b.warned[key] = true
			list = append(list, w)
		}
	}
	return list
}

// Settle implements [agent.Budget]; steps are not given back.
func (b *budget) Settle(n agent.Need, used event.Usage, cost *event.Cost) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens.reserved -= float64(n.Tokens())
	b.money.reserved -= amount(n.Cost)
	b.spend(used, cost)
}

// apply folds a record of a log: what was spent, and whom a limit was told.
// Nothing is reserved by it, since no call of a log is under way.
func (b *budget) apply(rec event.Record) {
	if d, ok := rec.Data.(event.RunResumed); ok && d.Task != "" {
		b.renew()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch d := rec.Data.(type) {
	case event.ModelRequested:
		b.steps++
		if rec.Agent == event.Leader && !d.WrapUp {
			b.tokens.kept, b.money.kept = float64(d.Reserved), amount(d.ReservedCost)
		}
	case event.ModelReplied:
		b.spend(d.Usage, d.Cost)
	case event.ModelFailed:
		b.spend(d.Usage, d.Cost)
	case event.LimitWarned:
		b.warned[rec.Agent+" "+d.Limit] = true
	default: // costs nothing
	}
}

// spend books what a call used; the caller holds b.mu.
func (b *budget) spend(used event.Usage, cost *event.Cost) {
	b.tokens.used += float64(used.Total())
	b.money.used += amount(cost)
}

func amount(c *event.Cost) float64 {
	if c == nil {
		return 0
	}
	return c.Amount
}
