package streams

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Tries of what can be done again when the worker that did it is gone.
const lentTries = 5

// Reply asks the lent model. When the worker is gone another one is asked, with
// the whole conversation.
func (r *Remote) Reply(ctx context.Context, s event.RemoteStep, q event.LentRequest) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		for try := 1; ; try++ {
			done, err := r.replyOnce(ctx, s, q, yield)
			switch {
			case done || ctx.Err() != nil:
				return
			case !errors.Is(err, errGone) || try == lentTries:
				yield(nil, r.explained(err))
				return
			}
			f := event.Failure{Code: "worker_gone", Who: "server", Retryable: true, Message: err.Error()}
			if !yield(event.ModelRetried{Attempt: try, Failure: f}, nil) {
				return
			}
		}
	}
}

// replyOnce asks one worker; done says that nothing is left to be said.
func (r *Remote) replyOnce(ctx context.Context, s event.RemoteStep, q event.LentRequest, yield func(event.Data, error) bool) (done bool, err error) {
	b, o, err := r.borrow(ctx, s)
	if err != nil {
		return false, err
	}
	for {
		have := b.known(q.Messages)
		part := q
		part.Messages = q.Messages[have:]
		w := r.client.store.word("", event.ModelRequested{Messages: len(q.Messages)})
		w.Request, w.Have = &part, have
		again := false
		err := r.ask(ctx, s, o, w, func(d event.Data) (last, goOn bool) {
			failed, ok := d.(event.ModelFailed)
			if again = ok && failed.Failure.Code == codeNoConversation; again {
				return true, true
			}
			if !yield(d, nil) {
				done = true
				return false, false
			}
			_, replied := d.(event.ModelReplied)
			done = ok || replied
			return done, true
		})
		switch {
		case err != nil:
			return done, err
		case done:
			b.note(q.Messages)
			return done, nil
		case !again || have == 0:
			return done, errNoAnswer
		}
		b.forget()
	}
}

var errNoAnswer = errors.New("the worker ended without an answer")

// known is how many of the messages the other side has.
func (b *borrowed) known(messages []json.RawMessage) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.have > len(messages) || digest(messages[:b.have]) != b.sum {
		b.have = 0
	}
	return b.have
}

// note remembers what the other side has heard.
func (b *borrowed) note(messages []json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.have, b.sum = len(messages), digest(messages)
}

func (b *borrowed) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.have = 0
}

func digest(messages []json.RawMessage) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, m := range messages {
		_, _ = h.Write(m)
		_, _ = h.Write([]byte{0})
	}
	h.Sum(sum[:0])
	return sum
}

// Call does a call of a lent tool. When the worker is gone, what may be done
// again is done again, with the same request id.
func (r *Remote) Call(ctx context.Context, s event.RemoteStep, t event.LentTool, c event.LentCall) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		for try := 1; ; try++ {
			_, o, err := r.borrow(ctx, s)
			done := false
			if err == nil {
				w := r.client.store.word("", event.ToolStarted{CallID: c.CallID, Name: c.Name, Arguments: c.Arguments, RequestID: c.RequestID})
				w.Call = &c
				err = r.ask(ctx, s, o, w, func(d event.Data) (last, goOn bool) {
					_, last = d.(event.ToolFinished)
					goOn = yield(d, nil)
					done = last || !goOn
					return last, goOn
				})
				if err == nil && !done {
					err = errNoAnswer
				}
			}
			switch {
			case done || ctx.Err() != nil:
				return
			case errors.Is(err, errGone) && t.Effect == "" && o.worker != "":
				yield(nil, event.ErrUnknownOutcome)
				return
			case !errors.Is(err, errGone) || try == lentTries:
				yield(nil, r.explained(err))
				return
			}
			c.Again = true
		}
	}
}

// ask says a word to the worker and hears what comes of it, until hear has the
// last. When hear wants no more, or ctx ends, the worker is told to stop. The
// error is errGone when the worker is.
func (r *Remote) ask(ctx context.Context, s event.RemoteStep, o opened, w lentWord, hear func(event.Data) (last, goOn bool)) (err error) {
	session := sessionOf(s.RemoteAgent)
	if w.ID, err = r.client.store.id("ask-"); err != nil {
		return err
	}
	var after string
	err = persist(ctx, func() (err error) {
		after, err = r.client.Cursor(ctx, session)
		return err
	})
	if err == nil {
		err = r.tellLent(ctx, s, o, w)
	}
	if err != nil {
		return err
	}
	over := false
	gone := func() (bool, error) {
		lives, err := r.lives(ctx, s, o, true)
		return err == nil && !lives, err
	}
	r.client.tail(ctx, session, after, false, gone, func(e Entry, failed error) bool {
		if failed != nil {
			err = skipUnreadable(failed)
			return err == nil
		}
		said, ok := wordIn(e.Event.Metadata)
		if !ok || said.ID != w.ID || e.Event.MessageID != o.message {
			return true
		}
		last, goOn := hear(said.Record.Data)
		over = last && goOn
		return goOn && !last
	})
	switch {
	case over:
		return nil
	case err != nil && ctx.Err() == nil:
		return err
	case ctx.Err() == nil && err == nil:
		if lives, liveErr := r.lives(ctx, s, o, true); liveErr != nil || !lives {
			return errors.Join(errGone, liveErr)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopBound)
	defer cancel()
	stop := r.client.store.word(w.ID, event.AgentStopping{Mode: event.StopNow, By: event.RuntimeName})
	return errors.Join(err, r.tellLent(ctx, s, o, stop))
}
