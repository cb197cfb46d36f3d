package streams_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
)

func TestEcho(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		w := r.worker("w-1", "echo", echo)
		sent := r.send("echo", "sess", "hello")
		rec := r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `answerDelta echo "echo: hello"`, `finalAnswer echo "echo: hello"`, `appStreamResponse echo ""`)
		if got := timeline(rec); got != "QUEUED RUNNING COMPLETED" || rec.WorkerID != "w-1" || rec.FinishedAt == 0 || rec.StartedAt == 0 {
			t.Errorf("got %s, %+v", got, rec)
		}
		r.nothingPending("echo")
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		for _, key := range []string{r.schema.Lease("w-1"), r.schema.Members("echo"), r.schema.AgentTypes("w-1"), r.schema.Workers()} {
			if n := r.rdb.Exists(t.Context(), key).Val(); n != 0 {
				t.Errorf("%s is left", key)
			}
		}
	})
}

func TestStreaming(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "streamer", fake{start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
			return streams.Outcome{Answer: "Hello"}, errors.Join(
				out.State(ctx, "thinking"), out.Log(ctx, "a log line"), out.Text(ctx, "Hel"), out.Text(ctx, "lo"),
				out.ToolCalls(ctx, []byte(`[{"id":"call-1"}]`)), out.ToolResponses(ctx, []byte(`[{"tool_call_id":"call-1"}]`)),
				out.Artifact(ctx, "https://example.org/out.json"),
			)
		}})
		sent := r.send("streamer", "sess", "go")
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta streamer "thinking"`, `reasoningLogDelta streamer "a log line"`,
			`answerDelta streamer "Hel"`, `answerDelta streamer "lo"`, `answerDelta streamer ""`, `answerDelta streamer ""`,
			`reasoningLogDelta streamer "https://example.org/out.json"`, `finalAnswer streamer "Hello"`, `appStreamResponse streamer ""`)
	})
}

func TestPageEvents(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "echo", fake{start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
			return streams.Outcome{}, out.State(ctx, "thinking")
		}}, func(o *streams.WorkerOptions) { o.PageEvents = true })
		sent := r.send("echo", "sess", "hello")
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta echo "thinking"`, `stateChange echo "thinking"`, `appStreamResponse echo ""`)
	})
}

// asker asks which city, and answers with what it was told.
var asker = fake{
	start: func(context.Context, streams.Task, *streams.Sink) (streams.Outcome, error) {
		return streams.Outcome{Wait: streams.WaitingUser, Question: "Which city?"}, nil
	},
	resume: func(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
		return streams.Outcome{Answer: "city is " + t.Content.Text()}, nil
	},
}

func TestAskUserAndResume(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "asker", asker)
		sent := r.send("asker", "sess", "go")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		r.nothingPending("asker")
		answer := streams.Answer{SessionID: "sess", MessageID: sent.MessageID, Content: streams.TextContent("Paris")}
		if _, err := r.client.Resume(t.Context(), answer); err != nil {
			t.Fatal(err)
		}
		rec := r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta asker "Which city?"`, `finalAnswer asker "city is Paris"`, `appStreamResponse asker ""`)
		if got, want := timeline(rec), "QUEUED RUNNING WAITING_USER RUNNING COMPLETED"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if _, err := r.client.Resume(t.Context(), answer); !errors.Is(err, streams.ErrState) {
			t.Errorf("a second answer: got %v, want ErrState", err)
		}
	})
}

func TestFailure(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "fail", fake{start: func(context.Context, streams.Task, *streams.Sink) (streams.Outcome, error) {
			return streams.Outcome{}, errors.New("boom")
		}})
		sent := r.send("fail", "sess", "go")
		rec := r.status("sess", sent.MessageID, streams.Failed)
		if rec.ErrorMessage != "boom" || rec.FailedStage != "process_command" || rec.ErrorType == "" {
			t.Errorf("got %q, %q, %q", rec.ErrorMessage, rec.FailedStage, rec.ErrorType)
		}
		r.expectSaid("sess", `reasoningLogDelta fail "boom"`, `appStreamResponse fail ""`)
		r.nothingPending("fail")
	})
}

// caller gives its task to another type and says what came back.
func caller(to string) fake {
	return fake{
		start: func(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
			_, err := out.Call(ctx, streams.Call{AgentType: to, Content: t.Content})
			return streams.Outcome{Wait: streams.WaitingAgent}, err
		},
		resume: func(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
			return streams.Outcome{Answer: fmt.Sprintf("%s %s %s", t.Header.SourceAgentType, t.Status, t.ReplyData)}, nil
		},
	}
}

func TestCallAgent(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "parent", caller("echo"))
		r.worker("w-2", "echo", echo)
		sent := r.send("parent", "sess", "hello")
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta echo "echo: hello"`, `reasoningLogDelta echo "echo: hello"`,
			`finalAnswer parent "echo COMPLETED \"echo: hello\""`, `appStreamResponse parent ""`)
		records, err := r.client.Records(t.Context(), "sess")
		if err != nil || len(records) != 2 {
			t.Fatalf("got %d records, %v", len(records), err)
		}
		if child := records[1]; child.ParentMessageID != sent.MessageID || child.SourceAgentType != "parent" {
			t.Errorf("the child is %+v", child)
		}
	})
}

// TestThreeLevels asks the user from the lowest of three agents: nobody above
// hears of it before the real end.
func TestThreeLevels(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "top", caller("mid"))
		r.worker("w-2", "mid", caller("asker"))
		r.worker("w-3", "asker", asker)
		sent := r.send("top", "sess", "hello")
		var leaf streams.Record
		eventually(t, "the question", func() error {
			records, err := r.client.Records(t.Context(), "sess")
			for _, rec := range records {
				if rec.TargetAgentType == "asker" && rec.Status == streams.WaitingUser {
					leaf = rec
					return err
				}
			}
			return errors.Join(err, errors.New("not asked"))
		})
		r.status("sess", sent.MessageID, streams.WaitingAgent)
		_, err := r.client.Resume(t.Context(), streams.Answer{
			SessionID: "sess", MessageID: leaf.MessageID, Content: streams.TextContent("Paris"),
		})
		if err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta asker "Which city?"`, `reasoningLogDelta asker "city is Paris"`,
			`reasoningLogDelta mid "asker COMPLETED \"city is Paris\""`,
			`finalAnswer top "mid COMPLETED \"asker COMPLETED \\\"city is Paris\\\"\""`, `appStreamResponse top ""`)
	})
}

func TestNoSuchAgentForACall(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "parent", caller("nobody"))
		sent := r.send("parent", "sess", "hello")
		rec := r.status("sess", sent.MessageID, streams.Failed)
		if !strings.Contains(rec.ErrorMessage, "nobody") {
			t.Errorf("got %q", rec.ErrorMessage)
		}
	})
}

// grouping gives three tasks to another type and says what came back.
func grouping(to string) fake {
	return fake{
		start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
			var calls []streams.Call
			for _, text := range []string{"a", "b", "c"} {
				calls = append(calls, streams.Call{AgentType: to, Content: streams.TextContent(text)})
			}
			_, _, err := out.Dispatch(ctx, calls)
			return streams.Outcome{Wait: streams.GroupQueued}, err
		},
		resume: func(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
			answers := map[string]bool{}
			for _, g := range t.Results {
				answers[string(g.ReplyData)] = true
			}
			return streams.Outcome{Answer: fmt.Sprint(answers)}, nil
		},
	}
}

func TestGroup(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var resumed atomic.Int32
		h := grouping("echo")
		resume := h.resume
		h.resume = func(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
			resumed.Add(1)
			return resume(ctx, t, out)
		}
		r.worker("w-1", "parent", h)
		r.worker("w-2", "echo", echo)
		sent := r.send("parent", "sess", "go")
		r.status("sess", sent.MessageID, streams.Completed)
		r.nothingPending("parent")
		if got := resumed.Load(); got != 1 {
			t.Errorf("resumed %d times", got)
		}
		if got, want := r.said("sess"), `finalAnswer parent "map[\"echo: a\":true \"echo: b\":true \"echo: c\":true]"`; !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	})
}

// TestEarlyReply lets the reply come while the caller still runs.
func TestEarlyReply(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "parent", fake{
			start: func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
				child, err := out.Call(ctx, streams.Call{AgentType: "echo", Content: task.Content})
				eventually(t, "the child's reply", func() error {
					if rec, err := r.client.Record(ctx, "sess", child); err != nil || !rec.Status.Terminal() {
						return fmt.Errorf("it is %s, %w", rec.Status, err)
					}
					me, err := r.client.Record(ctx, "sess", task.MessageID)
					if err == nil && len(me.Troupe.Inbox) == 0 {
						return errors.New("nothing in the inbox")
					}
					return err
				})
				return streams.Outcome{Wait: streams.WaitingAgent}, err
			},
			resume: caller("").resume,
		})
		r.worker("w-2", "echo", echo)
		sent := r.send("parent", "sess", "hello")
		rec := r.status("sess", sent.MessageID, streams.Completed)
		if got, want := timeline(rec), "QUEUED RUNNING WAITING_AGENT RUNNING COMPLETED"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		r.nothingPending("parent")
	})
}

// TestDuplicates sends a task twice, and its entry a third time: it runs once.
func TestDuplicates(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var runs atomic.Int32
		r.worker("w-1", "echo", fake{start: func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
			runs.Add(1)
			return echo.start(ctx, task, out)
		}})
		request := streams.Request{AgentType: "echo", SessionID: "sess", MessageID: "msg-mine", Content: streams.TextContent("x")}
		for range 2 {
			if _, err := r.client.Send(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		}
		r.status("sess", "msg-mine", streams.Completed)
		first := r.rdb.XRange(t.Context(), r.schema.TypeStream("echo"), "-", "+").Val()[0]
		r.rdb.XAdd(t.Context(), streams.Again(r.schema.TypeStream("echo"), first.Values))
		known, err := r.client.Send(t.Context(), request)
		if err != nil || !known.Known || known.EntryID != "" {
			t.Errorf("got %+v, %v; want a known task", known, err)
		}
		marker := r.send("echo", "sess-2", "y")
		r.status("sess-2", marker.MessageID, streams.Completed)
		r.nothingPending("echo")
		if got := runs.Load(); got != 2 {
			t.Errorf("got %d runs, want one of each task", got)
		}
		if got := strings.Count(r.said("sess"), "appStreamResponse"); got != 1 {
			t.Errorf("got %d end markers", got)
		}
	})
}

// TestPoison buries what cannot be read, and tells whoever can be told.
func TestPoison(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		stream := r.schema.TypeStream("echo")
		bad := []map[string]any{
			{"data": "{oops"},
			{"data": "[1]"},
			{"payload": "x"},
			{"data": `{"action_type":"ASK_USER","header":{"message_id":"m-1","session_id":"s","trace_id":"t"}}`},
			{"data": `{"action_type":"ASK_AGENT","header":{"message_id":"m-2","session_id":"s","trace_id":"t","target_agent_type":"echo","metadata":null},"body":{"content":"x"}}`},
			{"data": `{"action_type":"RESUME","header":{"message_id":"m-3","session_id":"s","trace_id":"t"},"body":{"content":"x"}}`},
		}
		for _, values := range bad {
			r.rdb.XAdd(t.Context(), streams.Again(stream, values))
		}
		r.rdb.XAdd(t.Context(), streams.Again(stream, map[string]any{"data": `{"action_type":"CANCEL_TASK","header":{"message_id":"m-4","session_id":"s","trace_id":"t"},"body":{"target_message_id":"x"}}`}))
		r.worker("w-1", "echo", echo)
		r.status("s", "m-2", streams.Failed)
		sent := r.send("echo", "sess", "hello")
		r.status("sess", sent.MessageID, streams.Completed)
		r.nothingPending("echo")
		letters := r.rdb.XRange(t.Context(), r.schema.DeadLetters(), "-", "+").Val()
		if len(letters) != len(bad) {
			t.Fatalf("got %d dead letters, want %d", len(letters), len(bad))
		}
		var all strings.Builder
		for _, l := range letters {
			fmt.Fprintln(&all, l.Values["data"])
		}
		for want, times := range map[string]int{
			"no JSON object": 2, "no field data": 1, "action_type unknown action": 1, "header.metadata is null": 1, "no such task": 1,
		} {
			if got := strings.Count(all.String(), want); got != times {
				t.Errorf("%q: got %d letters, want %d in\n%s", want, got, times, all.String())
			}
		}
		if got := r.said("s"); !strings.Contains(got, `reasoningLogDelta echo "streams: command: header.metadata is null"`) {
			t.Errorf("the stream holds %s", got)
		}
	})
}

// TestABrokenAnswer sends an answer that cannot be read to a task that waits: the
// sender is told, and a whole one goes on with the task.
func TestABrokenAnswer(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "echo", fake{
			start: func(context.Context, streams.Task, *streams.Sink) (streams.Outcome, error) {
				return streams.Outcome{Wait: streams.WaitingUser, Question: "Which colour?"}, nil
			},
			resume: echo.start,
		})
		sent := r.send("echo", "sess", "hello")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		r.rdb.XAdd(t.Context(), streams.Again(r.schema.TypeStream("echo"), map[string]any{"data": fmt.Sprintf(
			`{"action_type":"RESUME","header":{"message_id":%q,"session_id":"sess","trace_id":"t","target_agent_type":"echo","metadata":null},"body":{"content":"x"}}`, sent.MessageID)}))
		eventually(t, "the sender to be told", func() error {
			if got := r.said("sess"); !strings.Contains(got, "header.metadata is null") {
				return errors.New(got)
			}
			return nil
		})
		r.status("sess", sent.MessageID, streams.WaitingUser)
		if _, err := r.client.Resume(t.Context(), streams.Answer{SessionID: "sess", MessageID: sent.MessageID, Content: streams.TextContent("blue")}); err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.nothingPending("echo")
	})
}

// TestTwoGroups shows what two names of a group do: each has the entry, and
// the task runs once.
func TestTwoGroups(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var runs atomic.Int32
		count := fake{start: func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
			runs.Add(1)
			return echo.start(ctx, task, out)
		}}
		r.worker("w-1", "echo", count)
		r.worker("w-2", "echo", count, func(o *streams.WorkerOptions) { o.Group = "others" })
		for i := range 5 {
			sent := r.send("echo", "sess", fmt.Sprint(i))
			r.status("sess", sent.MessageID, streams.Completed)
		}
		eventually(t, "both groups to be done", func() error {
			for _, g := range r.rdb.XInfoGroups(t.Context(), r.schema.TypeStream("echo")).Val() {
				if g.Pending != 0 || g.LastDeliveredID == "0-0" {
					return fmt.Errorf("%+v", g)
				}
			}
			return nil
		})
		if got := runs.Load(); got != 5 {
			t.Errorf("got %d runs, want 5", got)
		}
	})
}

// TestNoPrefetch lets a full worker leave all entries to others.
func TestNoPrefetch(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 10)
		full := r.worker("w-1", "slow", blocked(began), func(o *streams.WorkerOptions) { o.Concurrency = 1 })
		first := r.send("slow", "sess", "0")
		<-began
		var rest []string
		for i := range 3 {
			rest = append(rest, r.send("slow", "sess", fmt.Sprint(1+i)).MessageID)
		}
		r.worker("w-2", "slow", echo)
		for _, m := range rest {
			if rec := r.status("sess", m, streams.Completed); rec.WorkerID != "w-2" {
				t.Errorf("%s was done by %s", m, rec.WorkerID)
			}
		}
		eventually(t, "only the first to be pending", func() error {
			left, err := r.client.Pending(t.Context(), "slow")
			if err == nil && (len(left) != 1 || left[0].Command.Header.MessageID != first.MessageID || !left[0].Online) {
				return fmt.Errorf("%d are", len(left))
			}
			return err
		})
		if err := full.stop(); err != nil {
			t.Error(err)
		}
		if rec := r.status("sess", first.MessageID, streams.Completed); rec.WorkerID != "w-2" {
			t.Errorf("the task that was handed back was done by %s", rec.WorkerID)
		}
	})
}

// TestReplyTwice delivers the reply of a child a second time, while its caller
// waits for something else.
func TestReplyTwice(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		h := caller("echo")
		var resumed atomic.Int32
		h.resume = func(context.Context, streams.Task, *streams.Sink) (streams.Outcome, error) {
			resumed.Add(1)
			return streams.Outcome{Wait: streams.WaitingUser, Question: "Well?"}, nil
		}
		r.worker("w-1", "parent", h)
		r.worker("w-2", "echo", echo)
		sent := r.send("parent", "sess", "x")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		entries := r.rdb.XRange(t.Context(), r.schema.TypeStream("parent"), "-", "+").Val()
		r.rdb.XAdd(t.Context(), streams.Again(r.schema.TypeStream("parent"), entries[len(entries)-1].Values))
		eventually(t, "the copy to be read", func() error {
			for _, g := range r.rdb.XInfoGroups(t.Context(), r.schema.TypeStream("parent")).Val() {
				if g.Pending == 0 && g.LastDeliveredID != entries[len(entries)-1].ID {
					return nil
				}
			}
			return errors.New("it is not")
		})
		if got := resumed.Load(); got != 1 {
			t.Errorf("resumed %d times", got)
		}
	})
}
