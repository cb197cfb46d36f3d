package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/tools"
)

// ErrNoCall says that no call of this id waits for what the person's client makes
// of it: there never was one, it has its result, or the client took too long. The
// text lists those that wait.
var ErrNoCall = errors.New("leader: no such call waits for its result")

// errand is a tool call that the person's client executes.
type errand struct {
	callKey
	turn     int
	returned *event.ToolReturned
	done     chan struct{} // closed with returned
}

// errands are the calls that were handed to the person's client. They change by
// records only, live and when a log is read again.
type errands struct {
	log event.Appender

	// mu guards all below. Records are appended under it, so that a call is handed
	// over once and returns once.
	mu   sync.Mutex
	open []*errand // oldest first; those without a result of their tool
}

func newErrands(log event.Appender) *errands { return &errands{log: log} }

// Apply changes the errands as a record of the log says; all other records change
// nothing.
func (e *errands) Apply(rec event.Record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.apply(rec)
}

// apply is how records change the errands. The caller holds e.mu.
func (e *errands) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.ToolHanded:
		if key := (callKey{rec.Agent, d.CallID}); e.of(key) == nil {
			e.open = append(e.open, &errand{callKey: key, turn: rec.Turn, done: make(chan struct{})})
		}
	case event.ToolReturned:
		if x := e.of(callKey{rec.Agent, d.CallID}); x != nil && x.returned == nil {
			x.returned = &d
			close(x.done)
		}
	case event.ToolFinished:
		key := callKey{rec.Agent, d.CallID}
		e.open = slices.DeleteFunc(e.open, func(x *errand) bool { return x.callKey == key })
	default: // about none
	}
}

// of is the errand of a call, nil if there is none. The caller holds e.mu.
func (e *errands) of(key callKey) *errand {
	for _, x := range e.open {
		if x.callKey == key {
			return x
		}
	}
	return nil
}

// hand hands a call to the client, unless that was done before the program ended.
func (e *errands) hand(call tools.Call, tool string, timeout time.Duration) (*errand, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := callKey{call.Agent, call.ID}
	if x := e.of(key); x != nil {
		return x, nil
	}
	rec, err := e.log.Append(call.Agent, call.Turn, event.ToolHanded{
		CallID: call.ID, Name: tool, Arguments: string(call.Arguments), TimeoutMS: timeout.Milliseconds(),
	})
	if err != nil {
		return nil, err
	}
	e.apply(rec)
	return e.of(key), nil
}

// settle records what came of a call.
func (e *errands) settle(agent string, d event.ToolReturned) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	x, err := e.waiting(agent, d.CallID)
	if err != nil {
		return err
	}
	rec, err := e.log.Append(agent, x.turn, d)
	if err != nil {
		return err
	}
	e.apply(rec)
	return nil
}

// check fails when a call does not wait for its result.
func (e *errands) check(agent, call string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, err := e.waiting(agent, call)
	return err
}

// waiting finds a call that waits for its result. The caller holds e.mu.
func (e *errands) waiting(agent, call string) (*errand, error) {
	x := e.of(callKey{agent, call})
	if x == nil || x.returned != nil {
		return nil, fmt.Errorf("%w: %s/%s; %s", ErrNoCall, agent, call, e.openText())
	}
	return x, nil
}

// openText lists what is open. The caller holds e.mu.
func (e *errands) openText() string {
	var ids []string
	for _, x := range e.open {
		if x.returned == nil {
			ids = append(ids, x.agent+"/"+x.call)
		}
	}
	if len(ids) == 0 {
		return "none is open"
	}
	return "open are " + strings.Join(ids, ", ")
}

// wait waits for what comes of a call, until ctx ends or the time is over: then
// nothing comes any more, and the text says so to the model. When the run is
// interrupted the call stays open, and the error says so.
func (e *errands) wait(ctx context.Context, x *errand, timeout time.Duration, late string) (event.ToolReturned, error) {
	var over <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		over = timer.C
	}
	none := event.ToolReturned{CallID: x.call, IsError: true, By: event.Runtime, Result: late}
	select {
	case <-x.done:
		return *x.returned, nil
	case <-over:
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if errors.Is(cause, mailbox.ErrInterrupted) {
			return none, cause
		}
		none.Result = cause.Error()
	}
	if err := e.settle(x.agent, none); err != nil && !errors.Is(err, ErrNoCall) {
		return none, err
	}
	return *x.returned, nil
}
