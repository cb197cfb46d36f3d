package agent

import (
	"fmt"

	"github.com/looplab/fsm"

	"github.com/troupe-go/troupe/event"
)

// Diagram draws a fresh machine.
func Diagram() string {
	text, err := fsm.VisualizeForMermaidWithGraphType(newMachine().fsm, fsm.StateDiagram)
	if err != nil {
		return err.Error()
	}
	return text
}

// Moves lists every move, CanMove tells whether it can be made from a state.
func Moves() []string {
	return []string{
		string(moveWake), string(moveBlock), string(moveUnblock), string(moveRest),
		string(moveFail), string(moveStop), string(moveTerminate),
	}
}

// CanMove reports whether m can be made from s.
func CanMove(s event.State, m string) bool {
	x := newMachine()
	x.set(s)
	return x.can(move(m))
}

// Snapshot shows the conversation of a, but for the system prompt, which is
// written out only in a turn, and all that is known of it. The agent must not
// run, or be in the middle of an append of its own.
func (a *Agent) Snapshot() string {
	h := &a.history
	return fmt.Sprintf("%+v\n%s %d %d %d %v\n%v %+v\n%v\n%+v", h.messages[1:], h.digest("", 0, &Offer{}), h.tokens, h.thoughts, h.base, h.fault,
		h.past, h.checker, a.read, a.gauge)
}
