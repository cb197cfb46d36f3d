package agent

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/event"
)

// Need is what one model call may cost at the most, as estimated before it.
type Need struct {
	// Agent is who wants to call.
	Agent string
	// Input and Output are tokens.
	Input, Output int
	// Cost is the price of these tokens; nil when unknown.
	Cost *event.Cost
	// WrapUp marks the last call of a turn that a limit ended.
	WrapUp bool
}

// Tokens is what the call counts against a limit on tokens.
func (n Need) Tokens() int { return n.Input + n.Output }

// Budget is asked before and told after each model call. Implementations are
// safe for concurrent use.
type Budget interface {
	// Reserve asks for leave for one model call. A [*LimitError] means that
	// the call must not be made and that nothing was reserved. near lists the
	// limits of which 80 % are used; each is told once to each agent.
	Reserve(n Need) (near []event.LimitWarned, err error)
	// Settle gives back what n reserved and books what was used.
	Settle(n Need, used event.Usage, cost *event.Cost)
}

// LimitError says that a limit does not allow a model call.
type LimitError struct {
	event.LimitReached
	// NoWrapUp says that not even a last call without tools is allowed.
	NoWrapUp bool
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("agent: limit %s reached: %v of %v", e.Limit, e.Used, e.Max)
}

// defaultOutput is reserved for a reply when nothing bounds it, in tokens.
const defaultOutput = 4096

// need estimates the next call.
func (a *Agent) need() Need {
	if a.cfg.Elsewhere {
		return Need{Agent: a.cfg.ID}
	}
	wrapUp := a.t.wrapUp != ""
	return a.cost(Need{Agent: a.cfg.ID, Input: a.promptTokens(wrapUp), WrapUp: wrapUp})
}

// promptTokens estimates the prompt of the next step; a wrap-up has no tools.
func (a *Agent) promptTokens(wrapUp bool) int {
	if wrapUp {
		return a.history.tokens
	}
	return a.history.tokens + a.cfg.Offer.tokens
}

// cost adds to the tokens of a prompt those of a reply, and the price of both.
func (a *Agent) cost(n Need) Need {
	n.Output = a.outputBound()
	n.Cost = a.price("", event.Usage{Input: n.Input, Output: n.Output})
	return n
}

// outputBound is what is reserved for a reply, in tokens.
func (a *Agent) outputBound() int { return cmp.Or(max(0, a.cfg.MaxOutputTokens), defaultOutput) }

// price is what a call of the model costs; see [Config.Price].
func (a *Agent) price(name string, u event.Usage) *event.Cost {
	if a.cfg.Price == nil {
		return nil
	}
	return a.cfg.Price(name, u)
}

// reserve asks the budget for leave. A limit begins the wrap-up, whose
// message enters the conversation at once.
func (a *Agent) reserve() (Need, error) {
	n := a.need()
	near, err := a.cfg.Budget.Reserve(n)
	if limit, reached := errors.AsType[*LimitError](err); reached {
		if a.t.wrapUp != "" || limit.NoWrapUp {
			return n, errors.Join(err, a.reached(limit.LimitReached))
		}
		if err := a.beginWrapUp(limit.LimitReached); err != nil {
			return n, err
		}
		if err := a.drain(); err != nil {
			return n, err
		}
		n = a.need()
		near, err = a.cfg.Budget.Reserve(n)
	}
	if err != nil {
		return n, err
	}
	for _, w := range near {
		if err := a.warnLimit(w); err != nil {
			return n, err
		}
	}
	return n, a.drain()
}

// reached logs a limit, once a turn.
func (a *Agent) reached(limit event.LimitReached) error {
	if a.t.wrapUp != "" {
		return nil
	}
	return a.append(limit)
}

// SettleBroken books the model call that was under way when the program ended,
// at what was reserved for it: nobody knows what it cost. Scripts, and agents
// that work elsewhere, have no tokens. Call it after the log
// was applied, before [Agent.Run].
func (a *Agent) SettleBroken() error {
	asked := a.t.asked
	if asked == nil {
		return nil
	}
	var used event.Usage
	if !a.cfg.Scripted && !a.cfg.Elsewhere {
		output := min(asked.Reserved, a.outputBound())
		used = event.Usage{Input: asked.Reserved - output, Output: output, Estimated: true}
	}
	a.cfg.Budget.Settle(Need{Agent: a.cfg.ID}, used, asked.ReservedCost)
	return a.append(event.ModelFailed{
		Step: asked.Step, Purpose: asked.Purpose, Usage: used, Cost: asked.ReservedCost, Failure: event.Failure{
			Code: event.CodeInterrupted, Who: "client", Retryable: true,
			Message: "the program ended during this call; it is booked at what was reserved for it",
		},
	})
}
