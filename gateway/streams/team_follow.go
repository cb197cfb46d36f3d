package streams

import (
	"context"
	"errors"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// follow publishes what the team does in the turn of a task, and returns how it
// ended.
func (h *Teams) follow(ctx context.Context, t Task, out *Sink, session string, a *account) (Outcome, error) {
	after, err := h.published(ctx, t, out, a)
	if err != nil {
		return Outcome{}, err
	}
	unhook := context.AfterFunc(ctx, func() { h.halt(ctx, session) })
	defer unhook()
	reading, stop := context.WithCancel(context.WithoutCancel(ctx)) // the team still tells how it stops
	defer stop()
	tell := newTeller(out.voice, a.run)
	for rec, err := range h.opts.Mask(h.opts.Sessions.Follow(reading, session, after)) {
		if err != nil {
			return Outcome{}, errors.Join(context.Cause(ctx), err)
		}
		if rec.Seq > a.last {
			a.apply(rec)
			tell.run = a.run
		}
		if err := out.Publish(ctx, tell.tell(rec)...); err != nil && ctx.Err() == nil {
			return Outcome{}, err
		}
		if a.own != nil && rec.Seq == a.ownEnd {
			return h.outcome(ctx, a)
		}
	}
	return Outcome{}, context.Cause(ctx)
}

// published is the record up to which everything of the turn has been published,
// by this run or by one whose worker is gone.
func (h *Teams) published(ctx context.Context, t Task, out *Sink, a *account) (int64, error) {
	if !a.begun || !t.Again && !a.over() {
		return a.last, nil
	}
	m, _, err := out.LastMark(ctx, a.run)
	return max(m.Seq, a.ownStart-1), err
}

// halt stops the team when the context of its task has ended.
func (h *Teams) halt(ctx context.Context, session string) {
	if !errors.Is(context.Cause(ctx), ErrCancelled) {
		h.opts.Close()
		return
	}
	_ = h.opts.Sessions.Stop(context.WithoutCancel(ctx), session, "", event.StopNow) // a team that has ended needs no end
}

// outcome is how the turn of a task ended.
func (h *Teams) outcome(ctx context.Context, a *account) (Outcome, error) {
	switch d := a.own.(type) {
	case event.RunFinished:
		return Outcome{Answer: d.Answer}, nil
	case event.RunFailed:
		return Outcome{}, &teamError{d.Failure}
	case event.RunSuspended:
		if cause := context.Cause(ctx); cause != nil {
			return Outcome{}, cause
		}
		if wait := a.waits(); wait != nil {
			return Outcome{Wait: WaitingUser, Question: h.words.ask(*wait)}, nil
		}
		return Outcome{}, stopped(d.By)
	default:
		return Outcome{}, nil
	}
}

// stopped is the error of a turn that somebody stopped who is not the sender.
func stopped(by string) error {
	text := "the turn was stopped"
	if by != "" {
		text += " by " + by
	}
	return &teamError{event.Failure{Code: gateway.CodeRefused, Who: gateway.WhoClient, Retryable: true, Message: text}}
}

// answer gives the team what the user said to what it asked; read is false when
// that decides nothing.
func (h *Teams) answer(ctx context.Context, t Task, session string, w asking) (read bool, err error) {
	text := h.words.reply(t)
	if w.tool == "" {
		return true, h.patiently(ctx, func() error { return h.opts.Sessions.Answer(ctx, session, w.id, text) })
	}
	d, always, ok := event.ReadDecision(text)
	if !ok {
		return false, nil
	}
	d.ID = w.id
	if always {
		d.Rule = w.rule
	}
	return true, h.patiently(ctx, func() error { return h.opts.Sessions.Approve(ctx, session, d) })
}

// patiently does something for which the session must not be in other hands.
func (h *Teams) patiently(ctx context.Context, do func() error) error {
	for {
		err := do()
		if err == nil || !busy(err) {
			return err
		}
		if err := wait(ctx, lookAgain); err != nil {
			return err
		}
	}
}

// withdraw closes what the team waits for, and ends the turn.
func (h *Teams) withdraw(ctx context.Context, session string, a *account, w asking) error {
	err := h.patiently(ctx, func() error {
		if w.tool == "" {
			return h.opts.Sessions.Answer(ctx, session, w.id, h.words.withdrawn)
		}
		return h.opts.Sessions.Approve(ctx, session, event.ApprovalDecided{ID: w.id, Decision: event.DecisionDeny, Reason: h.words.withdrawn})
	})
	if err != nil {
		return err
	}
	if err := h.opts.Sessions.Stop(ctx, session, "", event.StopNow); err != nil {
		return err
	}
	for rec, err := range h.opts.Sessions.Follow(ctx, session, a.last) {
		if err != nil {
			return err
		}
		switch rec.Data.(type) {
		case event.RunFinished, event.RunFailed, event.RunSuspended:
			return nil
		default: // it still stops
		}
	}
	return nil
}
