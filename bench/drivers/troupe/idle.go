package main

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"

	kit "github.com/troupe-go/troupe/bench/driverkit"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// atOnce is how many workers of an idle fleet have a task at a time.
const atOnce = 64

// idle keeps a whole run alive while its N workers are at rest. A worker is
// created with a task and so takes a turn at once: "idle" means here that it
// took the shortest one, a single reply without a tool, and "idle_used" that it
// did its task with the real model. The leader, which costs memory for each of
// its workers too, is led by this program and waits in its last model call.
func idle(ctx context.Context, r *kit.Run, client model.Client, conns closer, runDir string, p profile) {
	ctx, end := context.WithCancel(ctx)
	lead := &foreman{config: r.Config, atRest: make(chan struct{})}
	workers := client
	if r.Scenario == "idle" {
		workers = oneReply{}
	}
	t := team(r.Config, workers)
	t.Leader.Model = leader.Model{Client: lead, Name: "bench/foreman"}
	l, err := leader.New(t, options(runDir)...)
	kit.Check(err)
	run, err := l.Start(ctx, kit.LeaderTask(r.N, r.K))
	kit.Check(err)
	select {
	case <-lead.atRest:
	case <-run.Done():
		_, err := run.Wait()
		kit.Fail("the run ended early: %v", err)
	}
	for _, a := range run.Agents()[1:] {
		if a.State != event.Idle {
			kit.Fail("%s is %s, not at rest", a.ID, a.State)
		}
	}
	conns.CloseIdleConnections()
	p.stop()
	r.Idle(run)
	end()
	_, _ = run.Wait() // interrupted, as it was meant to be
}

// foreman is the leader's model. It creates a few workers at a time and waits
// for all of them, then holds the last call until the run is interrupted.
type foreman struct {
	config  kit.Config
	atRest  chan struct{}
	created int // one agent calls, one call at a time
}

// Stream implements [model.Client].
func (f *foreman) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if f.created == f.config.N {
			close(f.atRest)
			<-ctx.Done()
			yield(model.Chunk{}, context.Cause(ctx))
			return
		}
		var calls []event.Call
		for range min(atOnce, f.config.N-f.created) {
			f.created++
			calls = append(calls, call("create_sub_agent", "create "+strconv.Itoa(f.created), map[string]string{
				"role": "worker", "task": kit.WorkerTask(f.created, f.config.K),
			}))
		}
		calls = append(calls, call("wait_sub_agent_output", "wait "+strconv.Itoa(f.created), map[string]string{"until": "all"}))
		yield(model.Chunk{Calls: calls, Finish: event.FinishToolCalls, Usage: &event.Usage{Input: 1, Output: 1}}, nil)
	}
}

func call(name, id string, args map[string]string) event.Call {
	text, err := json.Marshal(args)
	kit.Check(err)
	return event.Call{ID: id, Name: name, Arguments: string(text)}
}

// oneReply answers at once, without a tool and without a server.
type oneReply struct{}

// Stream implements [model.Client].
func (oneReply) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Text: "ready", Finish: event.FinishStop, Usage: &event.Usage{Input: 1, Output: 1}}, nil)
	}
}

// closer is what an idle fleet gives back before it is measured.
type closer interface{ CloseIdleConnections() }
