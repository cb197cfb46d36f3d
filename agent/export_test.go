package agent

import (
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
