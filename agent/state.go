package agent

import (
	"fmt"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/machine"
)

// move is a change of state that an agent can make.
type move string

const (
	moveWake      move = "wake"      // a message begins a turn
	moveBlock     move = "block"     // every open call of the step waits for others
	moveUnblock   move = "unblock"   // one of them goes on
	moveRest      move = "rest"      // the turn ended
	moveFail      move = "fail"      // the turn failed
	moveStop      move = "stop"      // somebody stopped the agent
	moveTerminate move = "terminate" // somebody terminated it, for good
)

// target is the state that a move leads to.
var target = map[move]event.State{
	moveWake:      event.Working,
	moveBlock:     event.Waiting,
	moveUnblock:   event.Working,
	moveRest:      event.Idle,
	moveFail:      event.Failing,
	moveStop:      event.Stopped,
	moveTerminate: event.Finished,
}

// sources lists the states from which a move can be made.
var sources = map[move][]event.State{
	moveWake:      {event.Created, event.Idle, event.Stopped, event.Failing},
	moveBlock:     {event.Working},
	moveUnblock:   {event.Waiting},
	moveRest:      {event.Working},
	moveFail:      {event.Working, event.Waiting},
	moveStop:      {event.Created, event.Working, event.Waiting, event.Idle, event.Failing},
	moveTerminate: {event.Created, event.Working, event.Waiting, event.Idle, event.Failing, event.Stopped},
}

// table is the state machine of all agents.
var table = machineTable()

func machineTable() *machine.Table[event.State, move] {
	moves := make(map[move]machine.Move[event.State], len(target))
	for m, to := range target {
		moves[m] = machine.Move[event.State]{To: to, From: sources[m]}
	}
	return machine.New(event.Created, moves)
}

// stateMachine is the state of one agent. A move is checked, then logged, then
// set from the record, so that log and machine cannot disagree.
type stateMachine struct{ now event.State }

func newMachine() stateMachine { return stateMachine{event.Created} }

func (m stateMachine) state() event.State { return m.now }

func (m stateMachine) can(mv move) bool { return table.Can(m.now, mv) }

// check returns an error that names the move and the state when it cannot be
// made.
func (m stateMachine) check(mv move) error {
	if !m.can(mv) {
		return fmt.Errorf("agent: no move %s from state %s", mv, m.state())
	}
	return nil
}

// set moves to s; a state that the table does not have changes nothing.
func (m *stateMachine) set(s event.State) {
	if table.Knows(s) {
		m.now = s
	}
}

// LegalMove reports whether an agent may move from one state to the other.
func LegalMove(from, to event.State) bool { return table.Leads(from, to) }
