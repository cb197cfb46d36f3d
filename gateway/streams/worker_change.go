package streams

import (
	"context"
	"time"
)

// Change is a move of a task from one state to another.
type Change struct {
	At        time.Time `json:"at"`
	AgentType string    `json:"agent_type"`
	SessionID string    `json:"session_id"`
	MessageID string    `json:"message_id"`
	From      State     `json:"from"`
	To        State     `json:"to"`
	// Took is how long the task has been known, 0 unless it has ended.
	Took time.Duration `json:"took_ns,omitempty"`
	// Why is the error of a task that failed, or the reason of a cancel.
	Why string `json:"why,omitempty"`
}

// update changes a record and reports the move, if there was one.
func (w *Worker) update(ctx context.Context, session, message string, change change) (Record, error) {
	var from State
	r, err := w.store.update(ctx, session, message, func(r *Record, fresh bool) ([]Event, error) {
		from = r.State()
		if fresh {
			from = StateQueued
		}
		return change(r, fresh)
	})
	if to := r.State(); err == nil && to != from && w.opts.Report != nil {
		w.opts.Report(r.change(from, to))
	}
	return r, err
}

func (r Record) change(from, to State) Change {
	c := Change{
		At: time.UnixMilli(r.UpdatedAt), AgentType: r.TargetAgentType, SessionID: r.SessionID, MessageID: r.MessageID, From: from, To: to,
	}
	if to == StateFailed {
		c.Why = r.ErrorMessage
	} else if r.CancelRequested {
		c.Why = r.CancelReason
	}
	if r.Status.Terminal() {
		c.Took = time.Duration(r.FinishedAt-r.CreatedAt) * time.Millisecond
	}
	return c
}
