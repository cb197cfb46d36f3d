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

// repeats counts identical calls of one turn. The zero value is ready.
type repeats map[string]*repeated

type repeated struct {
	result string
	n      int
}

// count notes a call and its result, and returns how often the two were seen
// together without another result in between.
func (r *repeats) count(c event.Call, result string) int {
	key := c.Name + "\x00" + c.Arguments
	seen := (*r)[key]
	if seen == nil || seen.result != result {
		seen = &repeated{result: result}
		if *r == nil {
			*r = repeats{}
		}
		(*r)[key] = seen
	}
	seen.n++
	return seen.n
}
