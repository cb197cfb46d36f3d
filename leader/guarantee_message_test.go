package leader_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// unlimited lifts all limits of a run and gives its sub-agents the tool nap.
func unlimited(t *leader.Team) {
	t.Roles[0].Tools = []string{"nap"}
	const u = leader.Unlimited
	t.Limits = leader.Limits{
		Steps: u, Tokens: u, MaxSteps: u, Deadline: u, AskTimeout: u, ToolTimeout: u, Parallel: 16,
	}
	t.Leader.MaxSteps = u
}

// TestASteeringMessageIsInTheVeryNextRequest tells a sub-agent something while
// its tool runs.
func TestASteeringMessageIsInTheVeryNextRequest(t *testing.T) {
	c := newCast(1, 0, map[string]actor{
		event.Leader: {plan: []move{hire(1)}},
		"a_1":        {plan: []move{does(sleep(10_000)), does(sleep(10_000))}},
	})
	p := perform(t, t.TempDir(), actors(c.client(), rough), func(run *leader.Run) {
		pass(5 * time.Second)
		if err := run.Tell("Actor_1", "no API yet"); err != nil {
			t.Error(err)
		}
	}, leader.WithTools(nap(), boom()))
	checkLog(t, p.records)
	i := slices.IndexFunc(p.records, func(r event.Record) bool {
		d, ok := r.Data.(event.MessageDelivered)
		return ok && d.ID == "msg_user_002"
	})
	if i < 2 {
		t.Fatal("the message was not delivered")
	}
	if before, after := p.records[i-1].Type(), p.records[i+1].Type(); before != event.TypeToolFinished || after != event.TypeModelRequested {
		t.Errorf("it stands between %s and %s, want the tool's result and the next request", before, after)
	}
	if at := p.records[i].Time.Sub(p.records[0].Time); at != 10*time.Second {
		t.Errorf("it was delivered after %s, want 10s, when the tool had returned", at)
	}
}

// TestAMessageNeverMissesTheEndOfATurn tells an agent something at the instant
// in which its turn ends, again and again: each message is read by a turn. The
// person's messages reach the leader, whose end may be that of the run, and a
// sub-agent.
func TestAMessageNeverMissesTheEndOfATurn(t *testing.T) {
	t.Parallel()
	const tells = 100
	runs := 5_000 / tells
	if os.Getenv("TROUPE_SOAK") != "" {
		runs = 100_000 / tells
	}
	dir := t.TempDir()
	for seed := range uint64(runs) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			who := []string{"a_1", event.Leader}[seed%2]
			p := perform(t, dir, actors(lastingTeam(), unlimited), nudge(t, seed, who, tells), leader.WithTools(nap()))
			checkLog(t, p.records)
			if got := len(dataOf[event.MessageDelivered](p.records)); got < tells {
				t.Errorf("%d messages were delivered, want at least %d", got, tells)
			}
			dump(t, p.records)
		})
	}
}

// lastingTeam plays a leader and two actors: each reply takes a millisecond,
// a_2 works for an hour.
func lastingTeam() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		r := modeltest.Reply{Text: "done", Delay: time.Millisecond}
		switch first := len(req.Messages) == 2; {
		case first && req.Agent == event.Leader:
			r = hire(2).reply(req.Agent, 0)
		case first && req.Agent == "a_2":
			r = does(sleep(3_600_000)).reply(req.Agent, 0)
		}
		return r
	})
}

// nudge tells who something in the instants in which its turns end.
func nudge(t *testing.T, seed uint64, who string, times int) func(*leader.Run) {
	t.Helper()
	return func(run *leader.Run) {
		rng := rand.New(rand.NewPCG(seed, 6))
		pass(time.Second)
		for i := range times {
			if err := run.Tell(who, fmt.Sprint(i)); err != nil {
				t.Errorf("message %d: %v", i, err)
				return
			}
			pass(time.Millisecond)
			for range rng.IntN(50) {
				runtime.Gosched()
			}
		}
	}
}

// TestAMessageNeverMissesTheEndOfARun tells the leader something at the instant
// in which the run ends. It is refused, or read and answered.
func TestAMessageNeverMissesTheEndOfARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, refused := 0, 0
	for i := range 200 {
		c := newCast(uint64(i), time.Millisecond, map[string]actor{event.Leader: {}})
		var told error
		p := perform(t, dir, actors(c.client()), func(run *leader.Run) {
			pass(time.Millisecond)
			for range i % 20 {
				runtime.Gosched()
			}
			told = run.Tell(event.Leader, "one more thing")
		})
		checkLog(t, p.records)
		turns := len(dataOf[event.TurnEnded](p.records))
		switch {
		case told == nil && turns < 1:
			t.Errorf("the message was taken, and %d turns read it", turns)
		case told == nil:
			taken++
		case errors.Is(told, leader.ErrEnded):
			refused++
		default:
			t.Errorf("the message was refused: %v", told)
		}
	}
	t.Logf("%d messages were taken, %d refused", taken, refused)
}

// TestAFloodOfProgressArrives lets six sub-agents put out 200 pieces of
// progress each while the leader's model thinks for an hour.
func TestAFloodOfProgressArrives(t *testing.T) {
	t.Parallel()
	const workers, pieces = 6, 200
	thinking := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				n++
			}
		}
		switch {
		case req.Agent == event.Leader && n == 0:
			return hire(workers).reply(req.Agent, 0)
		case req.Agent == event.Leader:
			return modeltest.Reply{Text: "I thought", Delay: time.Hour}
		case n < pieces:
			return modeltest.Reply{Text: fmt.Sprintf("%s piece %d", req.Agent, n), Calls: []event.Call{sleep(n)}}
		}
		return modeltest.Reply{Text: "done"}
	})
	p := perform(t, t.TempDir(), actors(thinking, unlimited), nil, leader.WithTools(nap()))
	checkLog(t, p.records)
	sent := map[string]event.MessageSent{}
	got := map[string]int{}
	for _, rec := range p.records {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			sent[d.ID] = d
		case event.MessageDelivered:
			m := sent[d.ID]
			if m.Kind != event.Progress {
				continue
			}
			if want := fmt.Sprintf("%s piece %d", m.From, got[m.From]); m.Content != want {
				t.Fatalf("the leader read %q where %q was due", m.Content, want)
			}
			got[m.From]++
		}
	}
	for i := range workers {
		if n := got[aid(i+1)]; n != pieces {
			t.Errorf("%d pieces of %s arrived, want %d", n, aid(i+1), pieces)
		}
	}
}

// TestUnreadMessagesOfATerminatedAgentComeBack terminates an agent with unread
// messages of the leader, a colleague and the person.
func TestUnreadMessagesOfATerminatedAgentComeBack(t *testing.T) {
	c := newCast(1, time.Millisecond, map[string]actor{
		event.Leader: {plan: []move{hire(2), does(send("a_1", "from the leader")), does(sleep(10_000)), does(halt("terminate_sub_agent", "a_1"))}},
		"a_1":        {plan: []move{does(sleep(3_600_000))}},
		"a_2":        {plan: []move{does(tellOther("a_1", "none")), does(sleep(20_000))}},
	})
	p := perform(t, t.TempDir(), actors(c.client(), unlimited, func(l *leader.Team) { l.Leader.Tools = []string{"nap"} }),
		func(run *leader.Run) {
			pass(time.Second)
			if err := run.Tell("a_1", "from the person"); err != nil {
				t.Error(err)
			}
		}, leader.WithTools(nap()))
	checkLog(t, p.records)
	notes := map[string]string{} // by receiver
	for _, d := range dataOf[event.MessageSent](p.records) {
		if d.From == event.Runtime {
			notes[d.To] += d.Content
		}
	}
	back := map[string]string{} // sender by id
	for _, rec := range p.records {
		if d, ok := rec.Data.(event.MessageReturned); ok {
			back[rec.Agent] = d.ID
			if rec.Agent != event.Person && !strings.Contains(notes[rec.Agent], d.ID) {
				t.Errorf("%s was not told that %s came back: %q", rec.Agent, d.ID, notes[rec.Agent])
			}
		}
	}
	if len(back) != 3 || back[event.Leader] == "" || back["a_2"] == "" || back[event.Person] == "" {
		t.Errorf("messages came back to %v, want the leader, a_2 and the person", back)
	}
	dump(t, p.records)
}
