package leader_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// schedules is how many random runs a property is tried on.
const schedules = 300

// slowest is the longest delay of a scripted reply. A run of at most a few
// hundred replies takes less virtual time than it takes one ask to time out.
const slowest = 4 * time.Second

// aid is the id of the nth actor, counted from 1.
func aid(n int) string { return fmt.Sprintf("a_%d", n) }

// patient has no timeout that could end a deadlock in less than a year.
func patient(t *leader.Team) {
	t.Limits = leader.Limits{AskTimeout: 365 * 24 * time.Hour, ToolTimeout: leader.Unlimited}
}

// checkNoDeadlock holds that the run went on all the time: somebody's model
// was at work at every moment, and no question timed out.
func checkNoDeadlock(t *testing.T, p played, c *cast) {
	t.Helper()
	checkLog(t, p.records)
	if p.err != nil || p.Status != leader.StatusFinished {
		t.Errorf("the run ended %s: %v", p.Status, p.err)
	}
	if spent := time.Duration(c.spent.Load()); p.Duration > spent {
		t.Errorf("the run took %s, all replies together %s: everybody waited", p.Duration, spent)
	}
	for _, o := range outcomes(p.records) {
		if o == event.TimedOut {
			t.Error("a question timed out")
		}
	}
	checkRefusals(t, p.records)
	dump(t, p.records)
}

// checkRefusals holds that a question that closes a circle is refused in no
// time.
func checkRefusals(t *testing.T, records []event.Record) {
	t.Helper()
	opened := map[string]event.Record{}
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			opened[d.ID] = rec
		case event.QuestionClosed:
			if d.Outcome == event.RefusedCycle && !rec.Time.Equal(opened[d.ID].Time) {
				t.Errorf("%s was refused after %s", d.ID, rec.Time.Sub(opened[d.ID].Time))
			}
		}
	}
}

// ring makes n participants ask each other in a circle, the leader among them
// if it leads. The leader may wait for output in place of its question. The
// participants do not answer before they have asked.
func ring(rng *rand.Rand, n int, leads bool) (cast map[string]actor, workers int) {
	cast = map[string]actor{}
	workers = n
	after := does(waitFor([]string{"any", "all"}[rng.IntN(2)]))
	if leads {
		workers = n - 1
		first := ask(event.Leader, aid(1))
		if n == 1 {
			first = ask(event.Leader, event.LeaderName)
		} else if rng.IntN(2) == 0 {
			first = waitFor([]string{"any", "all"}[rng.IntN(2)])
		}
		after = does(first)
	}
	cast[event.Leader] = actor{plan: []move{hire(workers), after}}
	if workers == 0 {
		cast[event.Leader] = actor{plan: []move{after}}
	}
	for i := 1; i <= workers; i++ {
		next := aid(i%workers + 1)
		if leads && i == workers {
			next = event.Leader
		}
		cast[aid(i)] = actor{plan: []move{does(ask(aid(i), next))}}
	}
	return cast, workers
}

// TestCirclesOfQuestions runs circles of one to six participants, with the
// leader in and out of them. Outside, the ask that closes the circle is refused
// at once, and all others are answered; inside, nobody is refused and the
// leader's call returns as soon as the circle is closed, with the question
// that it has to answer first.
func TestCirclesOfQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for seed := range uint64(schedules) {
		n, leads := int(seed%6)+1, seed/6%2 == 1
		t.Run(fmt.Sprintf("seed=%d/n=%d/leads=%t", seed, n, leads), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			actors_, workers := ring(rng, n, leads)
			c := newCast(seed, slowest, actors_)
			p := perform(t, dir, actors(c.client(), patient), nil)
			refused := 0
			for _, o := range outcomes(p.records) {
				if o == event.RefusedCycle {
					refused++
				}
			}
			want := 1
			if leads {
				want = 0
			}
			if refused != want {
				t.Errorf("%d questions were refused, want %d", refused, want)
			}
			if leads {
				checkYield(t, p.records, workers)
			}
			checkNoDeadlock(t, p, c)
		})
	}
}

// checkYield holds when and how the leader's call in a circle ended.
func checkYield(t *testing.T, records []event.Record, workers int) {
	t.Helper()
	if workers == 0 {
		if _, d, ok := resultOf(records, planned(event.Leader, 0, 0)); !ok || !d.IsError {
			t.Errorf("the leader asked itself: %+v", d)
		}
		return
	}
	call := planned(event.Leader, 1, 0)
	var began, closed, toLeader event.Record
	id, known := "", false
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.ToolStarted:
			if d.CallID == call {
				began, closed = rec, rec
			}
		case event.QuestionOpened:
			closed = rec
			if d.To == event.Leader {
				toLeader, id = rec, d.ID
			}
		case event.MessageDelivered:
			known = known || d.ID == id && began.Seq == 0
		}
	}
	if closed.Seq < began.Seq {
		closed = began
	}
	rec, d, ok := resultOf(records, call)
	want := closed.Time
	if d.Name == "wait_sub_agent_output" && !known { // a question that is news ends a wait at once
		want = toLeader.Time
		if want.Before(began.Time) {
			want = began.Time
		}
	}
	if !ok || !rec.Time.Equal(want) || !strings.Contains(d.Result, id) {
		t.Errorf("the leader's %s ended at %s, want %s, and with the id of %s:\n%s", d.Name, rec.Time, want, id, d.Result)
	}
	if d.Name == "ask_sub_agent" {
		checkLateAnswer(t, records)
	}
}

// checkLateAnswer holds that the answer to the leader's own question came as a
// note that begins with the question's id.
func checkLateAnswer(t *testing.T, records []event.Record) {
	t.Helper()
	for _, d := range dataOf[event.MessageSent](records) {
		if d.Kind == event.Note && d.To == event.Leader && strings.HasPrefix(d.Content, "ask_tl_001") {
			return
		}
	}
	t.Error("the answer to ask_tl_001 did not come later")
}

// mixture gives n workers a few questions each, to those for whom allowed
// holds, and lets the leader ask, wait and tell in between.
func mixture(rng *rand.Rand, n int, allowed func(from, to int) bool) map[string]actor {
	lead := actor{plan: []move{hire(n)}, eager: rng.IntN(2) == 0, silent: rng.IntN(4) == 0}
	for range rng.IntN(5) {
		who := aid(1 + rng.IntN(n))
		lead.plan = append(lead.plan, does([]event.Call{
			ask(event.Leader, who), ask(event.Leader, who),
			waitFor("any"), waitFor("all"), waitFor("any", who), waitFor("all", who, aid(1+rng.IntN(n))),
			send(who, "go on"),
		}[rng.IntN(7)]))
	}
	cast := map[string]actor{event.Leader: lead}
	for i := 1; i <= n; i++ {
		a := actor{eager: rng.IntN(2) == 0, silent: rng.IntN(4) == 0}
		for range rng.IntN(4) {
			to := rng.IntN(n + 1)
			if !allowed(i, to) {
				continue
			}
			call := ask(aid(i), event.Leader)
			if to > 0 {
				call = []event.Call{ask(aid(i), aid(to)), ask(aid(i), aid(to)), tellOther(aid(to), "reply")}[rng.IntN(3)]
			}
			a.plan = append(a.plan, move{text: []string{"", "I ask"}[rng.IntN(2)], calls: []event.Call{call}})
		}
		cast[aid(i)] = a
	}
	return cast
}

// TestAcyclicQuestionsAreNeverRefused lets workers ask only those created after
// them and the leader, which takes part in no circle.
func TestAcyclicQuestionsAreNeverRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	asked := 0
	for seed := range uint64(schedules) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 2))
			n := 2 + rng.IntN(4)
			c := newCast(seed, slowest, mixture(rng, n, func(from, to int) bool { return to > from || to == 0 }))
			p := perform(t, dir, actors(c.client(), patient), nil)
			for _, o := range outcomes(p.records) {
				asked++
				if o != event.Answered && o != event.Implicit {
					t.Errorf("a question ended %s", o)
				}
			}
			checkNoDeadlock(t, p, c)
		})
	}
	if asked < 2*schedules {
		t.Errorf("only %d questions were asked", asked)
	}
}

// TestAnyMixtureOfQuestionsGoesOn lets everybody ask everybody, themselves
// included.
func TestAnyMixtureOfQuestionsGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refused := 0
	for seed := range uint64(schedules / 2) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			n := 1 + rng.IntN(5)
			c := newCast(seed, slowest, mixture(rng, n, func(int, int) bool { return true }))
			p := perform(t, dir, actors(c.client(), patient), nil)
			for _, o := range outcomes(p.records) {
				if o == event.RefusedCycle {
					refused++
				}
			}
			checkNoDeadlock(t, p, c)
		})
	}
	if refused < schedules/6 {
		t.Errorf("only %d circles came about", refused)
	}
}
