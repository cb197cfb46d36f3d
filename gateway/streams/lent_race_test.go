package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
)

// slowDoor is a workshop that takes its time to open an agent.
type slowDoor struct{ streams.Workshop }

func (s slowDoor) Describe(role, agentType string) (event.Loan, error) {
	<-time.After(300 * time.Millisecond)
	return s.Workshop.Describe(role, agentType)
}

// TestALoanIsAskedWhileItOpens asks a lent agent for something before the worker
// serves it: that is done at once, not when the agent has been quiet for long.
func TestALoanIsAskedWhileItOpens(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		w, err := loneWorkshop(handTools(time.Millisecond, func(string, string, bool) {}, func() {}), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		const linger = 15 * time.Second
		r.worker("w-1", "one", echo, func(o *streams.WorkerOptions) { o.Agents = streams.NewAgents(slowDoor{w}, linger) })
		began := time.Now()
		res, err := r.lone("pure").Wait()
		if err != nil || !strings.Contains(res.Answer, "pure worked") {
			t.Errorf("the run ended with %q, %v", res.Answer, err)
		}
		if took := time.Since(began); took > linger {
			t.Errorf("the run took %v", took)
		}
	})
}

// TestAServerThatLostAll empties Redis while a lent tool works: the agent is lent
// anew for what comes then.
func TestAServerThatLostAll(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.lender("w-1", handTools(time.Second, func(string, string, bool) {}, func() {}))
		run := r.lone("pure")
		awaitLive(t, run, "output", func(rec event.Record) bool {
			_, ok := rec.Data.(event.ToolOutput)
			return ok && rec.Agent == "a_1"
		})
		if err := r.rdb.FlushAll(context.Background()).Err(); err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait()
		if err != nil || !strings.Contains(res.Answer, "pure worked") {
			t.Errorf("the run ended with %q, %v", res.Answer, err)
		}
	})
}

// hasty ends lent agents at once; it tells only what they are made of.
type hasty struct{ *streams.Agents }

func (h hasty) Start(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
	if !strings.Contains(string(t.Agent), `"agent"`) {
		return h.Agents.Start(ctx, t, out)
	}
	return streams.Outcome{}, nil
}

// TestALenderThatLendsNothing borrows from a worker that ends each agent before it
// is asked: the turn fails, and the worker is not asked again and again.
func TestALenderThatLendsNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		w, err := loneWorkshop(handTools(0, func(string, string, bool) {}, func() {}), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Close() })
		r.worker("w-1", "one", echo, func(o *streams.WorkerOptions) { o.Agents = hasty{streams.NewAgents(w, 0)} })
		run := r.lone("pure", leader.WithOverride(func(t *leader.Team) { t.Limits.Deadline = time.Minute }))
		if res, err := run.Wait(); err != nil || !strings.Contains(strings.Join(failuresOf(t, run), "\n"), "before it is asked") {
			t.Errorf("the run ended with %q, %v; failures %q", res.Answer, err, failuresOf(t, run))
		}
		if all, err := r.client.Records(t.Context(), run.ID()+"-a_1"); err != nil || len(all) > 3 {
			t.Errorf("the agent was opened %d times, %v", len(all), err)
		}
	})
}

// failuresOf are the errors of the model calls of a run.
func failuresOf(t *testing.T, run *leader.Run) (list []string) {
	t.Helper()
	for rec := range recordsOf(t, run) {
		if d, ok := rec.Data.(event.ModelFailed); ok {
			list = append(list, d.Failure.Message)
		}
	}
	return list
}

// heard waits until a worker has acknowledged all that was told to it.
func heard(t *testing.T, r *rig, worker string) {
	t.Helper()
	stream := r.schema.WorkerStream(worker)
	eventually(t, "the words to be heard", func() error {
		last, err := r.rdb.XRevRangeN(t.Context(), stream, "+", "-", 1).Result()
		if err != nil || len(last) == 0 {
			return errors.Join(err, errors.New("nothing was told"))
		}
		groups, err := r.rdb.XInfoGroups(t.Context(), stream).Result()
		if err != nil || len(groups) != 1 || groups[0].Pending > 0 || groups[0].LastDeliveredID != last[0].ID {
			return errors.Join(err, fmt.Errorf("%+v, and the last word is %s", groups, last[0].ID))
		}
		return nil
	})
}

// TestAStopThatComesFirst tells a worker to stop a call before it hears of the
// call, which may be, as words come on their own: the call is not done.
func TestAStopThatComesFirst(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var ran atomic.Int64
		r.lender("w-1", handTools(time.Millisecond, func(string, string, bool) { ran.Add(1) }, func() {}))
		sent, err := r.client.Send(t.Context(), streams.Request{
			AgentType: "one", SessionID: "r-1-a_1", Content: streams.TextContent("go"),
			Extra: streams.Values{"troupe": []byte(`{"run":"r-1","agent":"a_1","role":"a","task_id":"t-1"}`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.status("r-1-a_1", sent.MessageID, streams.Running)
		tell := func(id string, d event.Data, call *event.LentCall) {
			text, err := json.Marshal(map[string]any{"id": id, "record": event.Record{V: event.Version, Time: time.Now(), Data: d}, "call": call})
			if err != nil {
				t.Fatal(err)
			}
			r.command("w-1", streams.Command{
				Header: streams.Header{MessageID: sent.MessageID, SessionID: "r-1-a_1", TraceID: "t", TargetAgentType: "one"},
				Body:   &streams.Resume{Content: streams.TextContent("word"), ExtraPayload: streams.Values{"troupe": text}},
			})
		}
		do := func(id string) {
			c := event.LentCall{CallID: id, Name: "once", Arguments: `{"what":"x"}`, RequestID: id, Agent: "a_1"}
			tell(id, event.ToolStarted{CallID: id, Name: c.Name, Arguments: c.Arguments, RequestID: id}, &c)
		}
		tell("first", event.AgentStopping{Mode: event.StopNow, By: event.RuntimeName}, nil)
		heard(t, r, "w-1") // words that come together are heard in any order
		do("first")
		do("second")
		eventually(t, "the second call", func() error {
			if ran.Load() == 0 {
				return errors.New("it was not done")
			}
			return nil
		})
		<-time.After(100 * time.Millisecond)
		if ran.Load() != 1 {
			t.Errorf("%d calls were done, want 1", ran.Load())
		}
	})
}
