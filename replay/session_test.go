package replay_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

// TestEachTaskHasTheLimits gives a run one task after the other, each of which
// uses most of every limit. All are done, also one that is interrupted, until
// one takes too much: that one is cut, also when the run is resumed as it is,
// and the next is done again.
func TestEachTaskHasTheLimits(t *testing.T) {
	const greedy = "too much"
	usage := event.Usage{Input: 3000, Output: 100}
	price := &leader.Price{Currency: "CNY", Input: 100, Output: 100}
	asked := func(req model.Request) (task string) {
		for _, m := range req.Messages {
			if m.Origin.FromID == event.Person {
				task = m.Origin.Content
			}
		}
		return task
	}
	// Whether a worker was created for the newest task, and has reported.
	state := func(req model.Request) (created, reported bool) {
		for _, m := range req.Messages {
			switch {
			case m.Origin.FromID == event.Person:
				created, reported = false, false
			case m.ToolName == "create_sub_agent" && !m.IsError:
				created = true
			case m.Origin.Kind == event.Completion:
				reported = true
			}
		}
		return created, reported
	}
	team := cast{
		"tl": func(req model.Request, n int) reply {
			created, reported := state(req)
			switch {
			case len(req.Tools) == 0:
				return reply{Text: "cut", Usage: usage}
			case asked(req) == greedy, !created:
				return reply{Calls: []event.Call{modeltest.Call("create_sub_agent", map[string]any{"role": "uio", "task": "draw"})}, Usage: usage, Delay: 10 * time.Second}
			case !reported:
				return reply{Calls: []event.Call{modeltest.Call("wait_sub_agent_output", map[string]any{})}, Usage: usage}
			}
			return reply{Text: "done", Usage: usage, Delay: 35 * time.Second}
		},
	}
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		client := leader.Model{Client: team.client(), Name: "test/test", MaxOutputTokens: 200, Price: price}
		l, err := leader.New(leader.Team{
			Model: client, Roles: []leader.Role{{ID: "uio", Name: "UI Operator", Code: "uio", Does: "draws"}},
			Limits: leader.Limits{Steps: 5, Spawns: 1, Tokens: 30_000, Budget: 3, Deadline: time.Minute},
		}, leader.WithWorkDir(t.TempDir()), leader.WithRunDir(dir), leader.WithRunFolder("s"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "s")
		for i, tt := range []struct {
			task   string
			status leader.Status
		}{
			{"draw one", leader.StatusFinished},
			{"draw two", leader.StatusFinished},
			{"draw three", leader.StatusSuspended},
			{"", leader.StatusFinished},
			{greedy, leader.StatusPartial},
			{"", leader.StatusPartial},
			{"draw four", leader.StatusFinished},
		} {
			var run *leader.Run
			var err error
			if i == 0 {
				run, err = l.Start(t.Context(), tt.task)
			} else {
				run, err = leader.Resume(t.Context(), path, leader.WithClient(client.Name, client), leader.WithTask(tt.task))
			}
			if err != nil {
				t.Fatal(err)
			}
			if tt.status == leader.StatusSuspended {
				time.Sleep(time.Second)
				run.Pause("the person")
			}
			res, err := run.Wait()
			if res.Status != tt.status {
				t.Errorf("task %d, %q: %s by %q (%v), want %s", i+1, tt.task, res.Status, res.Limit, err, tt.status)
			}
			time.Sleep(time.Minute) // the person thinks, which is no work of the run
		}
		records := transcript.ReadFile(t.Context(), filepath.Join(path, transcript.FileName), transcript.ReadOptions{})
		v, err := replay.Verify(t.Context(), records, replay.VerifyOptions{})
		if err != nil || len(v.Violations) > 0 {
			t.Errorf("the log breaks rules: %v (%v)", v.Violations, err)
		}
		if workers, tasks := len(v.Agents)-1, 5; workers != tasks {
			t.Errorf("%d workers were created for %d tasks, want one each", workers, tasks)
		}
		for _, a := range v.Agents {
			if a.Mismatch != nil {
				t.Errorf("%s: %+v", a.Agent, a.Mismatch)
			}
		}
	})
}
