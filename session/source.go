package session

import (
	"context"
	"errors"
	"iter"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// Records yields the records of a session's log that there are; see
// gateway.Sessions.
func (m *Manager) Records(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		n, err := nameOf(session)
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		e := m.enter(n)
		defer m.leave(e)
		if run, _, _ := e.look(); run != nil {
			run.Records(after)(yield)
			return
		}
		m.read(ctx, n, after)(yield)
	}
}

// Follow yields the records of a session's log, then those that come, over all
// turns; see gateway.Sessions.
func (m *Manager) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		n, err := nameOf(session)
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		e := m.enter(n)
		defer m.leave(e)
		closed := false
		for at := max(after, 0); ; {
			run, last, changed := e.look()
			if run != nil || last == 0 || at < last {
				for rec, err := range m.onwards(ctx, e, run, at) {
					if !yield(rec, err) || err != nil {
						return
					}
					at = max(at, rec.Seq)
				}
			}
			if closed {
				yield(event.Record{}, errClosed)
				return
			}
			select {
			case <-changed:
			case <-m.closed: // and look once more
				closed = true
			case <-ctx.Done():
				yield(event.Record{}, context.Cause(ctx))
				return
			}
		}
	}
}

// onwards yields the records after a seq: those of the run to its end, or those
// in the file when there is none.
func (m *Manager) onwards(ctx context.Context, e *entry, run *leader.Run, at int64) iter.Seq2[event.Record, error] {
	if run != nil {
		return run.Follow(ctx, at)
	}
	return m.read(ctx, e.name, at)
}

// read yields the records after a seq of the log of a session at rest.
func (m *Manager) read(ctx context.Context, n name, after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		_, err := m.settings(n)
		if errors.Is(err, errEmpty) {
			return
		}
		if err != nil {
			yield(event.Record{}, err)
			return
		}
		for rec, err := range transcript.ReadFile(ctx, m.path(n), transcript.ReadOptions{After: after}) {
			if err != nil && ctx.Err() == nil {
				err = refusal(err)
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
