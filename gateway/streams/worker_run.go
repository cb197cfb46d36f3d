package streams

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// runOnce lets the handler do the work in the record, and writes how it ended.
// more says that the task goes on at once with a command from its inbox.
func (w *Worker) runOnce(life context.Context, rec Record, again bool) (after Record, more bool, err error) {
	t, cmd, err := w.task(life, rec, again)
	if err != nil {
		return rec, false, err
	}
	ctx, unregister, err := w.register(life, rec)
	defer unregister()
	if err != nil {
		return rec, false, err
	}
	var out Outcome
	var fault error
	if context.Cause(ctx) != nil {
		fault = context.Cause(ctx) // it ended before it began
	} else if cmd.Body.Action() == ActionAsk {
		out, fault = w.handlerOf(rec).Start(ctx, t, w.sink(rec))
	} else {
		out, fault = w.handlerOf(rec).Resume(ctx, t, w.sink(rec))
	}
	cause := context.Cause(ctx)
	switch {
	case fault != nil && errors.Is(cause, ErrHandedBack):
		return rec, false, errors.Join(ErrHandedBack, w.putBack(life, rec))
	case context.Cause(life) != nil:
		return rec, false, context.Cause(life)
	}
	return w.settle(life, rec, out, fault, errors.Is(cause, ErrCancelled))
}

// handlerOf is who does the task of a record.
func (w *Worker) handlerOf(r Record) Handler {
	if w.opts.Agents != nil && r.Troupe != nil && r.Troupe.Agent != nil {
		return w.opts.Agents
	}
	return w.opts.Handler
}

// register makes the run one that can be cancelled. A cancellation that came
// before is seen in the record.
func (w *Worker) register(life context.Context, rec Record) (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(life)
	run := &running{cancel: cancel, session: rec.SessionID, message: rec.MessageID}
	w.mu.Lock()
	w.runs[rec.ExecutionID] = run
	if w.handing {
		cancel(ErrHandedBack)
	}
	w.mu.Unlock()
	unregister := func() {
		w.mu.Lock()
		if w.runs[rec.ExecutionID] == run { // else the task goes on already
			delete(w.runs, rec.ExecutionID)
		}
		w.mu.Unlock()
		cancel(nil)
	}
	err := persist(life, func() error {
		now, err := w.store.record(life, rec.SessionID, rec.MessageID)
		if err == nil && now.CancelRequested {
			cancel(ErrCancelled)
		}
		return err
	})
	return ctx, unregister, err
}

// settle writes the end of a run: the state, the events and what a caller is
// owed in one transaction, unless the task is not this worker's any more.
func (w *Worker) settle(life context.Context, rec Record, out Outcome, fault error, cancelled bool) (after Record, more bool, err error) {
	work := *rec.Troupe.Work
	err = persist(life, func() error {
		after, err = w.update(life, rec.SessionID, rec.MessageID, existing(func(r *Record) ([]Event, error) {
			more = false
			p := r.progress()
			if p.Work == nil || p.Work.Key != work.Key || p.Work.Owner != work.Owner {
				if slices.Contains(p.Done, work.Key) {
					more = p.Work != nil && p.Work.Owner == work.Owner
					return nil, errKeep // written before, and only the answer was lost
				}
				return nil, errLeft
			}
			cancelled = cancelled || r.CancelRequested
			p.finish()
			if fault != nil || out.Wait == "" || cancelled {
				return w.ended(r, out, fault, cancelled)
			}
			if err := r.move(out.Wait, w.store.now()); err != nil {
				return nil, err
			}
			events, err := w.question(*r, out)
			if err != nil || len(p.Inbox) == 0 {
				return events, err
			}
			next := p.Inbox[0]
			p.Inbox = p.Inbox[1:]
			next.Owner, next.Entry = work.Owner, work.Entry
			more = true
			return events, w.begin(r, next)
		}))
		return err
	})
	return after, more, err
}

// question is the event with what a run asks the user, if it asks.
func (w *Worker) question(r Record, out Outcome) ([]Event, error) {
	if out.Question == "" {
		return nil, nil
	}
	at, err := w.store.stamp()
	return []Event{r.voice().Question(at, out.Question)}, err
}

// ended writes the end of a task into its record, and makes its last events.
func (w *Worker) ended(r *Record, out Outcome, fault error, cancelled bool) ([]Event, error) {
	status, reply := Completed, Reply{Metadata: out.Metadata, ExtraPayload: out.Extra, ReplyData: out.ReplyData}
	voice := r.voice()
	at, err := w.store.stamp()
	if err != nil {
		return nil, err
	}
	var events []Event
	switch {
	case cancelled && (fault != nil || out.Wait != ""):
		status = Cancelled
		if r.State() != StateCancelling {
			if err := r.move(Cancelling, w.store.now()); err != nil {
				return nil, err
			}
		}
		reply.ReplyData = jsonObject("reason", r.CancelReason)
	case fault != nil:
		status = Failed
		r.failed(fault)
		reply.ReplyData = jsonObject("error", fault.Error())
		events = append(events, voice.Log(at, fault.Error()))
	case out.Answer != "":
		events = append(events, voice.Answer(at, out.Answer))
		if reply.ReplyData == nil {
			reply.ReplyData = raw(out.Answer)
		} else {
			reply.Content = TextContent(out.Answer)
		}
	}
	if err := r.move(status, w.store.now()); err != nil {
		return nil, err
	}
	p := r.progress()
	p.Inbox = nil
	if voice.Sub {
		reply.Status = string(status)
		p.ReplyDue = &reply
		return events, nil
	}
	if at, err = w.store.stamp(); err != nil {
		return nil, err
	}
	return append(events, voice.End(at)), nil
}

// failed notes why a task failed. An error with the method Failure() event.Failure
// says more than its words.
func (r *Record) failed(err error) {
	r.ErrorType, r.ErrorMessage, r.FailedStage = fmt.Sprintf("%T", err), err.Error(), "process_command"
	if f, ok := errors.AsType[failing](err); ok {
		r.ErrorType, r.ErrorCode, r.Retryable = f.Failure().Code, f.Failure().Code, f.Failure().Retryable
	}
}

// jsonObject is an object with one text.
func jsonObject(name, text string) []byte { return []byte(jsonText(map[string]string{name: text})) }

// putBack makes the work in a record anybody's.
func (w *Worker) putBack(life context.Context, rec Record) error {
	work := rec.Troupe.Work
	return persist(life, func() error {
		_, err := w.update(life, rec.SessionID, rec.MessageID, existing(func(r *Record) ([]Event, error) {
			p := r.progress()
			if p.Work == nil || p.Work.Owner != work.Owner {
				return nil, errKeep
			}
			p.Work.Owner = ""
			r.WorkerID = ""
			if r.Status == Cancelling {
				return nil, nil
			}
			return nil, r.move(Queued, w.store.now())
		}))
		return err
	})
}

// replyIfDue tells the caller of a task that it has ended, and notes that it
// did. A crash in between tells it twice, which callers of Troupe see by the
// child's id.
func (w *Worker) replyIfDue(life context.Context, rec Record) error {
	if rec.Troupe == nil || rec.Troupe.ReplyDue == nil {
		return nil
	}
	h, due := rec.request(), rec.Troupe.ReplyDue
	if due.Status != string(Cancelled) || !w.callerCancelled(life, rec) {
		if err := persist(life, func() error { return w.reply(life, rec, h, due) }); err != nil {
			return err
		}
	}
	return persist(life, func() error {
		_, err := w.update(life, rec.SessionID, rec.MessageID, existing(func(r *Record) ([]Event, error) {
			r.progress().ReplyDue = nil
			return nil, nil
		}))
		return err
	})
}

// reply sends a Resume to the stream of the caller's type.
func (w *Worker) reply(ctx context.Context, rec Record, h Header, due *Reply) error {
	caller := h.ParentMessageID
	if caller == "" {
		id, err := w.store.id("msg-")
		if err != nil {
			return err
		}
		caller = id
	}
	metadata := Values{}
	for _, from := range []Values{h.Metadata, due.Metadata} {
		maps.Copy(metadata, from)
	}
	_, err := w.store.post(ctx, w.store.schema.TypeStream(h.SourceAgentType), Command{
		Header: Header{
			MessageID: caller, SessionID: rec.SessionID, TraceID: rec.TraceID, SourceAgentType: rec.TargetAgentType,
			TargetAgentType: h.SourceAgentType, ParentMessageID: rec.MessageID, TaskGroupID: h.TaskGroupID,
			UserCode: h.UserCode, UserName: h.UserName, Metadata: metadata,
		},
		Body: &Resume{Content: due.Content, Status: due.Status, ReplyData: due.ReplyData, ExtraPayload: due.ExtraPayload},
	})
	return err
}

// callerCancelled reports whether nobody waits for the reply of a cancelled
// task any more.
func (w *Worker) callerCancelled(ctx context.Context, rec Record) bool {
	caller, err := w.store.record(ctx, rec.SessionID, rec.ParentMessageID)
	return err == nil && caller.CancelRequested
}
