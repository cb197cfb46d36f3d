package session

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// Recover goes on with the sessions in whose work the last process that had them
// ended: by a crash, or because it was stopped. Those that wait for their user,
// or that the user stopped, stay at rest. It returns how many work again; the
// error names those that do not, for example because too many would. It is called
// once, while [Manager.Run] runs.
func (m *Manager) Recover(ctx context.Context) (int, error) {
	runs, err := transcript.Runs(m.opts.Dir)
	if err != nil {
		return 0, refusal(err)
	}
	recovered := 0
	var errs []error
	for _, run := range runs {
		n, ok := m.broken(run)
		if !ok {
			continue
		}
		if err := m.goOn(ctx, n); err != nil {
			errs = append(errs, err)
			continue
		}
		recovered++
	}
	return recovered, errors.Join(errs...)
}

// broken tells whether a run is a session in whose work a process ended.
func (m *Manager) broken(run transcript.Run) (n name, ok bool) {
	if run.Status != transcript.StatusInterrupted && run.Status != transcript.StatusSuspended {
		return n, false
	}
	var header event.RunStarted
	var end event.RunSuspended
	for rec, err := range transcript.RunRecords(run.Path) {
		if err != nil {
			return n, false
		}
		switch d := rec.Data.(type) {
		case event.RunStarted:
			header = d
		case event.RunSuspended:
			end = d
		default:
		}
	}
	n, _, ok = readMeta(header.Meta)
	ok = ok && filepath.Base(run.Dir) == n.folder() // and no copy
	return n, ok && (run.Status == transcript.StatusInterrupted || end.By == stopped)
}

// cutOff tells whether a process ended in the work of a session.
func (m *Manager) cutOff(n name) bool {
	run, err := transcript.Find(m.opts.Dir, m.path(n))
	if err != nil {
		return false
	}
	_, broken := m.broken(run)
	return broken
}

// goOn resumes a session at rest.
func (m *Manager) goOn(ctx context.Context, n name) error {
	return m.with(ctx, n.handle(), func(e *entry, run *leader.Run) error {
		if run != nil {
			return nil
		}
		return m.begin(ctx, e, prompt{})
	})
}
