// Command troupe runs the team on Troupe, through its public API alone: a
// leader with the role Worker, a model at an OpenAI-compatible endpoint over
// HTTP, and the log in a file, forced to the disk at the end only.
//
// TROUPE_CPUPROFILE and TROUPE_MEMPROFILE name files for profiles of the job.
package main

import (
	"context"
	"os"

	kit "github.com/troupe-go/troupe/bench/driverkit"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

type echoArgs struct {
	Text string `json:"text"`
}

func echo(_ context.Context, in echoArgs) (string, error) { return in.Text, nil }

func main() {
	runDir, err := os.MkdirTemp("", "troupe-bench-")
	kit.Check(err)
	defer func() { _ = os.RemoveAll(runDir) }()
	r := kit.Start("troupe", "github.com/troupe-go/troupe")
	ctx := context.Background()
	profile := startProfile()
	conns := model.NewTransport(parallel(r.Config))
	client, err := model.NewOpenAI(model.Endpoint{Model: "mock", BaseURL: r.BaseURL, Key: "none", Transport: conns})
	kit.Check(err)
	if r.Scenario != "team" {
		idle(ctx, r, client, conns, runDir, profile)
		return
	}
	l, err := leader.New(team(r.Config, client), options(runDir)...)
	kit.Check(err)
	r.Ready()
	run, err := l.Start(ctx, kit.LeaderTask(r.N, r.K))
	kit.Check(err)
	res, err := run.Wait()
	kit.Check(err)
	profile.stop()
	r.Done(res.Answer)
}

// parallel is how many model calls the team may make at once: all workers and
// the leader.
func parallel(c kit.Config) int { return c.N + 1 }

// team is a leader and one role, whose instances are the workers.
func team(c kit.Config, client model.Client) leader.Team {
	return leader.Team{
		Name:   "bench",
		Model:  leader.Model{Client: client, Name: "mock/mock"},
		Leader: leader.Lead{Prompt: kit.LeaderPrompt, MaxSteps: leader.Unlimited},
		Roles: []leader.Role{{
			ID: "worker", Name: "Worker", Code: "wrk", Does: kit.WorkerDesc, Prompt: kit.WorkerPrompt, Tools: []string{"echo"},
		}},
		Limits: leader.Limits{
			Agents: leader.Unlimited, Spawns: leader.Unlimited, MaxSteps: leader.Unlimited, Steps: leader.Unlimited,
			Tokens: leader.Unlimited, Deadline: leader.Unlimited, Inbox: leader.Unlimited, Parallel: parallel(c),
		},
	}
}

func options(runDir string) []leader.Option {
	return []leader.Option{
		leader.WithTools(tools.Func("echo", kit.EchoDesc, echo)),
		leader.WithWorkDir(runDir), leader.WithRunDir(runDir), leader.WithSync("off"),
	}
}
