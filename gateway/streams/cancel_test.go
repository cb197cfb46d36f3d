package streams_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

func TestCancelOfARun(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 1)
		r.worker("w-1", "slow", blocked(began))
		sent := r.send("slow", "sess", "go")
		<-began
		got, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, "user pressed stop")
		if err != nil || len(got.Asked) != 1 {
			t.Fatalf("got %+v, %v", got, err)
		}
		rec := r.status("sess", sent.MessageID, streams.Cancelled)
		if !rec.CancelRequested || rec.CancelReason != "user pressed stop" {
			t.Errorf("got %+v", rec)
		}
		r.expectSaid("sess", `appStreamResponse slow ""`)
		r.nothingPending("slow")
		again, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, "again")
		if err != nil || len(again.Asked) != 0 {
			t.Errorf("a finished task: got %+v, %v", again, err)
		}
		if _, err := r.client.Cancel(t.Context(), "sess", "nobody", ""); !errors.Is(err, streams.ErrNoRecord) {
			t.Errorf("got %v, want ErrNoRecord", err)
		}
	})
}

// TestCancelThatIsSwallowed lets a run end well although it was cancelled.
func TestCancelThatIsSwallowed(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 1)
		r.worker("w-1", "slow", fake{start: func(ctx context.Context, task streams.Task, _ *streams.Sink) (streams.Outcome, error) {
			began <- task
			<-ctx.Done()
			return streams.Outcome{Answer: "done all the same"}, nil
		}})
		sent := r.send("slow", "sess", "go")
		<-began
		if _, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, ""); err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `finalAnswer slow "done all the same"`, `appStreamResponse slow ""`)
	})
}

// TestCancelCascades cancels a parent that waits for a child that runs: by the
// client, and by a bare command that names the parent alone.
func TestCancelCascades(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 2)
		told := make(chan streams.Task, 2)
		parent := caller("slow")
		parent.cancel = func(_ context.Context, task streams.Task) error {
			told <- task
			return nil
		}
		r.worker("w-1", "parent", parent)
		r.worker("w-2", "slow", blocked(began))
		var sends int64
		for session, cancel := range map[string]func(rec streams.Record) error{
			"by-client": func(rec streams.Record) error {
				_, err := r.client.Cancel(t.Context(), "by-client", rec.MessageID, "stop")
				return err
			},
			"bare": func(rec streams.Record) error {
				text, err := streams.Command{
					Header: streams.Header{MessageID: "msg-cancel-1", SessionID: "bare", TraceID: "t"},
					Body:   &streams.Cancel{TargetMessageID: rec.MessageID, Reason: "stop"},
				}.Encode()
				return errors.Join(err, r.rdb.XAdd(t.Context(), streams.Again(r.schema.WorkerStream("w-1"), map[string]any{"data": string(text)})).Err())
			},
		} {
			sent := r.send("parent", session, "go")
			child := <-began
			rec := r.status(session, sent.MessageID, streams.WaitingAgent)
			if err := cancel(rec); err != nil {
				t.Fatal(err)
			}
			r.status(session, child.MessageID, streams.Cancelled)
			r.status(session, sent.MessageID, streams.Cancelled)
			if got := <-told; got.MessageID != sent.MessageID || got.CancelReason != "stop" {
				t.Errorf("the handler was told of %+v", got)
			}
			r.expectSaid(session, `appStreamResponse parent ""`)
			r.nothingPending("parent")
			sends++
			if n := r.rdb.XLen(t.Context(), r.schema.TypeStream("parent")).Val(); n != sends {
				t.Errorf("%d commands went to the parent, want the %d tasks: nobody waits for a reply", n, sends)
			}
		}
	})
}

// TestCancelOfAChild tells the caller.
func TestCancelOfAChild(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 1)
		r.worker("w-1", "parent", caller("slow"))
		r.worker("w-2", "slow", blocked(began))
		sent := r.send("parent", "sess", "go")
		child := <-began
		r.status("sess", sent.MessageID, streams.WaitingAgent)
		if _, err := r.client.Cancel(t.Context(), "sess", child.MessageID, "not needed"); err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `finalAnswer parent "slow CANCELLED {\"reason\":\"not needed\"}"`, `appStreamResponse parent ""`)
	})
}

// TestCancelBeforeAWorker cancels what waits in the stream.
func TestCancelBeforeAWorker(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		sent, err := r.client.Send(t.Context(), streams.Request{
			AgentType: "echo", SessionID: "sess", Content: streams.TextContent("x"), Policy: streams.SendAnyway,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.client.CancelSession(t.Context(), "sess", "changed my mind"); err != nil {
			t.Fatal(err)
		}
		r.worker("w-1", "echo", echo)
		r.status("sess", sent.MessageID, streams.Cancelled)
		r.expectSaid("sess", `appStreamResponse echo ""`)
		r.nothingPending("echo")
	})
}

// TestCancelWithoutItsWorker ends a task that waits, and whose worker is gone.
func TestCancelWithoutItsWorker(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		w := r.worker("w-1", "asker", asker)
		sent := r.send("asker", "sess", "go")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, ""); err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Cancelled)
		if got := r.said("sess"); strings.Count(got, "appStreamResponse") != 1 {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestCancelsDoNotWait cancels a task that came to the worker's own stream
// while all slots are taken and more such tasks wait.
func TestCancelsDoNotWait(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 9)
		r.worker("w-1", "slow", blocked(began), func(o *streams.WorkerOptions) { o.Concurrency = 1 })
		for _, m := range []string{"m-1", "m-2", "m-3"} {
			text, err := streams.Command{
				Header: streams.Header{MessageID: m, SessionID: "sess", TraceID: "t", TargetAgentType: "slow"},
				Body:   &streams.Ask{Content: streams.TextContent("x")},
			}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			r.rdb.XAdd(t.Context(), streams.Again(r.schema.WorkerStream("w-1"), map[string]any{"data": string(text)}))
		}
		for range 3 {
			task := <-began
			begin := time.Now()
			if _, err := r.client.Cancel(t.Context(), "sess", task.MessageID, ""); err != nil {
				t.Fatal(err)
			}
			r.status("sess", task.MessageID, streams.Cancelled)
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("the cancel took %v", took)
			}
		}
	})
}

// gate lets a test act right after a worker has taken a task into its record.
type gate struct {
	witness
	acted atomic.Bool // not a sync.Once, on which other connections would wait
	act   func()
}

func (g *gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, c := range cmds {
			if strings.Contains(fmt.Sprint(c.Args()...), `"status":"RUNNING"`) && g.acted.CompareAndSwap(false, true) {
				g.act()
			}
		}
		return err
	}
}

// TestCancelBetweenRecordAndRun cancels a task that a worker has, and whose run
// has not begun.
func TestCancelBetweenRecordAndRun(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		rdb := r.again()
		stream := r.schema.WorkerStream("w-1")
		rdb.AddHook(&gate{act: func() {
			if _, err := r.client.CancelSession(context.Background(), "sess", "too late"); err != nil {
				t.Error(err)
			}
			eventually(t, "the command to be done", func() error {
				for _, g := range r.rdb.XInfoGroups(context.Background(), stream).Val() {
					if g.Pending == 0 && g.LastDeliveredID != "0-0" {
						return nil
					}
				}
				return errors.New("it is not")
			})
		}})
		began := make(chan streams.Task, 1)
		r.workerOn(rdb, "w-1", "slow", blocked(began))
		var sent streams.Sent
		eventually(t, "the worker to be online", func() (err error) {
			sent, err = r.client.Send(t.Context(), streams.Request{AgentType: "slow", SessionID: "sess", Content: streams.TextContent("x")})
			return err
		})
		r.status("sess", sent.MessageID, streams.Cancelled)
		if len(began) != 0 {
			t.Error("the run began all the same")
		}
	})
}
