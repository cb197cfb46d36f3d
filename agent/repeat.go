package agent

import "github.com/troupe-go/troupe/event"

// The number of identical calls in a turn, with identical results, after
// which the model is told, and after which the turn is ended.
const (
	repeatHint = 3
	repeatStop = 6
)

// limitRepeated names the limit on identical calls.
const limitRepeated = "repeated_call"

// repeats counts identical calls of one turn.
type repeats map[string]*repeated

type repeated struct {
	result string
	n      int
}

// count notes a call and its result, and returns how often the two were seen
// together without another result in between.
func (r repeats) count(c event.Call, result string) int {
	key := c.Name + "\x00" + c.Arguments
	seen := r[key]
	if seen == nil || seen.result != result {
		seen = &repeated{result: result}
		r[key] = seen
	}
	seen.n++
	return seen.n
}

// checkRepeats looks for a model that runs in a circle. Calls that wait for
// others may repeat.
func (a *Agent) checkRepeats(calls []event.Call, results []result, t *turnState) error {
	for i, c := range calls {
		if spec, ok := a.spec(c.Name); ok && spec.Waits {
			continue
		}
		n := t.repeats.count(c, results[i].text)
		if n == repeatHint {
			if err := a.say(a.cfg.Words.RepeatedCall(c.Name, n)); err != nil {
				return err
			}
		}
		if n == repeatStop && t.wrapUp == "" {
			return a.beginWrapUp(t, event.LimitReached{Limit: limitRepeated, Used: repeatStop, Max: repeatStop})
		}
	}
	return nil
}
