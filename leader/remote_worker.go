package leader

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
)

// cancelBound is how long the other side may take to hear that a task is
// cancelled.
const cancelBound = 10 * time.Second

// maxSaid is how much the other side may say in one step, in bytes: more than any
// model does, and what the program can bear to keep.
const maxSaid = 8 << 20

var errTooMuch = errors.New("the other side said more than 8 MiB in one step; it is not listened to any more")

// saidSize counts what the other side says in one step.
type saidSize int

// add counts a piece; it is false when that is too much.
func (n *saidSize) add(c model.Chunk) bool {
	*n += saidSize(len(c.Text) + len(c.Reasoning))
	return *n <= maxSaid
}

// remoteWorkers stands for the agents of a role that works elsewhere: to the turn
// loop it is a chat model that asks, goes on or reports. It holds no place in the
// limit on parallel calls, for a step may take hours and asks none of our
// endpoints.
type remoteWorkers struct {
	run    *Run
	remote Remote
	role   string
}

// notWhileAtWork refuses a message to an agent that works elsewhere and is at
// work: nobody there would read it. Once it has reported, a message waits for the
// next turn.
func (r *Run) notWhileAtWork(a mailbox.Address) error {
	if m, _ := r.roster.view(a.ID); m.state.Busy() && !m.reported {
		return errors.New(r.words.WorksElsewhere(a.Name))
	}
	return nil
}

// step is what an agent that works elsewhere is told now.
func (r *Run) step(agent, role string) event.RemoteStep {
	s := r.roster.step(event.RemoteAgent{Run: r.id, TraceID: r.trace, Agent: agent, Role: role})
	s.Metadata = r.told
	return s
}

// Stream implements [model.Client]: it takes the step that the log says is due.
func (w remoteWorkers) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		var said strings.Builder
		var size saidSize
		for d, err := range w.remote.Step(ctx, w.run.step(req.Agent, w.role)) {
			if err != nil {
				yield(model.Chunk{}, failed(err, said.String()))
				return
			}
			var c model.Chunk
			done := false
			switch d := d.(type) {
			case event.ModelDelta:
				said.WriteString(d.Text)
				c.Text = d.Text
			case event.ModelThinking:
				c.Reasoning = d.Text
			case event.ModelReplied:
				c, done = replied(d, said.String()), true
			default: // nothing that an agent says
			}
			if !size.add(c) {
				yield(model.Chunk{}, failed(errTooMuch, ""))
				return
			}
			if !yield(c, nil) || done {
				return
			}
		}
		if ctx.Err() == nil {
			yield(model.Chunk{}, failed(errNoReply, said.String()))
		}
	}
}

var errNoReply = errors.New("the other side ended the step without a reply")

// replied is the end of a step as the last piece of a reply; said is the text of
// the pieces before. Text that does not begin with them is added to it: nothing
// that was said is lost.
func replied(d event.ModelReplied, said string) model.Chunk {
	rest, ok := strings.CutPrefix(d.Text, said)
	if !ok && rest != "" {
		rest = "\n\n" + rest
	}
	c := model.Chunk{Text: rest, Calls: d.Calls, Finish: cmp.Or(d.Finish, event.FinishStop), RawFinish: d.RawFinish}
	if len(d.Calls) > 0 {
		c.Finish = event.FinishToolCalls
	}
	if d.Usage != (event.Usage{}) {
		c.Usage = &d.Usage
	}
	return c
}

// failing is an error with more to tell than words.
type failing interface {
	error
	Failure() event.Failure
}

// failed is an error of the other side as that of a model call. It has no class
// of those to which the turn loop has an answer of its own.
func failed(err error, said string) error {
	e := model.NewError(model.ClassProviderError, err.Error())
	e.Partial, e.Err = said, err
	if f, ok := errors.AsType[failing](err); ok {
		told := f.Failure()
		e.Who, e.Retryable, e.Message, e.Hint = cmp.Or(told.Who, e.Who), told.Retryable, cmp.Or(told.Message, e.Message), told.Hint
	}
	return e
}

// leave tells the other side to stop work. What it says to that is no matter of
// the turn, which has ended.
func (w remoteWorkers) leave(ctx context.Context, agent, reason string) {
	if reason == "" {
		return // it has ended there too
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelBound)
	defer cancel()
	if err := w.remote.Cancel(ctx, w.run.step(agent, w.role), reason); err != nil {
		w.run.logger.Warn().Err(err).Str("agent", agent).Msg("task elsewhere not cancelled")
	}
}
