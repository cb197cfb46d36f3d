package model

import (
	"context"
	"fmt"
	"time"
)

// DefaultStall is how long a reply may make no progress.
const DefaultStall = 120 * time.Second

// stall ends a call whose reply makes no progress: no piece of text, reasoning
// or a call for a while. Comments and empty pieces are none; package repair,
// which reads the reply, knows them. The call then fails with class stalled. A
// nil stall never ends a call.
type stall struct {
	after, grace time.Duration
	last         time.Time // of the last progress that was noted
	timer        *time.Timer
	cancel       context.CancelCauseFunc
}

// watchStall returns a context that ends when a call made no progress for so
// long; the time for the first piece begins now. end must be called on it.
func watchStall(ctx context.Context, after time.Duration) (context.Context, *stall) {
	if after <= 0 {
		return ctx, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stall{after: after, grace: min(after/16, time.Second), last: time.Now(), cancel: cancel}
	s.timer = time.AfterFunc(s.after+s.grace, func() {
		cancel(NewError(ClassStalled, fmt.Sprintf("nothing of a reply came for %s", after)))
	})
	return ctx, s
}

// progress gives the reply more time. To keep that cheap, it is not noted within
// grace of the last time.
func (s *stall) progress() {
	if s == nil {
		return
	}
	now := time.Now()
	if now.Sub(s.last) >= s.grace && s.timer.Stop() {
		s.timer.Reset(s.after + s.grace)
		s.last = now
	}
}

// end ends the watch.
func (s *stall) end() {
	if s != nil {
		s.timer.Stop()
		s.cancel(nil)
	}
}
