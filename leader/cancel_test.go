package leader_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

var errGoHome = errors.New("the theatre burns")

// ending is how a test ends a run.
type ending struct {
	name string
	end  func(run *leader.Run, cancel context.CancelCauseFunc)
	// within is how long the run may go on: a gentle end waits for a step.
	within time.Duration
}

// longestStep is that of a random run: a reply and a nap.
const longestStep = slowest + 5*time.Second

var runEndings = []ending{
	{"cancel", func(_ *leader.Run, cancel context.CancelCauseFunc) { cancel(errGoHome) }, 0},
	{"pause", func(run *leader.Run, _ context.CancelCauseFunc) { run.Pause("a test") }, longestStep},
	{"pause, then cancel", func(run *leader.Run, cancel context.CancelCauseFunc) {
		run.Pause("a test")
		cancel(errGoHome)
	}, 0},
	{"pause, then stop", func(run *leader.Run, _ context.CancelCauseFunc) {
		run.Pause("a test")
		for _, a := range run.Agents()[1:] {
			_ = run.Stop(a.ID, leader.Soft)
		}
	}, longestStep},
	{"stop, then pause", func(run *leader.Run, _ context.CancelCauseFunc) {
		for _, a := range run.Agents()[1:] {
			_ = run.Stop(a.ID, leader.Soft)
		}
		run.Pause("a test")
	}, longestStep},
}

// TestCancelIsFinal stops and terminates agents at random moments of random
// runs, three times each, and then ends the run: a thousand cancels in all. The
// run ends at once, or after the steps under way, leaves no goroutine, closes
// every call, and nothing comes after its end.
func TestCancelIsFinal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	suspended := 0
	for seed := range uint64(250) {
		e := runEndings[seed%uint64(len(runEndings))]
		t.Run(fmt.Sprintf("seed=%d/%s", seed, e.name), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 5))
			n := 2 + rng.IntN(3)
			c := newCast(seed, slowest, chaos(rng, n))
			if cutShort(t, dir, rng, n, c, e) {
				suspended++
			}
		})
	}
	if suspended < 150 {
		t.Errorf("only %d runs were cut short", suspended)
	}
}

// cutShort performs a run, ends it after a random time, and reports whether it
// had not ended before.
func cutShort(t *testing.T, dir string, rng *rand.Rand, n int, c *cast, e ending) bool {
	t.Helper()
	var res leader.Result
	var records []event.Record
	var began time.Time
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		run := start(ctx, t, dir, actors(c.client(), rough), leader.WithTools(nap(), boom()))
		after := time.Duration(rng.Int64N(int64(3 * slowest)))
		var others sync.WaitGroup
		others.Go(func() { meddle(rng, n, 3)(run) })
		time.Sleep(after)
		began = time.Now()
		e.end(run, cancel)
		var err error
		res, err = run.Wait()
		if took := time.Since(began); took > e.within {
			t.Errorf("the run ended after %s, want at most %s", took, e.within)
		}
		if _, typed := errors.AsType[*leader.Error](err); res.Status == leader.StatusSuspended && !typed {
			t.Errorf("the run was suspended, and the error is %v", err)
		}
		others.Wait()
		records = recorded(t, run)
	})
	checkLogTo(t, records, began)
	dump(t, records)
	return res.Status == leader.StatusSuspended
}

// TestACancelledCallHasAResult ends a run in every kind of call. One that only
// waits for others has none: it and its question wait for the run to be resumed.
func TestACancelledCallHasAResult(t *testing.T) {
	for _, tt := range []struct {
		name string
		cast map[string]actor
		who  string
		call int
	}{
		{"a tool", map[string]actor{"a_1": {plan: []move{does(sleep(1e6))}}}, "a_1", 0},
		{"an ask", map[string]actor{"a_1": {plan: []move{does(ask("a_1", "a_2"))}}, "a_2": {plan: []move{does(sleep(1e6))}}}, "a_1", 0},
		{"a reply", map[string]actor{"a_1": {plan: []move{does(tellOther("a_2", "reply"))}}, "a_2": {plan: []move{does(sleep(1e6))}}}, "a_1", 0},
		{"a wait", map[string]actor{event.Leader: {plan: []move{hire(2), does(waitFor("all"))}}, "a_1": {plan: []move{does(sleep(1e6))}}}, event.Leader, 1},
		{"an ask of the leader", map[string]actor{event.Leader: {plan: []move{hire(2), does(ask(event.Leader, "a_1"))}}, "a_1": {plan: []move{does(sleep(1e6))}}}, event.Leader, 1},
	} {
		for _, e := range runEndings[:2] {
			t.Run(tt.name+"/"+e.name, func(t *testing.T) {
				if _, ok := tt.cast[event.Leader]; !ok {
					tt.cast[event.Leader] = actor{plan: []move{hire(2)}}
				}
				var p played
				var began time.Time
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					run := start(ctx, t, t.TempDir(), actors(newCast(1, time.Millisecond, tt.cast).client(), rough, func(l *leader.Team) { l.Limits.ToolTimeout = leader.Unlimited }), leader.WithTools(nap(), boom()))
					time.Sleep(time.Second)
					began = time.Now()
					e.end(run, cancel)
					p.Result, p.err = run.Wait()
					p.records = recorded(t, run)
				})
				checkLogTo(t, p.records, began)
				_, d, ok := resultOf(p.records, planned(tt.who, tt.call, 0))
				cut := e.name == "cancel"
				if isTool := tt.name == "a tool"; ok != isTool || ok && (d.IsError != cut || cut && !strings.Contains(d.Result, "cancelled")) {
					t.Errorf("the result is %+v (%t)", d, ok)
				}
				if p.Status != leader.StatusSuspended {
					t.Errorf("the run ended %s", p.Status)
				}
				dump(t, p.records)
			})
		}
	}
}

// TestNoChildIsLate ends a run in the moment in which the leader creates.
func TestNoChildIsLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 40 {
		e := runEndings[i%2]
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := newCast(1, time.Millisecond, map[string]actor{event.Leader: {plan: []move{hire(3), hire(3)}}})
			run := start(ctx, t, dir, actors(c.client()))
			time.Sleep(time.Millisecond) // the creations begin now
			began := time.Now()
			e.end(run, cancel)
			_, _ = run.Wait()
			if took := time.Since(began); took > slowest {
				t.Errorf("the run ended after %s: a creation waited for nobody", took)
			}
			checkLogTo(t, recorded(t, run), began)
		})
	}
}

// TestTheEndOfALeadersTurnCancelsNobody lets the leader end its turn at once.
func TestTheEndOfALeadersTurnCancelsNobody(t *testing.T) {
	c := newCast(1, 0, map[string]actor{
		event.Leader: {plan: []move{hire(2)}},
		"a_1":        {plan: []move{does(sleep(60_000))}},
		"a_2":        {plan: []move{does(ask("a_2", "a_1"))}},
	})
	p := perform(t, t.TempDir(), actors(c.client(), rough), nil, leader.WithTools(nap(), boom()))
	checkLog(t, p.records)
	for _, d := range dataOf[event.TurnEnded](p.records) {
		if d.Reason != event.EndNatural {
			t.Errorf("a turn ended %s", d.Reason)
		}
	}
	if p.Duration != time.Minute || p.Status != leader.StatusFinished {
		t.Errorf("the run ended %s after %s, want after the longest work", p.Status, p.Duration)
	}
	dump(t, p.records)
}

// TestStoppedGoesOnTerminatedNever tells a stopped and a terminated agent to go
// on. What they were told before the stop wakes neither.
func TestStoppedGoesOnTerminatedNever(t *testing.T) {
	c := newCast(1, 0, map[string]actor{
		event.Leader: {plan: []move{hire(3)}},
		"a_1":        {plan: []move{does(sleep(60_000)), {text: "I went on"}}},
		"a_2":        {plan: []move{does(sleep(60_000)), {text: "I went on"}}},
		"a_3":        {plan: []move{does(sleep(3_600_000))}},
	})
	var told, toldAgain, stopped error
	p := perform(t, t.TempDir(), actors(c.client(), rough, func(l *leader.Team) { l.Limits.ToolTimeout = leader.Unlimited }), func(run *leader.Run) {
		time.Sleep(time.Second)
		_ = run.Tell("a_1", "hurry")
		_ = run.Tell("a_2", "hurry")
		_ = run.Stop("a_1", leader.Now)
		_ = run.Stop("a_2", leader.Terminate)
		time.Sleep(time.Minute)
		told = run.Tell("a_1", "go on")
		toldAgain = run.Tell("a_2", "go on")
		stopped = run.Stop("a_2", leader.Soft)
	}, leader.WithTools(nap(), boom()))
	checkLog(t, p.records)
	if told != nil || toldAgain == nil || stopped == nil {
		t.Errorf("telling the stopped one: %v; telling and stopping the terminated one: %v, %v", told, toldAgain, stopped)
	}
	var ends []string
	for _, rec := range p.records {
		if d, ok := rec.Data.(event.MessageSent); ok && d.Kind == event.Completion && d.From != "a_3" {
			ends = append(ends, fmt.Sprintf("%s %s after %s", d.From, d.Reason, rec.Time.Sub(p.records[0].Time)))
		}
	}
	want := map[string]bool{"a_1 stopped after 1s": true, "a_2 terminated after 1s": true, "a_1 natural after 1m1s": true}
	for _, e := range ends {
		delete(want, e)
	}
	if len(want) > 0 || len(ends) != 3 {
		t.Errorf("turns ended %q, missing %v", ends, want)
	}
	dump(t, p.records)
}

// TestCancelReachesTheServer cuts fifty runs over real sockets while their
// requests stream. The server sees its connections closed; no goroutine is
// left.
func TestCancelReachesTheServer(t *testing.T) {
	before := goleak.IgnoreCurrent()
	streaming := make(chan struct{}, 1000)
	server := modeltest.StartServer(func(req modeltest.ChatRequest) modeltest.Reply {
		if strings.HasPrefix(req.Messages[0].Content, "You are the Team Leader") && req.Reply() == 1 {
			return hire(3).reply(event.Leader, 0)
		}
		streaming <- struct{}{}
		return modeltest.Reply{Text: strings.Repeat("word ", 50), Wire: modeltest.Wire{Chunk: 1, Pace: 400 * time.Millisecond}}
	})
	dir := t.TempDir()
	for i := range 50 {
		ctx, cancel := context.WithCancelCause(t.Context())
		run := start(ctx, t, dir, actors(server.Client()))
		for range i%4 + 1 { // one to four requests stream
			<-streaming
		}
		if i%3 == 0 {
			for _, a := range run.Agents()[1:] {
				_ = run.Stop(a.ID, leader.Terminate)
			}
		}
		cancel(errGoHome)
		if res, _ := run.Wait(); res.Status != leader.StatusSuspended {
			t.Errorf("run %d ended %s", i, res.Status)
		}
		checkCut(t, recorded(t, run))
		for len(streaming) > 0 {
			<-streaming
		}
	}
	patience := time.After(time.Minute) // less than a reply takes
	until := func(done func() bool, what string) {
		for !done() {
			select {
			case <-patience:
				t.Fatal(what)
			case <-time.After(time.Millisecond):
			}
		}
	}
	until(func() bool {
		return !slices.ContainsFunc(server.Exchanges(), func(x modeltest.Exchange) bool { return x.End.IsZero() })
	}, "the server still streams a reply")
	server.Close()
	until(func() bool { return goleak.Find(before) == nil }, "goroutines are left")
}

// checkCut is [checkLog] for a run in real time, in which things that happen
// at once have different times.
func checkCut(t *testing.T, records []event.Record) {
	t.Helper()
	at := records[0].Time
	for i := range records {
		records[i].Time = at
	}
	checkLog(t, records)
}
