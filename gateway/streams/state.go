package streams

import "github.com/troupe-go/troupe/internal/machine"

// State is where an execution stands, in the words of the source page: for a
// display and an API. On the wire stands a [Status].
type State string

// The states.
const (
	StateQueued     State = "QUEUED"
	StateProcessing State = "PROCESSING"
	StateSuspended  State = "SUSPENDED" // it waits for the user, an agent or a group
	StateResumed    State = "RESUMED"   // the moment between waiting and processing
	StateCancelling State = "CANCELLING"
	StateCancelled  State = "CANCELLED"
	StateCompleted  State = "COMPLETED"
	StateFailed     State = "FAILED"
)

// move is a change of state.
type move string

const (
	moveTake     move = "take"     // a worker took the command
	moveSuspend  move = "suspend"  // ask_user, call_agent, or handed back to other workers
	moveResume   move = "resume"   // a RESUME came
	moveContinue move = "continue" // a worker goes on
	moveCancel   move = "cancel"   // a CANCEL_TASK came
	moveEnd      move = "end"      // the cancelled run has ended
	moveComplete move = "complete"
	moveFail     move = "fail"
)

// states is the diagram of the source page, and what happens beside it: a task
// that waits is cancelled, a route is refused, and a run ends well although
// somebody had cancelled it.
var states = machine.New(StateQueued, map[move]machine.Move[State]{
	moveTake:     {To: StateProcessing, From: []State{StateQueued}},
	moveSuspend:  {To: StateSuspended, From: []State{StateProcessing}},
	moveResume:   {To: StateResumed, From: []State{StateSuspended}},
	moveContinue: {To: StateProcessing, From: []State{StateResumed}},
	moveCancel:   {To: StateCancelling, From: []State{StateQueued, StateProcessing, StateSuspended}},
	moveEnd:      {To: StateCancelled, From: []State{StateCancelling}},
	moveComplete: {To: StateCompleted, From: []State{StateProcessing, StateCancelling}},
	moveFail:     {To: StateFailed, From: []State{StateQueued, StateProcessing}},
})

// State maps the status of the record. A task is suspended and not queued
// again when a worker has had it. A word of business code, which may stand for
// anything, counts as processing.
func (r Record) State() State {
	switch r.Status {
	case Queued:
		if r.StartedAt == 0 && !r.wasTaken() {
			return StateQueued
		}
		return StateSuspended
	case WaitingForGroup, GroupQueued, WaitingUser, WaitingAgent:
		return StateSuspended
	case Cancelling:
		return StateCancelling
	case Cancelled:
		return StateCancelled
	case Completed:
		return StateCompleted
	case Failed:
		return StateFailed
	case Running:
		return StateProcessing
	default:
		return StateProcessing
	}
}

// wasTaken reports whether a worker has worked on the task.
func (r Record) wasTaken() bool {
	for _, s := range r.Timeline {
		if s.Status == Running {
			return true
		}
	}
	return false
}

// path is the states that a record goes through on its way to one of its
// states, nil when it cannot.
func path(from, to State) []State {
	switch {
	case states.Leads(from, to):
		return []State{to}
	case states.Leads(from, StateResumed) && states.Leads(StateResumed, to):
		return []State{StateResumed, to}
	default:
		return nil
	}
}
