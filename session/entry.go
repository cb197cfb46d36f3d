package session

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/leader"
)

// entry is a session that works or that somebody uses now.
type entry struct {
	name
	users int           // guarded by the Manager
	door  chan struct{} // one slot, taken while a run is begun or its log is written

	mu   sync.Mutex // guards all below
	run  *leader.Run
	cut  context.CancelCauseFunc // ends run at once
	last int64                   // seq at which the log ended when run did; 0: look
	news chan struct{}           // closed when run changes or the log grows without one; nil while nobody waits
}

// lock lets one at a time begin a run.
func (e *entry) lock(ctx context.Context) error {
	select {
	case e.door <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (e *entry) unlock() { <-e.door }

// look returns the run under way, nil if there is none, where the log ended if
// that is known, and what is closed when either changes.
func (e *entry) look() (run *leader.Run, last int64, news <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.news == nil {
		e.news = make(chan struct{})
	}
	return e.run, e.last, e.news
}

// began takes in a run.
func (e *entry) began(run *leader.Run, cut context.CancelCauseFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run, e.cut, e.last = run, cut, 0
	e.tell()
}

// ended lets go of the run, which has ended.
func (e *entry) ended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = e.run.Last()
	e.run, e.cut = nil, nil
	e.tell()
}

// written tells that the log grew without a run.
func (e *entry) written() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = 0
	e.tell()
}

// tell wakes all who wait; the caller holds e.mu.
func (e *entry) tell() {
	if e.news != nil {
		close(e.news)
		e.news = nil
	}
}

// canceller ends the run under way at once.
func (e *entry) canceller() context.CancelCauseFunc {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cut == nil {
		return func(error) {}
	}
	return e.cut
}
