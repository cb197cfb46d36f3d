package model

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/event"
)

// noticeAfter is the longest wait for an endpoint that nobody is told of.
const noticeAfter = time.Second

// errStopped is the end of a wait whose consumer wants no more.
var errStopped = errors.New("model: the consumer stopped")

// turn is one call that waits until its endpoint may be asked.
type turn struct {
	limiter *Limiter
	tokens  int // of the request, estimated
	yield   func(Chunk, error) bool
}

// enter waits until the call may go out. leave must be called when the call
// has ended, also after an error.
func (t *turn) enter(ctx context.Context) (leave func(), err error) {
	leave = func() {}
	if gate := t.limiter.places(); gate != nil {
		entered, err := t.through(ctx, gate)
		if entered {
			leave = gate.leave
		}
		if err != nil {
			return leave, err
		}
	}
	return leave, t.admitted(ctx)
}

// through waits for a place among the calls that may run at once.
func (t *turn) through(ctx context.Context, gate *Gate) (entered bool, err error) {
	patience := time.NewTimer(noticeAfter)
	defer patience.Stop()
	entered, err = gate.enter(ctx, patience.C)
	if entered || err != nil {
		return entered, err
	}
	if err := t.tell("waits for %s, which takes %d calls at once", t.limiter.options.Name, cap(gate.slots)); err != nil {
		return false, err
	}
	return gate.enter(ctx, nil)
}

// admitted waits for the end of a pause and for the rate, until neither is in
// the way.
func (t *turn) admitted(ctx context.Context) error {
	for left := t.limiter.options.WaitCap; ; {
		waited, err := t.outlast(ctx, left)
		if err != nil {
			return err
		}
		left -= waited
		wait, undo := t.limiter.reserve(t.tokens)
		err = t.sleep(ctx, wait, "to keep its rate")
		paused, _ := t.limiter.paused()
		if err == nil && paused <= 0 {
			return nil
		}
		undo()
		if err != nil {
			return err
		}
	}
}

// outlast waits until the pause that the provider asked for is over, at most
// as long as is left. Those who wait together go on at different times.
func (t *turn) outlast(ctx context.Context, left time.Duration) (waited time.Duration, err error) {
	wait, why := t.limiter.paused()
	if wait <= 0 {
		return 0, nil
	}
	if wait > left {
		late := *why
		late.RetryAfter = wait
		return 0, tooLate(&late, t.limiter.options.WaitCap)
	}
	spread := time.Duration(t.limiter.options.Rand() * float64(min(wait/4, maxSpread)))
	return wait, t.sleep(ctx, wait+spread, "because the provider asks for it: "+why.Message)
}

// sleep waits, and says so if it takes long.
func (t *turn) sleep(ctx context.Context, wait time.Duration, why string) error {
	if wait > noticeAfter {
		if err := t.tell("waits %s for %s %s", wait.Round(time.Second/10), t.limiter.options.Name, why); err != nil {
			return err
		}
	}
	return sleep(ctx, wait)
}

// tell yields a warning; the error is errStopped.
func (t *turn) tell(format string, args ...any) error {
	if t.yield(Chunk{Notice: event.Warning{Code: "endpoint_wait", Text: fmt.Sprintf(format, args...)}}, nil) {
		return nil
	}
	return errStopped
}
