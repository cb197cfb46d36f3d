package streams_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// lone is a script of a leader and one worker with tools.
const lone = `{"roles": {
	"tl": [
		{"when": {"number": "1"}, "calls": [{"tool": "create_sub_agent", "args": {"role": "a", "task": "TASK"}}]},
		{"when": {"kind": "completion"}, "text": "{{.Last.Content}}"},
		{"when": {}, "text": "I wait"}],
	"a": [
		{"when": {"number": "1", "last": "^pure"}, "calls": [{"tool": "pure", "args": {"what": "x"}}]},
		{"when": {"number": "1", "last": "^once"}, "calls": [{"tool": "once", "args": {"what": "x"}}]},
		{"when": {"number": "1", "last": "^stuck"}, "calls": [{"tool": "stuck", "args": {"what": "x"}}]},
		{"when": {"number": "1", "last": "^think"}, "text": "long thoughts, slowly said", "chunk": 4, "pace": "300ms"},
		{"when": {"tool": "pure"}, "text": "it said: {{.Result \"pure\"}}"},
		{"when": {"tool": "once"}, "text": "it said: {{.Result \"once\"}}"},
		{"when": {"tool": "stuck"}, "text": "it said: {{.Result \"stuck\"}}"},
		{"when": {}, "text": "done"}]}}`

// handTools are tools that take a while: one that may be done again, one that
// may not, and one that never ends.
func handTools(takes time.Duration, ran func(tool, request string, again bool), stopped func()) []tools.Tool {
	work := func(name string, takes time.Duration, opts ...tools.Option) tools.Tool {
		return tools.FuncCall(name, name, func(ctx context.Context, c tools.Call, _ lookArgs) (string, error) {
			ran(name, c.RequestID, c.Again)
			done, tick := time.After(takes), time.NewTicker(100*time.Millisecond)
			defer tick.Stop()
			for {
				c.Output("working") // again and again: a reader that lags misses what is live
				select {
				case <-done:
					return name + " worked", nil
				case <-ctx.Done():
					stopped()
					return "", context.Cause(ctx)
				case <-tick.C:
				}
			}
		}, opts...)
	}
	return []tools.Tool{work("pure", takes, tools.Pure), work("once", takes), work("stuck", time.Hour, tools.Pure)}
}

// loneWorkshop lends the worker of lone.
func loneWorkshop(list []tools.Tool, dir string) (*leader.Workshop, error) {
	s, err := model.ParseScript("lone", []byte(lone))
	if err != nil {
		return nil, err
	}
	l, err := leader.New(leader.Team{
		Model: leader.Model{Client: model.NewScripted(s), Name: "scripted/lone", Scripted: true},
		Roles: []leader.Role{{ID: "a", Code: "a", Name: "Role A", Tools: []string{"pure", "once", "stuck"}}},
	}, leader.WithTools(list...), leader.WithWorkDir(dir))
	if err != nil {
		return nil, err
	}
	return leader.NewWorkshop(l)
}

// lender starts a worker that lends the role a.
func (r *rig) lender(id string, list []tools.Tool) {
	r.t.Helper()
	w, err := loneWorkshop(list, r.t.TempDir())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = w.Close() })
	r.worker(id, "one", echo, func(o *streams.WorkerOptions) { o.Agents = streams.NewAgents(w, 300*time.Millisecond) })
}

// lone starts a run of a team whose one role is lent by workers of the type one.
func (r *rig) lone(task string, opts ...leader.Option) *leader.Run {
	r.t.Helper()
	l, err := leader.New(leader.Team{
		Model: spreadModel(r.t, strings.ReplaceAll(lone, "TASK", task)),
		Roles: []leader.Role{{
			ID: "a", Code: "a", Name: "Role A", Place: leader.Place{Kind: "streams", Address: "one"},
			Remote: streams.NewRemote(r.client, "one", streams.RemoteOptions{Gone: 5 * time.Second}),
		}},
	}, append([]leader.Option{leader.WithWorkDir(r.t.TempDir())}, opts...)...)
	if err != nil {
		r.t.Fatal(err)
	}
	run, err := l.Start(r.t.Context(), "go")
	if err != nil {
		r.t.Fatal(err)
	}
	return run
}

// awaitLive waits until the log, or what goes by, has what is wanted.
func awaitLive(t *testing.T, run *leader.Run, what string, is func(event.Record) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for rec, err := range run.Events(ctx) {
		if err == nil && is(rec) {
			return
		}
	}
	t.Fatalf("no %s came", what)
}

// lenderEnv makes the test program a worker that lends, and that is there to be
// killed.
const lenderEnv = "TROUPE_STREAMS_LENDER"

func runLender(addr string) {
	rdb := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})
	defer rdb.Close()
	w, err := loneWorkshop(handTools(time.Hour, func(string, string, bool) {}, func() {}), os.TempDir())
	if err != nil {
		panic(err)
	}
	o := streams.WorkerOptions{ID: "victim", AgentTypes: []string{"one"}, Handler: echo, Agents: streams.NewAgents(w, 0)}
	brief(&o)
	worker, err := streams.NewWorker(rdb, o)
	if err == nil {
		err = worker.Run(context.Background())
	}
	panic(err)
}

// TestKilledLender kills the worker process of a lent agent in mid-run; another
// worker of the type takes its place.
func TestKilledLender(t *testing.T) {
	for task, want := range map[string]string{
		"think": "long thoughts, slowly said",
		"pure":  "it said: pure worked",
		"once":  "nobody knows",
	} {
		t.Run(task, func(t *testing.T) {
			s, r := onReal(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), lenderEnv+"="+s.addr())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			run := r.lone(task)
			awaitLive(t, run, "work", func(rec event.Record) bool {
				switch rec.Data.(type) {
				case event.ModelDelta:
					return rec.Agent == "a_1" && task == "think"
				case event.ToolOutput:
					return rec.Agent == "a_1"
				default:
					return false
				}
			})
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			var ran atomic.Int64
			var requests []string
			r.lender("w-2", handTools(10*time.Millisecond, func(_, request string, again bool) {
				ran.Add(1)
				if !again {
					request += " (not again)"
				}
				requests = append(requests, request)
			}, func() {}))
			res, err := run.Wait()
			if err != nil || !strings.Contains(strings.ToLower(res.Answer), want) {
				t.Errorf("the run ended with %q, %v; want %q in it", res.Answer, err, want)
			}
			if want := map[string]int64{"pure": 1}[task]; ran.Load() != want {
				t.Errorf("the other worker's tools ran %d times, want %d", ran.Load(), want)
			}
			if task == "pure" && (len(requests) != 1 || !strings.HasPrefix(requests[0], "a_1/") || strings.Contains(requests[0], "not")) {
				t.Errorf("the tool ran again as %q", requests)
			}
			retried := 0
			for rec := range recordsOf(t, run) {
				if _, ok := rec.Data.(event.ModelRetried); ok {
					retried++
				}
			}
			if (task == "think") != (retried > 0) {
				t.Errorf("%d model calls are told as retried", retried)
			}
		})
	}
}

// TestStoppedLoan stops a lent agent while its tool runs: the tool ends, and the
// task with it.
func TestStoppedLoan(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		stopped := make(chan bool, 1)
		r.lender("w-1", handTools(time.Millisecond, func(string, string, bool) {}, func() { stopped <- true }))
		run := r.lone("stuck")
		awaitLive(t, run, "output", func(rec event.Record) bool {
			_, ok := rec.Data.(event.ToolOutput)
			return ok
		})
		if err := run.Stop("a_1", leader.Now); err != nil {
			t.Fatal(err)
		}
		<-stopped
		if _, err := run.Wait(); err != nil {
			t.Error(err)
		}
		eventually(t, "the task to end", func() error {
			all, err := r.client.Records(t.Context(), run.ID()+"-a_1")
			if err != nil || len(all) != 1 || !all[0].Status.Terminal() {
				return errors.New("it has not")
			}
			return nil
		})
	})
}

// TestLentToolTimesOut ends a call of a tool by the limit at home: the tool is
// stopped, and the agent goes on.
func TestLentToolTimesOut(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		var stopped atomic.Bool
		r.lender("w-1", handTools(time.Millisecond, func(string, string, bool) {}, func() { stopped.Store(true) }))
		// Long enough for the worker to begin the call on a machine that is busy.
		run := r.lone("stuck", leader.WithOverride(func(t *leader.Team) { t.Limits.ToolTimeout = 3 * time.Second }))
		res, err := run.Wait()
		if err != nil || !strings.Contains(res.Answer, "timed out") {
			t.Errorf("the run ended with %q, %v", res.Answer, err)
		}
		eventually(t, "the tool to be stopped", func() error {
			if !stopped.Load() {
				return errors.New("it is at work, or has never begun")
			}
			return nil
		})
	})
}

// TestALoanThatNobodyGives asks for a role that the team there does not have,
// and for an agent type that nobody works for.
func TestALoanThatNobodyGives(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		refused := func(run *leader.Run) string {
			t.Helper()
			if _, err := run.Wait(); err != nil {
				t.Error(err)
			}
			for rec := range recordsOf(t, run) {
				if d, ok := rec.Data.(event.ToolFinished); ok && d.Name == "create_sub_agent" && d.IsError {
					return d.Result
				}
			}
			t.Error("the agent was created")
			return ""
		}
		if text := refused(r.lone("pure")); !strings.Contains(text, "streams/one") || !strings.Contains(text, "troupe worker --agent-type one") {
			t.Errorf("nobody there: %q", text)
		}
		var n atomic.Int64
		r.lends("w-1", "one", &n)
		text := refused(r.lone("pure", leader.WithOverride(func(t *leader.Team) { t.Roles[0].ID = "z"; t.Roles[0].Code = "z" })))
		if strings.Contains(text, "created") || text == "" {
			t.Errorf("no such role: %q", text)
		}
	})
}
