package agent

import (
	"fmt"
	"slices"

	"github.com/looplab/fsm"

	"github.com/troupe-go/troupe/event"
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

// machine is the state machine of one agent. The library's own Event is never
// called: a move is checked, then logged, then set from the record, so that
// log and machine cannot disagree.
//
// A library machine holds the whole table, so there is one for each state,
// shared by all agents that are in it and never moved; an agent changes its
// state by pointing to another.
type machine struct{ fsm *fsm.FSM }

// machines has a library machine for each state.
var machines = everyMachine()

func everyMachine() map[event.State]*fsm.FSM {
	var table fsm.Events
	for m, from := range sources {
		names := make([]string, len(from))
		for i, s := range from {
			names[i] = string(s)
		}
		table = append(table, fsm.EventDesc{Name: string(m), Src: names, Dst: string(target[m])})
	}
	all := map[event.State]*fsm.FSM{event.Created: fsm.NewFSM(string(event.Created), table, nil)}
	for _, s := range target {
		all[s] = fsm.NewFSM(string(s), table, nil)
	}
	return all
}

func newMachine() machine { return machine{machines[event.Created]} }

func (m machine) state() event.State { return event.State(m.fsm.Current()) }

func (m machine) can(mv move) bool { return m.fsm.Can(string(mv)) }

// check returns an error that names the move and the state when it cannot be
// made.
func (m machine) check(mv move) error {
	if !m.can(mv) {
		return fmt.Errorf("agent: no move %s from state %s", mv, m.state())
	}
	return nil
}

// set moves to s; a state that the table does not have changes nothing.
func (m *machine) set(s event.State) {
	if at, ok := machines[s]; ok {
		m.fsm = at
	}
}

// LegalMove reports whether an agent may move from one state to the other.
func LegalMove(from, to event.State) bool {
	for m, target := range target {
		if target == to && slices.Contains(sources[m], from) {
			return true
		}
	}
	return false
}
