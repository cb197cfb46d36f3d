package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/event"
)

// listener takes one step: it tells what there is to tell, and listens to the
// stream until something ends the step.
type listener struct {
	remote *Remote
	step   event.RemoteStep
	yield  func(event.Data, error) bool
	to     *hearing
	below  map[string]bool // whether a task is below ours, by message
	lost   time.Time       // since when the task has no living worker
}

var errGone = errors.New("the task has no living worker")

func (l *listener) run(ctx context.Context) error {
	r, s := l.remote, l.step
	if s.Number <= 1 {
		if err := r.send(ctx, s); err != nil {
			return err
		}
	}
	p, heard := r.place(s)
	if !heard {
		var err error
		if p, err = l.find(ctx); err != nil {
			return err
		}
	}
	if s.Answers() {
		err := persist(ctx, func() error { return r.answer(ctx, s, p.asked, heard) })
		if err != nil {
			return err
		}
	}
	return l.listen(ctx, p)
}

// find reads the stream from its beginning to where the step begins: the steps
// before it were heard by a program that ended.
func (l *listener) find(ctx context.Context) (place, error) {
	p := place{number: 1, after: Begin}
	old := newHearing(l.step.Task)
	for before := 0; before < p.number && p.number < l.step.Number; {
		before = p.number
		var failed error
		l.remote.client.tail(ctx, sessionOf(l.step.RemoteAgent), p.after, true, nil, func(e Entry, err error) bool {
			if err != nil {
				failed = skipUnreadable(err)
				return failed == nil
			}
			kind, err := l.kind(ctx, e.Event)
			if err != nil {
				failed = err
				return false
			}
			said := old.take(e, kind)
			if !said.over {
				p.after = e.ID
				return true
			}
			p, old = l.next(p, e, said), newHearing(l.step.Task)
			return false
		})
		if failed != nil {
			return p, failed
		}
	}
	if l.step.Answers() && p.asked.message == "" { // the question is gone from the stream
		p.asked = question{message: l.step.Task, entry: Begin}
	}
	return p, nil
}

// next is where the step after one begins that ended at an entry.
func (l *listener) next(p place, e Entry, s said) place {
	p.number++
	p.asked = question{}
	if s.again {
		return p
	}
	p.after = e.ID
	if s.asks {
		p.asked = question{message: e.Event.MessageID, entry: e.ID, text: s.text}
	}
	return p
}

// listen hears the task from a place on, until it asks, goes on with something
// else, or ends.
func (l *listener) listen(ctx context.Context, p place) error {
	r := l.remote
	session := sessionOf(l.step.RemoteAgent)
	var failed error
	over, quiet := false, false
	ended := func() (bool, error) {
		done, err := l.ended(ctx)
		quiet = done
		return done, err
	}
	r.client.tail(ctx, session, p.after, false, ended, func(e Entry, err error) bool {
		if err != nil {
			failed = skipUnreadable(err)
			return failed == nil
		}
		kind, err := l.kind(ctx, e.Event)
		if err != nil {
			failed = err
			return false
		}
		s := l.to.take(e, kind)
		if s.piece != nil && !l.yield(s.piece, nil) {
			over = true
			return false
		}
		if s.over && !s.end {
			r.remember(l.step.Task, l.next(p, e, s))
			l.yield(s.reply(), nil)
			over = true
			return false
		}
		p.after = e.ID
		quiet = quiet || s.end
		return !s.end
	})
	switch {
	case over, failed != nil:
		return failed
	case quiet:
		return l.report(ctx)
	}
	return context.Cause(ctx)
}

// skipUnreadable is the error but for that of a single entry.
func skipUnreadable(err error) error {
	if _, ok := errors.AsType[*WireError](err); ok {
		return nil
	}
	return err
}

// kind tells what an event means to the task: what others say is no more than
// log, unless they ask.
func (l *listener) kind(ctx context.Context, e Event) (Kind, error) {
	kind := e.Kind()
	switch {
	case e.MessageID == l.step.Task:
		return kind, nil
	case kind == KindQuestion:
		below, err := l.isBelow(ctx, e.MessageID)
		if err != nil || !below {
			return KindOther, err
		}
		return kind, nil
	case e.ParentMessageID == l.step.Task && (kind == KindText || kind == KindAnswer || kind == KindLog):
		return KindLog, nil
	}
	return KindOther, nil
}

// isBelow reports whether a message is that of a task that ours called, or that
// one of those called.
func (l *listener) isBelow(ctx context.Context, message string) (bool, error) {
	if known, ok := l.below[message]; ok {
		return known, nil
	}
	var all []Record
	err := persist(ctx, func() (err error) {
		all, err = l.remote.client.Records(ctx, sessionOf(l.step.RemoteAgent))
		return err
	})
	if err != nil {
		return false, err
	}
	l.below = map[string]bool{message: false}
	for _, r := range tree(all, l.step.Task) {
		l.below[r.MessageID] = true
	}
	return l.below[message], nil
}

// ended reports whether the task has ended without a mark in the stream. One
// without a living worker is lost after a while.
func (l *listener) ended(ctx context.Context) (bool, error) {
	c := l.remote.client
	rec, err := c.Record(ctx, sessionOf(l.step.RemoteAgent), l.step.Task)
	if err != nil || rec.Status.Terminal() {
		return err == nil, err
	}
	alive := true
	switch {
	case rec.State() == StateProcessing && rec.WorkerID != "":
		token, err := c.store.leaseToken(ctx, c.store.rdb, rec.WorkerID)
		if err != nil {
			return false, err
		}
		alive = token != ""
	case rec.State() == StateQueued:
		if alive, err = c.store.anyOnline(ctx, rec.TargetAgentType); err != nil {
			return false, err
		}
	}
	now := c.store.now()
	switch {
	case alive:
		l.lost = time.Time{}
	case l.lost.IsZero():
		l.lost = now
	case now.Sub(l.lost) >= l.remote.opts.Gone:
		return false, fmt.Errorf("%w: worker %q is gone", errGone, rec.WorkerID)
	}
	return false, nil
}

// report tells how the task ended. The mark in the stream comes before the
// state of the record.
func (l *listener) report(ctx context.Context) error {
	r := l.remote
	var rec Record
	for tries := 0; ; tries++ {
		err := persist(ctx, func() (err error) {
			rec, err = r.client.Record(ctx, sessionOf(l.step.RemoteAgent), l.step.Task)
			return err
		})
		if err != nil {
			return err
		}
		const patience = 40
		if rec.Status.Terminal() || tries == patience {
			break
		}
		if err := wait(ctx, firstPause); err != nil {
			return err
		}
	}
	r.forget(l.step.Task)
	text := l.to.text()
	switch rec.Status {
	case Failed:
		if rec.ErrorMessage != "" {
			text = rec.ErrorMessage
		}
		return l.fault("failed", text, rec)
	case Cancelled:
		return l.fault("cancelled", "the task was cancelled there: "+rec.CancelReason, rec)
	default:
		l.yield(event.ModelReplied{Text: text}, nil)
		return nil
	}
}

func (l *listener) fault(code, text string, rec Record) error {
	if rec.ErrorCode != "" {
		code = rec.ErrorCode
	}
	return &RemoteError{Fault: event.Failure{
		Code: code, Who: "server", Retryable: rec.Retryable, Message: fmt.Sprintf("agent type %s: %s", l.remote.agentType, text),
	}}
}
