package streams

import (
	"context"
	"errors"
	"fmt"
)

// cancelTask does what a Cancel says: the run here is told, a task that waits
// here ends, and so do all tasks below it.
func (w *Worker) cancelTask(life context.Context, cmd Command) error {
	body, ok := cmd.Body.(*Cancel)
	if !ok {
		return nil
	}
	session, message := cmd.Header.SessionID, body.TargetMessageID
	run := w.target(session, body)
	if run != nil {
		message = run.message
	}
	c := cancelling{reason: body.Reason, by: w.opts.ID, mode: body.Mode}
	var rec Record
	var open bool
	err := persist(life, func() (err error) {
		rec, open, err = w.store.markCancelled(life, Record{SessionID: session, MessageID: message}, c)
		return err
	})
	if errors.Is(err, ErrNoRecord) {
		return nil // there is nothing to end
	}
	if err != nil {
		return err
	}
	if run != nil {
		run.cancel(ErrCancelled)
	}
	if err := w.cancelBelow(life, rec, c); err != nil {
		return err
	}
	if !open || rec.WorkerID != w.opts.ID || w.runsTask(rec.ExecutionID) || rec.Troupe != nil && rec.Troupe.Work != nil {
		return nil
	}
	return w.endCancelled(life, session, message, Command{})
}

// target is the run in this process that a Cancel means, nil for none. The
// execution counts first, when it is given.
func (w *Worker) target(session string, body *Cancel) *running {
	w.mu.Lock()
	defer w.mu.Unlock()
	for execution, r := range w.runs {
		if execution == body.TargetExecutionID || body.TargetExecutionID == "" && r.session == session && r.message == body.TargetMessageID {
			return r
		}
	}
	return nil
}

// cancelBelow cancels the tasks that a task has given to others, as far as
// nobody has done so.
func (w *Worker) cancelBelow(life context.Context, rec Record, c cancelling) error {
	return persist(life, func() error {
		all, err := w.store.records(life, rec.SessionID)
		if err != nil {
			return err
		}
		var below []Record
		for _, r := range tree(all, rec.MessageID) {
			if r.MessageID != rec.MessageID && !r.CancelRequested && !r.Status.Terminal() {
				below = append(below, r)
			}
		}
		_, err = w.store.cancelAll(life, below, c)
		return err
	})
}

// endCancelled ends a task that has no run: the handler is told if it ever had
// the task, then record, end event and reply are written. When the task never
// had a run, ask is the command that would have begun it.
func (w *Worker) endCancelled(life context.Context, session, message string, ask Command) error {
	var rec Record
	err := persist(life, func() (err error) {
		rec, err = w.store.record(life, session, message)
		return err
	})
	if err != nil {
		return err
	}
	if rec.Status.Terminal() {
		return w.replyIfDue(life, rec)
	}
	if rec.wasTaken() {
		t := Task{
			ExecutionID: rec.ExecutionID, MessageID: rec.MessageID, Header: rec.request(), Request: rec.request(), CancelReason: rec.CancelReason,
		}
		if rec.Troupe != nil {
			t.Agent = rec.Troupe.Agent
		}
		if err := w.handlerOf(rec).Cancel(life, t); err != nil {
			w.log().Warn().Err(err).Msg("a waiting task could not be told of its end")
		}
	}
	return w.close(life, rec, ask)
}

// close ends a cancelled task without a run.
func (w *Worker) close(life context.Context, rec Record, ask Command) error {
	after := rec
	err := persist(life, func() (err error) {
		after, err = w.update(life, rec.SessionID, rec.MessageID, existing(func(r *Record) ([]Event, error) {
			if r.Status.Terminal() {
				return nil, errKeep
			}
			p := r.progress()
			if p.Request == nil && ask.Body != nil && ask.Body.Action() == ActionAsk {
				p.Request = &ask.Header
			}
			p.finish()
			return w.ended(r, Outcome{}, ErrCancelled, true)
		}))
		return err
	})
	if err != nil {
		return err
	}
	return w.replyIfDue(life, after)
}

// letter is what the stream of dead letters says about an entry.
type letter struct {
	Status    string `json:"status"`
	Reason    string `json:"reason"`
	Stream    string `json:"stream"`
	Entry     string `json:"entry_id"`
	Delivered int    `json:"deliveries"`
	Worker    string `json:"worker_id"`
	Session   string `json:"session_id,omitempty"`
	Message   string `json:"message_id,omitempty"`
	Data      any    `json:"entry"` // all fields, as they came
}

// bury puts an entry that nobody can handle into the stream of dead letters,
// and ends its task, if there is one, as failed.
func (w *Worker) bury(life context.Context, d delivery, cmd Command, why error) error {
	text := jsonText(letter{
		Status: string(Failed), Reason: why.Error(), Stream: d.stream, Entry: d.id, Delivered: d.count, Worker: w.opts.ID,
		Session: cmd.Header.SessionID, Message: cmd.Header.MessageID, Data: d.values,
	})
	err := persist(life, func() error {
		return w.store.rdb.XAdd(life, entry(w.store.schema.DeadLetters(), []byte(text))).Err()
	})
	if err != nil {
		return fmt.Errorf("streams: dead letter: %w", err)
	}
	w.log().Warn().Err(why).Msg("entry is a dead letter")
	return w.failTask(life, d, cmd, why)
}

// failTask ends the task of a command that could not be taken, unless it is
// being worked on, waits or has ended: then the command alone was wrong, and its
// sender is told.
func (w *Worker) failTask(life context.Context, d delivery, cmd Command, why error) error {
	h := cmd.Header
	if h.SessionID == "" || h.MessageID == "" || !w.store.schema.holds(h.SessionID) {
		return nil
	}
	var after Record
	var kept bool
	err := persist(life, func() (err error) {
		after, err = w.update(life, h.SessionID, h.MessageID, func(r *Record, fresh bool) ([]Event, error) {
			kept = false
			if fresh {
				if cmd.Body != nil && cmd.Body.Action() != ActionAsk {
					return nil, errKeep
				}
				if err := w.newRecord(r, d, Command{Header: h, Body: &Ask{}}); err != nil {
					return nil, err
				}
			}
			p := r.progress()
			given := p.Work != nil && p.Work.Entry == d.carrier()
			if kept = r.State() != StateQueued && !given; kept {
				return nil, errKeep
			}
			if p.Request == nil {
				plain := h // what was wrong in it must not be in the record
				plain.raw = object{}
				p.Request = &plain
			}
			p.finish()
			return w.ended(r, Outcome{}, why, false)
		})
		return err
	})
	switch {
	case err != nil:
		return err
	case kept:
		return w.refuse(life, after.voice(), why)
	}
	return w.replyIfDue(life, after)
}
