package streams_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
)

var _ leader.Remote = (*streams.Remote)(nil)

// stepAt is a step of the agent weather_1 in task n.
func stepAt(n, number int, text string) event.RemoteStep {
	s := event.RemoteStep{
		RemoteAgent: event.RemoteAgent{Run: "run", TraceID: "0123456789abcdef0123456789abcdef", Agent: "weather_1"},
		Task:        fmt.Sprintf("run-weather_1-%d", n), Number: number, Text: text, Metadata: map[string]string{"user": "ann"},
	}
	if s.ID = s.Task; number > 1 {
		s.ID += fmt.Sprintf("-%d", number)
	}
	return s
}

// take takes a step to its end, and tells in words what came.
func take(ctx context.Context, t *testing.T, r *streams.Remote, s event.RemoteStep) (said []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for d, err := range r.Step(ctx, s) {
		if err != nil {
			return said, err
		}
		switch d := d.(type) {
		case event.ModelDelta:
			said = append(said, "delta "+d.Text)
		case event.ModelThinking:
			said = append(said, "thinking "+strings.TrimSpace(d.Text))
		case event.ModelReplied:
			line := "reply " + d.Text
			for _, c := range d.Calls {
				line += " | " + c.Name + c.Arguments
			}
			said = append(said, line)
		default:
			t.Errorf("unexpected %T", d)
		}
	}
	return said, ctx.Err()
}

func expectSteps(t *testing.T, got []string, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// onBoth runs a test with the raw worker, on miniredis and on a real server.
func onBoth(t *testing.T, test func(t *testing.T, r *rig, w *rawWorker)) {
	t.Helper()
	t.Parallel()
	t.Run("mini", func(t *testing.T) {
		t.Parallel()
		_, rdb := mini(t)
		test(t, newRig(t, rdb, streams.V1), startRaw(t, rdb))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		rdb := dial(t, realRedis(t).addr())
		test(t, newRig(t, rdb, streams.V1), startRaw(t, rdb))
	})
}

// TestForeignWorkerAsARole gives a worker of another program a task in which it
// tells, asks and reports, each step also from the mouth of a program that
// knows nothing of those before.
func TestForeignWorkerAsARole(t *testing.T) {
	onBoth(t, func(t *testing.T, r *rig, w *rawWorker) {
		for n, fresh := range []bool{false, true} {
			remote := streams.NewRemote(r.client, "weather", streams.RemoteOptions{})
			step := func(number int, text string) ([]string, error) {
				if fresh {
					remote = streams.NewRemote(r.client, "weather", streams.RemoteOptions{})
					_, _ = take(t.Context(), t, remote, stepAt(n+1, number, text)) // taken by a program that then ends
					remote = streams.NewRemote(r.client, "weather", streams.RemoteOptions{})
				}
				return take(t.Context(), t, remote, stepAt(n+1, number, text))
			}
			said, err := step(1, "ask")
			expectSteps(t, said, err, "thinking thinking", "delta I look ", "delta at the sky", "reply I look at the sky | go_on{}")
			said, err = step(2, "")
			expectSteps(t, said, err, "thinking looking", `reply  | ask_master{"question":"Which city?"}`)
			said, err = step(3, "Lima")
			expectSteps(t, said, err, "delta in ", "delta Lima", "delta  it rains", "reply in Lima it rains")
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if want := []string{"ASK_AGENT ask", "RESUME Lima", "ASK_AGENT ask", "RESUME Lima"}; !slices.Equal(w.tasks, want) {
			t.Errorf("the worker was told %q, want %q", w.tasks, want)
		}
	})
}

func TestForeignWorkerThatFails(t *testing.T) {
	onBoth(t, func(t *testing.T, r *rig, _ *rawWorker) {
		remote := streams.NewRemote(r.client, "weather", streams.RemoteOptions{})
		_, err := take(t.Context(), t, remote, stepAt(1, 1, "fail"))
		failed, ok := errors.AsType[*streams.RemoteError](err)
		if !ok || !strings.Contains(failed.Failure().Message, "the sky fell down") || failed.Failure().Code != "failed" {
			t.Errorf("the error is %v", err)
		}
		said, err := take(t.Context(), t, remote, stepAt(2, 1, "hello"))
		expectSteps(t, said, err, "delta echo: hello", "reply echo: hello")
	})
}

func TestForeignWorkerIsCancelled(t *testing.T) {
	onBoth(t, func(t *testing.T, r *rig, _ *rawWorker) {
		remote := streams.NewRemote(r.client, "weather", streams.RemoteOptions{})
		s := stepAt(1, 1, "slow")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		for d, err := range remote.Step(ctx, s) {
			if err != nil || d.(event.ModelDelta).Text != "started" {
				t.Errorf("it said %+v, %v", d, err)
			}
			stop()
		}
		if err := remote.Cancel(t.Context(), s, "too late"); err != nil {
			t.Error(err)
		}
		rec := r.status("run-weather_1", s.Task, streams.Cancelled)
		if rec.CancelReason != "too late" {
			t.Errorf("the reason is %q", rec.CancelReason)
		}
		_, err := take(t.Context(), t, remote, s) // a program that goes on with it hears so
		if failed, ok := errors.AsType[*streams.RemoteError](err); !ok || failed.Failure().Code != "cancelled" || !strings.Contains(err.Error(), "too late") {
			t.Errorf("the error is %v", err)
		}
		if err := remote.Cancel(t.Context(), stepAt(9, 1, ""), "who?"); err != nil {
			t.Errorf("a task that nobody knows: %v", err)
		}
	})
}

// TestNobodyAnswersAsARole names the agent type, the server and what to do.
func TestNobodyAnswersAsARole(t *testing.T) {
	t.Parallel()
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	remote := streams.NewRemote(r.client, "weather", streams.RemoteOptions{Server: "redis://house:6379/0", Gone: time.Second})
	expect := func(err error) {
		t.Helper()
		failed, ok := errors.AsType[*streams.RemoteError](err)
		if !ok || !strings.Contains(err.Error(), "agent type weather on redis://house:6379/0") || !strings.Contains(failed.Failure().Hint, "troupe worker --agent-type weather") {
			t.Errorf("the error is %v", err)
		}
	}
	_, err := take(t.Context(), t, remote, stepAt(1, 1, "hello"))
	expect(err)
	w := startRaw(t, rdb)
	go func() { // it dies at work
		eventually(t, "the task to begin", func() error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.tasks) == 0 {
				return errors.New("not yet")
			}
			return nil
		})
		rdb.Del(context.Background(), "byai_gateway:registry:worker:online:"+rawName)
	}()
	_, err = take(t.Context(), t, remote, stepAt(2, 1, "slow"))
	expect(err)
}

// forecast is a leader who asks for the weather, answers, and then sends work
// that it stops.
const forecast = `{"roles": {"tl": [
	{"when": {"number": "1"}, "calls": [{"tool": "create_sub_agent", "args": {"role": "weather", "task": "ask"}}]},
	{"when": {"kind": "question"}, "calls": [{"tool": "answer_sub_agent_question", "args": {"question_id": "{{.Last.QuestionID}}", "answer": "Lima"}}]},
	{"when": {"kind": "completion", "last": "it rains"}, "text": "{{.Last.Content}}", "calls": [
		{"tool": "send_message_to_sub_agent", "args": {"agent": "weather_1", "message": "slow"}},
		{"tool": "wait_sub_agent_output", "args": {"until": "any", "timeout": "2s"}}]},
	{"when": {"tool": "wait_sub_agent_output"}, "calls": [
		{"tool": "send_message_to_sub_agent", "args": {"agent": "weather_1", "message": "hurry up"}},
		{"tool": "stop_sub_agent", "args": {"agent": "weather_1", "reason": "too slow"}}]},
	{"when": {"kind": "completion"}, "text": "that is all"},
	{"when": {}, "text": "I wait"}]}}`

// TestForeignWorkerInATeam makes the worker of another program a sub-agent: its
// task, what it tells, its question to the leader, its report, and the end of a
// task that is stopped.
func TestForeignWorkerInATeam(t *testing.T) {
	onBoth(t, func(t *testing.T, r *rig, w *rawWorker) {
		l, err := leader.New(leader.Team{
			Model: spreadModel(t, forecast),
			Roles: []leader.Role{{
				ID: "weather", Code: "weather", Name: "Weather", Does: "knows the weather", Place: leader.Place{Kind: "streams", Address: "weather"},
				Remote: streams.NewRemote(r.client, "weather", streams.RemoteOptions{}),
			}},
		}, leader.WithWorkDir(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		run, err := l.Start(t.Context(), "how is the weather?")
		if err != nil {
			t.Fatal(err)
		}
		res, err := run.Wait()
		if err != nil || res.Answer != "that is all" {
			t.Errorf("the run ended with %q, %v", res.Answer, err)
		}
		var said []string
		refused := false
		for rec := range recordsOf(t, run) {
			switch d := rec.Data.(type) {
			case event.MessageSent:
				if d.From == "weather_1" {
					text, _, _ := strings.Cut(d.Content, "\n")
					said = append(said, string(d.Kind)+" "+string(d.Reason)+": "+text)
				}
			case event.ToolFinished:
				refused = refused || d.IsError && strings.Contains(d.Result, "takes no messages while it works")
			default:
			}
		}
		want := []string{
			"progress : I look at the sky", "question : Which city?", "completion natural: in Lima it rains",
		}
		if len(said) != 4 || !slices.Equal(said[:3], want) || !strings.Contains(said[3], "completion stopped") || !strings.Contains(said[3], "too slow") {
			t.Errorf("the leader heard %q", said)
		}
		if !refused {
			t.Error("a message to the agent at work was not refused")
		}
		rec := r.status(run.ID()+"-weather_1", run.ID()+"-weather_1-2", streams.Cancelled)
		if !strings.Contains(rec.CancelReason, "too slow") {
			t.Errorf("the task was cancelled because %q", rec.CancelReason)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if want := []string{"ASK_AGENT ask", "RESUME Lima", "ASK_AGENT slow"}; !slices.Equal(w.tasks, want) {
			t.Errorf("the worker was told %q, want %q", w.tasks, want)
		}
	})
}
