package session

import (
	"context"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// watch shows the records of a run to [Options.Watch], from where it began or went
// on in this process, with what was decided just before.
func (m *Manager) watch(ctx context.Context, n name, run *leader.Run) {
	trace, after, ended := "", int64(0), int64(0)
	for rec, err := range run.Records(0) {
		if err != nil {
			break // who follows is told
		}
		switch d := rec.Data.(type) {
		case event.RunStarted:
			trace = d.TraceID
		case event.RunSuspended, event.RunFinished, event.RunFailed:
			ended = rec.Seq
		case event.RunResumed:
			if after = rec.Seq - 1; ended > 0 {
				after = ended
			}
			ended = 0
		default:
		}
	}
	for rec, err := range run.Follow(ctx, after) {
		if err != nil {
			m.opts.Logger.Error().Err(err).Str("session", run.ID()).Msg("a session cannot be watched")
			return
		}
		if rec.Seq > 0 {
			m.opts.Watch(n.user, n.handle(), trace, rec)
		}
	}
}
