package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// errDuplicate says that an entry needs nothing: its effect is there, or is
// being made.
var errDuplicate = errors.New("streams: the command is known")

// errLeft says that an entry is another worker's and is not acknowledged.
var errLeft = errors.New("streams: another worker has the task")

// errUnasked says that a user's answer is for a task that asks nothing.
var errUnasked = errors.New("streams: the task does not wait for an answer")

// errEnd says that a task is to be ended, not run.
var errEnd = errors.New("streams: the task was cancelled before a worker had it")

// handle does what an entry of a type stream says, and acknowledges it after
// its effect. What could not be done stays pending and is tried again.
func (w *Worker) handle(life context.Context, d delivery) {
	if !w.hold(d) {
		return
	}
	defer w.letGo(d)
	err := w.perform(life, d)
	switch {
	case err == nil:
		w.acked(life, d)
	case errors.Is(err, errLeft), errors.Is(err, ErrLeaseLost):
	case errors.Is(err, ErrHandedBack):
		w.passOn(life, d)
	default:
		w.log().Error().Err(err).Msg("a command had no effect yet; it stays pending")
	}
}

// perform does what an entry says.
func (w *Worker) perform(life context.Context, d delivery) error {
	text, err := entryText(d.values)
	if err != nil {
		return w.bury(life, d, Command{}, err)
	}
	cmd, err := DecodeCommand(text)
	if err != nil {
		return w.bury(life, d, cmd, err)
	}
	if err := w.store.schema.check(cmd.Header); err != nil {
		return w.bury(life, d, cmd, err)
	}
	if cmd.Header.MessageID == "" {
		cmd.Header.MessageID = "msg-" + d.origin() // the same when it comes again
	}
	if cmd.Header.TargetAgentType == "" {
		cmd.Header.TargetAgentType = w.typeOf(d.stream)
	}
	switch cmd.Body.(type) {
	case *Ask, *Resume:
	default:
		w.log().Warn().Msg("a type stream holds a command for a worker; it is passed over")
		return nil
	}
	if d.count > w.opts.MaxDeliver {
		return w.bury(life, d, cmd, fmt.Errorf("streams: given up after %d deliveries", d.count-1))
	}
	return w.runTask(life, d, cmd)
}

// runTask takes a command and works until its task ends or waits with nothing
// in its inbox.
func (w *Worker) runTask(life context.Context, d delivery, cmd Command) error {
	if cmd.Body.Action() == ActionAsk {
		_, done := w.beginning(cmd)
		defer done()
	}
	key, ready, err := w.keyOf(life, d, cmd)
	if err != nil || !ready {
		return err
	}
	rec, again, err := w.accept(life, d, cmd, key)
	switch {
	case errors.Is(err, errDuplicate):
		return w.replyIfDue(life, rec)
	case errors.Is(err, errEnd):
		return w.endCancelled(life, cmd.Header.SessionID, cmd.Header.MessageID, cmd)
	case errors.Is(err, errUnasked):
		return w.refuse(life, rec.voice(), fmt.Errorf("%w: it is %s", err, rec.Status))
	case errors.Is(err, ErrNoRecord):
		return errors.Join(w.bury(life, d, cmd, err), w.refuse(life, cmd.voice(), err))
	case err != nil:
		return err
	}
	for {
		var more bool
		if rec, more, err = w.runOnce(life, rec, again); err != nil || !more {
			break
		}
		again = false
	}
	if err != nil {
		return err
	}
	return w.replyIfDue(life, rec)
}

// keyOf is what a command is known by when it comes again: a task by its
// message, a reply by the child, a group by its id, an answer by its entry.
// ready is false for a reply that is not the last of its group, and for one
// that only says that the child waits; both need no run.
func (w *Worker) keyOf(ctx context.Context, d delivery, cmd Command) (key string, ready bool, err error) {
	h := cmd.Header
	resume, ok := cmd.Body.(*Resume)
	switch {
	case !ok:
		return "ask/" + h.MessageID, true, nil
	case h.ParentMessageID == "" || h.SourceAgentType == "":
		return "entry/" + d.origin(), true, nil
	case waiting(Status(resume.Status)):
		return "", false, w.watch(ctx, cmd)
	case h.TaskGroupID == "":
		return "reply/" + h.ParentMessageID, true, nil
	}
	var have, total int
	err = persist(ctx, func() error {
		have, total, err = w.store.addResult(ctx, h.TaskGroupID, h.ParentMessageID, GroupResult{
			Status: resume.Status, ReplyData: resume.ReplyData, Content: resume.Content, Metadata: h.Metadata, ExtraPayload: resume.ExtraPayload,
		})
		return err
	})
	if errors.Is(err, ErrNoGroup) {
		return "reply/" + h.ParentMessageID, true, nil // the group is gone: each reply for itself
	}
	return "group/" + h.TaskGroupID, have >= total, err
}

// waiting reports whether a child that replies with that status goes on later.
func waiting(s Status) bool {
	switch s {
	case Queued, Running, WaitingUser, WaitingAgent, WaitingForGroup, GroupQueued:
		return true
	case Cancelling, Cancelled, Completed, Failed:
		return false
	default:
		return false
	}
}

// accept takes a command into the record of its task: it becomes the work of
// this worker, or waits in the inbox of the one that has the task, which is
// errDuplicate here. again is true for work that somebody had begun.
func (w *Worker) accept(ctx context.Context, d delivery, cmd Command, key string) (rec Record, again bool, err error) {
	text, err := cmd.Encode()
	if err != nil {
		return rec, false, err
	}
	work := Work{Key: key, Owner: w.lease.Token, Entry: d.carrier(), Command: text}
	var owner owner // mostly there is none
	for {
		var verdict error
		err = persist(ctx, func() error {
			rec, err = w.update(ctx, cmd.Header.SessionID, cmd.Header.MessageID, func(r *Record, fresh bool) ([]Event, error) {
				again, verdict = false, nil
				if fresh {
					verdict = w.newRecord(r, d, cmd)
				}
				if verdict == nil {
					again, verdict = w.admit(r, work, cmd, owner)
				}
				if verdict != nil && !errors.Is(verdict, errInbox) {
					return nil, errKeep
				}
				return nil, nil
			})
			return err
		})
		switch {
		case err != nil:
			return rec, false, err
		case errors.Is(verdict, errOwner):
			if owner, err = w.lookAtOwner(ctx, cmd.Header); err != nil {
				return rec, false, err
			}
			continue
		case errors.Is(verdict, errInbox):
			verdict = errDuplicate
		}
		return rec, again, verdict
	}
}

// errInbox says that a command waits in the inbox of its task.
var errInbox = errors.New("streams: the command waits for the run before it")

// errOwner says that the task has another owner than the one that was looked at.
var errOwner = errors.New("streams: the task has changed hands")

// owner is who has a task, and whether that worker lives.
type owner struct {
	worker string
	token  string
	alive  bool
}

// ownerOf is who has the task of a record.
func ownerOf(r Record) owner {
	o := owner{worker: r.WorkerID}
	if r.Troupe != nil && r.Troupe.Work != nil {
		o.token = r.Troupe.Work.Owner
	}
	return o
}

// lookAtOwner reads who has a task, and whether its lease says that it lives.
func (w *Worker) lookAtOwner(ctx context.Context, h Header) (o owner, err error) {
	err = persist(ctx, func() error {
		r, err := w.store.record(ctx, h.SessionID, h.MessageID)
		o = ownerOf(r)
		if errors.Is(err, ErrNoRecord) || err == nil && o.worker == "" {
			return nil
		}
		if err != nil {
			return err
		}
		token, err := w.store.leaseToken(ctx, w.store.rdb, o.worker)
		o.alive = token != "" && (o.token == "" || o.token == token)
		return err
	})
	return o, err
}

// newRecord makes the record of a task that came without one. A Resume needs
// one.
func (w *Worker) newRecord(r *Record, d delivery, cmd Command) error {
	if cmd.Body.Action() != ActionAsk {
		return ErrNoRecord
	}
	execution, err := w.store.id("exec-")
	if err != nil {
		return err
	}
	h, now := cmd.Header, w.store.now()
	*r = Record{
		ExecutionID: execution, MessageID: h.MessageID, SessionID: h.SessionID, TraceID: h.TraceID,
		ParentMessageID: h.ParentMessageID, SourceAgentType: h.SourceAgentType, TargetAgentType: h.TargetAgentType,
		StreamName: d.stream, RedisMessageID: d.id, Status: Queued, CreatedAt: now.UnixMilli(),
	}
	return nil
}

// admit decides about a command, and puts it into the record when it is to run
// or to wait. The verdict is nil for work of this worker.
func (w *Worker) admit(r *Record, work Work, cmd Command, seen owner) (again bool, verdict error) {
	if now := ownerOf(*r); now.worker != seen.worker || now.token != seen.token {
		return false, errOwner
	}
	p := r.progress()
	// The entry, or a command that is the same, brings what the task is at.
	at := p.Work != nil && (p.Work.Key == work.Key || p.Work.Entry == work.Entry)
	ask := cmd.Body.Action() == ActionAsk
	switch {
	case !at && !p.knows(work.Key) && cmd.isAnswer() && !r.mayBeAnswered():
		return false, errUnasked
	case r.Status.Terminal():
		return false, errDuplicate
	case at && p.Work.Owner == w.lease.Token && p.Work.Entry != work.Entry && w.carries(p.Work.Entry):
		return false, errDuplicate
	case at && seen.alive && p.Work.Owner != w.lease.Token && p.Work.Owner != "":
		if p.Work.Entry == work.Entry {
			return false, errLeft
		}
		return false, errDuplicate
	case at: // its worker is gone, or handed it back
		return true, w.begin(r, Work{Key: p.Work.Key, Owner: work.Owner, Entry: work.Entry, Command: p.Work.Command})
	case p.knows(work.Key):
		return false, errDuplicate
	case r.CancelRequested && p.Work == nil:
		return false, errEnd
	case p.Work != nil, !ask && r.State() == StateQueued:
		work.Owner, work.Entry = "", ""
		p.Inbox = append(p.Inbox, work)
		return false, errInbox
	case ask && r.State() != StateQueued && (seen.alive || r.State() == StateSuspended):
		return false, errDuplicate // it has begun, on a worker of another program
	}
	if body, ok := cmd.Body.(*Ask); ok {
		request := cmd.Header
		p.Request, p.Agent = &request, body.ExtraPayload[troupeName]
	}
	again = r.State() == StateProcessing
	return again, w.begin(r, work)
}

// isAnswer reports whether the command is what a user says to a question: not
// the reply of a child, and not the word of another Troupe.
func (c Command) isAnswer() bool {
	body, ok := c.Body.(*Resume)
	return ok && c.Header.SourceAgentType == "" && body.ExtraPayload[troupeName] == nil
}

// mayBeAnswered reports whether the task may wait for the user. A question is
// written together with the state, so nobody can answer it earlier.
func (r Record) mayBeAnswered() bool {
	return !r.Status.Terminal() && (r.Troupe == nil || r.Troupe.Work == nil) && r.State() != StateQueued
}

// progress is the note of Troupe in the record, made when there is none.
func (r *Record) progress() *Progress {
	if r.Troupe == nil {
		r.Troupe = &Progress{}
	}
	return r.Troupe
}

// begin makes the work the one that the task is at.
func (w *Worker) begin(r *Record, work Work) error {
	r.WorkerID = w.opts.ID
	r.progress().Work = &work
	if r.Status == Cancelling {
		return nil // it runs until it sees that
	}
	return r.move(Running, w.store.now())
}

// runsTask reports whether a run of the execution is in this process.
func (w *Worker) runsTask(execution string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[execution] != nil
}

// task is what a handler gets to see of the work in a record.
func (w *Worker) task(ctx context.Context, r Record, again bool) (Task, Command, error) {
	work := r.Troupe.Work
	cmd, err := DecodeCommand(work.Command)
	if err != nil {
		return Task{}, cmd, err
	}
	t := Task{
		ExecutionID: r.ExecutionID, MessageID: r.MessageID, Key: work.Key, Again: again,
		Header: cmd.Header, Request: r.request(), Agent: r.Troupe.Agent, CancelReason: r.CancelReason,
	}
	switch body := cmd.Body.(type) {
	case *Ask:
		t.Content, t.Extra = body.Content, body.ExtraPayload
	case *Resume:
		t.Content, t.Extra, t.Status, t.ReplyData = body.Content, body.ExtraPayload, body.Status, body.ReplyData
	default: // no other is work
	}
	if group := cmd.Header.TaskGroupID; cmd.Body.Action() == ActionResume && work.Key == "group/"+group {
		err = persist(ctx, func() error {
			t.Results, err = w.store.results(ctx, group)
			return err
		})
	}
	return t, cmd, err
}

// request is the header of the command that made the task, as far as it is
// known.
func (r Record) request() Header {
	if r.Troupe != nil && r.Troupe.Request != nil {
		return *r.Troupe.Request
	}
	h := Header{
		MessageID: r.MessageID, SessionID: r.SessionID, TraceID: r.TraceID,
		TargetAgentType: r.TargetAgentType, ParentMessageID: r.ParentMessageID,
	}
	if r.SourceAgentType != clientOrigin.source {
		h.SourceAgentType = r.SourceAgentType
	}
	return h
}

// voice speaks for the task of a record.
func (r Record) voice() Voice {
	h := r.request()
	return Voice{
		TraceID: r.TraceID, SessionID: r.SessionID, AgentType: r.TargetAgentType,
		MessageID: r.MessageID, ParentMessageID: r.ParentMessageID, Sub: h.SourceAgentType != "",
	}
}

// voice speaks to the sender of a command for a task that there is not.
func (c Command) voice() Voice {
	h := c.Header
	return Voice{
		TraceID: h.TraceID, SessionID: h.SessionID, AgentType: h.TargetAgentType,
		MessageID: h.MessageID, ParentMessageID: h.ParentMessageID, Sub: h.SourceAgentType != "",
	}
}

// refuse tells the sender of a command why it has no effect. One for a task that
// has no record is the end of what the sender may wait for.
func (w *Worker) refuse(ctx context.Context, v Voice, why error) error {
	w.log().Warn().Err(why).Str("session", v.SessionID).Str("call", v.MessageID).Msg("command refused")
	if v.SessionID == "" {
		return nil
	}
	at, err := w.store.stamp()
	if err != nil {
		return err
	}
	events := []Event{v.Log(at, why.Error())}
	if errors.Is(why, ErrNoRecord) && !v.Sub {
		if at, err = w.store.stamp(); err != nil {
			return err
		}
		events = append(events, v.End(at))
	}
	return persist(ctx, func() error { return w.store.publish(ctx, v.SessionID, events...) })
}

// sink is where a run of the task of a record speaks to.
func (w *Worker) sink(r Record) *Sink {
	return &Sink{store: w.store, voice: r.voice(), request: r.request()}
}

// raw is a text as JSON.
func raw(text string) json.RawMessage { return quote(text) }
