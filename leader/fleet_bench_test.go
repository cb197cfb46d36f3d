package leader_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
)

// BenchmarkFleet tells what a worker at rest costs, in bytes of resident
// memory, and how long it took to make all, in seconds. "goroutines" is the
// floor: as many goroutines that wait on a channel. Workers "created" have
// nothing to do yet; the others took the shortest turn, a reply without a tool.
func BenchmarkFleet(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("goroutines/%d", n), func(b *testing.B) { benchmarkGoroutines(b, n) })
		b.Run(fmt.Sprintf("created/%d", n), func(b *testing.B) { benchmarkCreated(b, n) })
		b.Run(fmt.Sprintf("workers/%d", n), func(b *testing.B) { benchmarkFleet(b, n) })
	}
}

func benchmarkGoroutines(b *testing.B, n int) {
	b.Helper()
	for b.Loop() {
		before, began := resident(b), time.Now()
		end := make(chan struct{})
		for range n {
			go func() { <-end }()
		}
		took := time.Since(began)
		report(b, before, n, took)
		close(end)
	}
}

// fleet is a team of one role without bounds, with the log in a file.
func fleet(b *testing.B, lead model.Client) *leader.Leader {
	b.Helper()
	l, err := leader.New(leader.Team{
		Model:  leader.Model{Client: oneReply{}, Name: "bench/one-reply"},
		Leader: leader.Lead{Model: leader.Model{Client: lead, Name: "bench/foreman"}, MaxSteps: leader.Unlimited},
		Roles:  []leader.Role{{ID: "worker", Name: "Worker", Code: "wrk", Does: "works", Tools: []string{}}},
		Limits: leader.Limits{
			Agents: leader.Unlimited, Spawns: leader.Unlimited, Steps: leader.Unlimited, Tokens: leader.Unlimited,
			Deadline: leader.Unlimited, Inbox: leader.Unlimited, Parallel: 1024,
		},
	}, leader.WithWorkDir(b.TempDir()), leader.WithRunDir(b.TempDir()), leader.WithSync("off"))
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func benchmarkCreated(b *testing.B, n int) {
	b.Helper()
	for b.Loop() {
		l := fleet(b, oneReply{})
		before, began := resident(b), time.Now()
		end, err := leader.StartIdle(b.Context(), l, "worker", n)
		if err != nil {
			b.Fatal(err)
		}
		report(b, before, n, time.Since(began))
		end()
	}
}

func benchmarkFleet(b *testing.B, n int) {
	b.Helper()
	for b.Loop() {
		f := &foreman{workers: n, atRest: make(chan struct{})}
		l := fleet(b, f)
		ctx, end := context.WithCancel(b.Context())
		before, began := resident(b), time.Now()
		run, err := l.Start(ctx, "make workers")
		if err != nil {
			b.Fatal(err)
		}
		select {
		case <-f.atRest:
		case <-run.Done():
			_, err := run.Wait()
			b.Fatalf("the run ended early: %v", err)
		}
		took := time.Since(began)
		if got := len(run.Agents()) - 1; got != n {
			b.Fatalf("there are %d workers, want %d", got, n)
		}
		report(b, before, n, took)
		end()
		_, _ = run.Wait() // interrupted, as it was meant to be
	}
}

// report reads the memory after a collection, while the fleet is alive.
func report(b *testing.B, before int64, n int, took time.Duration) {
	b.Helper()
	b.ReportMetric(float64(resident(b)-before)/float64(n), "B/worker")
	b.ReportMetric(took.Seconds(), "s/fleet")
}

// resident is the resident memory of this process after a collection. Where
// the system does not tell, it is what the runtime has in use.
func resident(b *testing.B) int64 {
	b.Helper()
	runtime.GC()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapInuse + m.StackInuse)
	}
	_, rest, _ := bytes.Cut(text, []byte("VmRSS:"))
	fields := bytes.Fields(rest)
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib << 10
}

// foreman is the leader's model: it makes some workers at a time, waits for
// them, and holds its last call until the run ends.
type foreman struct {
	workers int
	atRest  chan struct{}
	made    int // one agent calls, one call at a time
}

// atOnce is how many workers are made with one reply.
const atOnce = 64

// Stream implements [model.Client].
func (f *foreman) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if f.made == f.workers {
			close(f.atRest)
			<-ctx.Done()
			yield(model.Chunk{}, context.Cause(ctx))
			return
		}
		var calls []event.Call
		var made []string
		for range min(atOnce, f.workers-f.made) {
			f.made++
			made = append(made, fmt.Sprintf("%q", fmt.Sprintf("wrk_%d", f.made)))
			calls = append(calls, event.Call{
				ID: fmt.Sprintf("create %d", f.made), Name: "create_sub_agent", Arguments: `{"role":"worker","task":"say ready"}`,
			})
		}
		calls = append(calls, event.Call{
			ID: fmt.Sprintf("wait %d", f.made), Name: "wait_sub_agent_output",
			Arguments: fmt.Sprintf(`{"until":"all","agents":[%s]}`, strings.Join(made, ",")),
		})
		yield(model.Chunk{Calls: calls, Finish: event.FinishToolCalls, Usage: &event.Usage{Input: 1, Output: 1}}, nil)
	}
}

// oneReply answers at once, without a tool.
type oneReply struct{}

// Stream implements [model.Client].
func (oneReply) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		yield(model.Chunk{Text: "ready", Finish: event.FinishStop, Usage: &event.Usage{Input: 1, Output: 1}}, nil)
	}
}
