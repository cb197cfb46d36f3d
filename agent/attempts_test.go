package agent_test

import (
	"context"
	"errors"
	"iter"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// hanging is a client each of whose attempts fails after a long time, and that
// is never out of attempts.
type hanging struct{ attempt time.Duration }

func (h hanging) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				yield(model.Chunk{}, ctx.Err())
				return
			case <-time.After(h.attempt):
			}
			if !yield(model.Chunk{Notice: event.ModelRetried{Attempt: n}}, nil) {
				return
			}
		}
	}
}

// TestAGentleStopTriesNoFurther stops an agent while its model does not answer:
// the attempt that is under way may end, another one does not begin.
func TestAGentleStopTriesNoFurther(t *testing.T) {
	for name, tt := range map[string]struct {
		mode  agent.StopMode
		state event.State
	}{
		"pause": {agent.Pause, event.Working},
		"soft":  {agent.Soft, event.Stopped},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, hanging{10 * time.Second}, nil)
				s.run()
				defer s.cancel()
				s.tell("begin")
				time.Sleep(25 * time.Second) // in the third attempt
				s.agent.Stop(agent.Stop{Mode: tt.mode, By: event.PersonName})
				time.Sleep(4 * time.Second)
				if got := s.agent.State(); got != event.Working {
					t.Errorf("the agent is %s in mid-attempt, want working", got)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if got := len(data[event.ModelRetried](s)); got != 3 {
					t.Errorf("%d attempts failed, want 3", got)
				}
				failed := data[event.ModelFailed](s)
				if len(failed) != 1 || failed[0].Failure.Code != "cancelled" || !strings.HasSuffix(failed[0].Failure.Message, "by User") {
					t.Errorf("failed calls %+v, want one that User cancelled", failed)
				}
				if got := s.agent.State(); got != tt.state {
					t.Errorf("the agent is %s, want %s", got, tt.state)
				}
			})
		})
	}
}

// failing is a client whose calls fail.
type failing struct{ err error }

func (f failing) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, f.err) }
}

// TestWhatNobodyTookCostsNothing fails calls in ways that a provider can and
// cannot bill.
func TestWhatNobodyTookCostsNothing(t *testing.T) {
	with := func(class string, change func(*model.Error)) error {
		e := model.NewError(class, "no")
		change(e)
		return e
	}
	status := func(n int) func(*model.Error) { return func(e *model.Error) { e.Status = n } }
	for name, tt := range map[string]struct {
		err  error
		free bool
	}{
		"refused key":     {with(model.ClassAuth, status(401)), true},
		"bad request":     {with(model.ClassBadRequest, status(400)), true},
		"rate limited":    {with(model.ClassRateLimited, status(429)), true},
		"redirect":        {with(model.ClassNoModel, status(302)), true},
		"not its server":  {with(model.ClassTransport, func(e *model.Error) { e.Retryable = false }), true},
		"nobody listens":  {with(model.ClassTransport, func(e *model.Error) { e.Err = &net.OpError{Op: "dial", Err: errors.New("refused")} }), true},
		"broken stream":   {with(model.ClassTruncatedStream, func(*model.Error) {}), false},
		"lost connection": {with(model.ClassTransport, func(e *model.Error) { e.Err = &net.OpError{Op: "read", Err: errors.New("reset")} }), false},
		"error in stream": {with(model.ClassServerError, status(200)), false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, failing{tt.err}, nil)
				s.run()
				defer s.cancel()
				s.tell("begin")
				synctest.Wait()
				failed := data[event.ModelFailed](s)
				if len(failed) != 1 || (failed[0].Usage.Total() == 0) != tt.free {
					t.Errorf("failed calls %+v, want one that is free: %v", failed, tt.free)
				}
			})
		})
	}
}

// TestACutReplyIsTold ends replies at the model's output limit.
func TestACutReplyIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		reply modeltest.Reply
		want  int
	}{
		"whole":       {modeltest.Reply{Text: "all of it"}, 0},
		"cut":         {modeltest.Reply{Text: "the first ha", Finish: event.FinishLength}, 1},
		"cut in call": {modeltest.Reply{Text: "I call", Calls: []event.Call{call("touch")}, Finish: event.FinishLength}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, modeltest.Sequence(tt.reply, modeltest.Reply{Text: "end"}), nil)
				s.run()
				defer s.cancel()
				s.tell("begin")
				synctest.Wait()
				got := data[event.Warning](s)
				if len(got) != tt.want || tt.want > 0 && got[0].Code != "reply_cut" {
					t.Errorf("warnings %+v, want %d of a cut reply", got, tt.want)
				}
			})
		})
	}
}
