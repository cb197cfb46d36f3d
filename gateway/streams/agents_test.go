package streams_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
)

// agents is a handler of single agents: a fake that can be told something.
type agents struct {
	fake
	tell func(ctx context.Context, t streams.Task) bool
}

func (a agents) Tell(ctx context.Context, t streams.Task) bool { return a.tell(ctx, t) }

// giveAgent gives the task of an agent of somebody's team.
func (r *rig) giveAgent(session string) streams.Sent {
	r.t.Helper()
	sent, err := r.client.Send(context.Background(), streams.Request{
		AgentType: "signup", SessionID: session, Content: streams.TextContent("go"),
		Extra: streams.Values{"troupe": []byte(`{"run":"r-1","agent":"uio_1"}`)},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return sent
}

func TestTasksOfAgentsHaveAHandlerOfTheirOwn(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		type method = func(context.Context, streams.Task, *streams.Sink) (streams.Outcome, error)
		note := func(o streams.Outcome) method {
			return func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
				return o, out.Log(ctx, string(task.Agent))
			}
		}
		cancelled := make(chan string, 1)
		a := agents{fake: fake{
			start: note(streams.Outcome{Wait: streams.WaitingUser}), resume: note(streams.Outcome{Wait: streams.WaitingUser}),
			cancel: func(_ context.Context, task streams.Task) error {
				cancelled <- string(task.Agent)
				return nil
			},
		}}
		r.worker("w-1", "signup", echo, func(o *streams.WorkerOptions) { o.Agents = a })
		if value := r.rdb.Get(t.Context(), r.schema.Lease("w-1")).Val(); !strings.Contains(value, `"troupe":1`) {
			t.Errorf("the lease does not say that the worker runs agents: %s", value)
		}
		sent := r.giveAgent("sess")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		_, err := r.client.Resume(t.Context(), streams.Answer{SessionID: "sess", MessageID: sent.MessageID, Content: streams.TextContent("more")})
		if err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprintf("reasoningLogDelta signup %q", `{"run":"r-1","agent":"uio_1"}`)
		eventually(t, "both runs", func() error {
			if got := strings.Count(r.said("sess"), said); got != 2 {
				return fmt.Errorf("%d", got)
			}
			return nil
		})
		r.status("sess", sent.MessageID, streams.WaitingUser)
		if _, err := r.client.Cancel(t.Context(), "sess", sent.MessageID, "enough"); err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Cancelled)
		if got := <-cancelled; got != `{"run":"r-1","agent":"uio_1"}` {
			t.Errorf("cancelled %s", got)
		}
		team := r.send("signup", "sess", "hello")
		r.status("sess", team.MessageID, streams.Completed)
		if !strings.Contains(r.said("sess"), "echo: hello") {
			t.Error("the task of a team went to the agents' handler")
		}
	})
}

// TestTell says something to an agent while it works: the run takes it at once,
// or it is the next run.
func TestTell(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		heard := make(chan string, 1)
		began, goOn := make(chan streams.Task, 1), make(chan struct{})
		a := agents{
			fake: fake{
				start: func(_ context.Context, task streams.Task, _ *streams.Sink) (streams.Outcome, error) {
					began <- task
					<-goOn
					return streams.Outcome{Wait: streams.WaitingUser}, nil
				},
				resume: func(_ context.Context, task streams.Task, _ *streams.Sink) (streams.Outcome, error) {
					return streams.Outcome{Answer: "late: " + string(task.Extra["troupe"])}, nil
				},
			},
			tell: func(_ context.Context, task streams.Task) bool {
				if string(task.Extra["troupe"]) == "2" {
					return false
				}
				heard <- string(task.Extra["troupe"])
				return true
			},
		}
		r.worker("w-1", "signup", echo, func(o *streams.WorkerOptions) { o.Agents = a })
		sent := r.giveAgent("sess")
		<-began
		for _, word := range []string{"1", "2"} {
			r.command("w-1", streams.Command{
				Header: streams.Header{MessageID: sent.MessageID, SessionID: "sess", TargetAgentType: "signup"},
				Body:   &streams.Resume{Status: "MESSAGE", ExtraPayload: streams.Values{"troupe": []byte(word)}},
			})
		}
		if got := <-heard; got != "1" {
			t.Errorf("heard %s", got)
		}
		eventually(t, "what was not taken to wait", func() error {
			rec, err := r.client.Record(context.Background(), "sess", sent.MessageID)
			if err == nil && len(rec.Troupe.Inbox) != 1 {
				err = errors.New("it does not")
			}
			return err
		})
		close(goOn)
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `finalAnswer signup "late: 2"`, `appStreamResponse signup ""`)
	})
}
