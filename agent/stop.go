package agent

import (
	"errors"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// StopMode says how hard a stop is.
type StopMode int

// The ways to stop an agent, from gentle to final.
const (
	// Pause leaves the turn open after the step that runs, to be resumed; an
	// agent that only waits for others pauses at once. [Agent.Run] returns.
	Pause StopMode = iota + 1
	// Soft lets the step that runs finish; an agent that only waits for
	// others stops at once.
	Soft
	// Now cuts the model call and the tools short.
	Now
	// Terminate is Now, and for good.
	Terminate
)

// Stop is a wish that an agent comes to rest.
type Stop struct {
	Mode   StopMode
	By     string // display name of who wants it
	Reason string // in words; may be empty
	// Limit, if not nil, makes the stop the end of a turn by this limit: what
	// the agent has is its partial result, and it is at rest afterwards, not
	// stopped. Such a stop means nothing to an agent at rest.
	Limit *event.LimitReached
	// WrapUp lets an agent that Limit cuts short say a last word, without
	// tools. One that already says it, because of this limit or another, goes on.
	WrapUp bool

	silenced []string // ids of messages that no longer wake the agent
}

// rank orders wishes: of two the higher one is done. A limit ends the turn and
// nothing else, so it gives way to everybody.
func (s Stop) rank() int {
	if s.Limit != nil {
		return 0
	}
	return int(s.Mode)
}

// stopError is the cause with which a stop ends the context of a turn.
type stopError struct{ Stop }

func (e stopError) Error() string { return e.String() }

// Unwrap lets a pause pass for what it is: what waits stays open.
func (e stopError) Unwrap() error {
	if e.Mode == Pause {
		return mailbox.ErrInterrupted
	}
	return nil
}

// String says who stopped the agent, and why.
func (s Stop) String() string {
	text := "stopped by " + s.By
	if s.Limit != nil {
		text = "cut short by the limit " + s.Limit.Limit
	}
	switch s.Mode {
	case Pause:
		text = "paused by " + s.By
	case Terminate:
		text = "terminated by " + s.By
	case Soft, Now:
	}
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	return text
}

// errInterrupted ends a turn when the run itself is interrupted: the turn
// stays open in the log and can be resumed.
var errInterrupted = errors.New("agent: interrupted")

// modes has the name in the log of each way to stop an agent.
var modes = map[StopMode]string{Soft: event.StopSoft, Now: event.StopNow, Terminate: event.StopTerminate}

// stopOf is the wish that a record tells of.
func stopOf(d event.AgentStopping, silenced []string) Stop {
	s := Stop{Mode: Soft, By: d.By, Reason: d.Reason, silenced: silenced}
	for mode, name := range modes {
		if name == d.Mode {
			s.Mode = mode
		}
	}
	return s
}

// Stop asks the agent to stop; it does not wait for it. Of several wishes the
// hardest counts. Messages that came before no longer wake the agent, those
// that come after do. A wish is logged, so that it outlives the program, but for
// pauses and limits, which a new run of the program finds again.
func (a *Agent) Stop(s Stop) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.machine.state() == event.Finished || s.WrapUp && a.last {
		return
	}
	if s.Limit == nil {
		var err error // before the turn can end, or an old message would begin the next
		if s.silenced, err = a.cfg.Box.Hush(func() error { return a.logStop(&s) }); err != nil {
			a.cancelTurn(err)
			return
		}
	}
	a.wish(s)
	if s.Mode > Soft || a.machine.state() == event.Waiting || a.cfg.Elsewhere {
		a.cancelTurn(stopError{s})
	}
	a.cfg.Box.Ring()
}

// claimLastWord begins the last word of a turn, which no limit cuts short to ask
// for another one. It fails when a limit just did that to the turn.
func (a *Agent) claimLastWord() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil && a.stop.WrapUp {
		return stopError{*a.stop}
	}
	a.last = true
	return nil
}

// logStop logs a wish; the texts are then those of the log. Callers hold a.mu.
func (a *Agent) logStop(s *Stop) error {
	name, ok := modes[s.Mode]
	if !ok {
		return nil
	}
	rec, err := a.cfg.Log.Append(a.cfg.ID, a.turn, event.AgentStopping{Mode: name, By: s.By, Reason: s.Reason})
	if d, ok := rec.Data.(event.AgentStopping); ok && err == nil {
		s.By, s.Reason = d.By, d.Reason
	}
	return err
}

// cancelTurn ends the context of the turn that runs; callers hold a.mu.
func (a *Agent) cancelTurn(cause error) {
	if a.cancel != nil {
		a.cancel(cause)
	}
}

// restop makes up a wish after a turn that a stop ended, when a log that broke
// off has none.
func (a *Agent) restop(r event.Reason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		return
	}
	s := Stop{Mode: Soft, By: event.RuntimeName}
	if r == event.EndTerminated {
		s.Mode = Terminate
	}
	a.stop = &s
}

// wish takes note of a stop. What the lower one of two silenced is not
// forgotten, nor that the agent is to pause. Callers hold a.mu.
func (a *Agent) wish(s Stop) {
	a.pausing = a.pausing || s.Mode == Pause
	if a.stop == nil {
		a.stop = &s
		return
	}
	silenced := slices.Concat(a.stop.silenced, s.silenced)
	if s.rank() > a.stop.rank() {
		a.stop = &s
	}
	a.stop.silenced = silenced
}

// stopAsked is the pending wish; ok is false if there is none.
func (a *Agent) stopAsked() (s Stop, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop == nil {
		return Stop{}, false
	}
	return *a.stop, true
}

// stopBetweenAttempts ends the step of an agent that is to stop when its model
// call has failed and would be tried again: nothing is under way that a gentle
// stop should let finish.
func (a *Agent) stopBetweenAttempts() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil {
		a.cancelTurn(stopError{*a.stop})
	}
}

// takeStop takes the pending wish, nil if there is none, and tells whether the
// agent is to pause after it.
func (a *Agent) takeStop() (s *Stop, pausing bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s = a.stop
	a.stop = nil
	return s, a.pausing
}

// dropLimit takes the pending wish if it is only that of a limit, which has
// done what it can.
func (a *Agent) dropLimit() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stop != nil && a.stop.Limit != nil {
		a.stop = nil
	}
}

// settleStop moves an agent without a running turn to where s wants it, and
// ends the questions that nobody will answer now.
func (a *Agent) settleStop(s Stop) error {
	if s.Limit != nil {
		return nil
	}
	switch s.Mode {
	case Pause:
		return nil // rest leaves
	case Terminate:
		if err := a.moveTo(moveTerminate, s.String()); err != nil {
			return err
		}
		if err := a.cfg.Post.Close(a.cfg.ID, s.String()); err != nil {
			return err
		}
		a.cfg.Desk.Ended(a.cfg.ID, event.Terminated, "", s.String())
		return ErrTerminated
	case Soft, Now:
	}
	for _, id := range s.silenced {
		if _, _, ok := a.cfg.Desk.Lookup(id); !ok {
			continue // no question
		}
		_, err := a.cfg.Desk.Close(id, event.Cancelled, "", s.String(), a.turn)
		if err != nil && !errors.Is(err, mailbox.ErrClosedQuestion) {
			return err
		}
	}
	if a.State() == event.Stopped {
		return nil
	}
	return a.moveTo(moveStop, s.String())
}
