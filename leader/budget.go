package leader

import (
	"sync"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
)

// budget gives leave for model calls of the whole run.
type budget struct {
	maxSteps int // 0: no bound

	mu     sync.Mutex // guards all below
	steps  int
	warned bool
}

const limitSteps = "steps"

// Reserve implements [agent.Budget]. The wrap-up calls stand outside the
// limit: there is at most one for each turn.
func (b *budget) Reserve(_ string, _ int, wrapUp bool) ([]event.LimitWarned, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.maxSteps > 0 && b.steps >= b.maxSteps && !wrapUp {
		return nil, &agent.LimitError{LimitReached: event.LimitReached{
			Limit: limitSteps, Used: float64(b.steps), Max: float64(b.maxSteps),
		}}
	}
	b.steps++
	if b.maxSteps >= 5 && !b.warned && b.steps > b.maxSteps*4/5 {
		b.warned = true
		return []event.LimitWarned{{Limit: limitSteps, Used: float64(b.steps), Max: float64(b.maxSteps)}}, nil
	}
	return nil, nil
}

// Settle implements [agent.Budget]; steps are not given back.
func (b *budget) Settle(string, int, event.Usage) {}
