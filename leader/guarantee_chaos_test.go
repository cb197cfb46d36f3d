package leader_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// nap is a tool that takes its time and can be cut short; boom panics.
var nap = sync.OnceValue(func() tools.Tool {
	return tools.FuncCall("nap", "Sleeps", func(ctx context.Context, _ tools.Call, in struct {
		MS int `json:"ms"`
	},
	) (string, error) {
		select {
		case <-time.After(time.Duration(in.MS) * time.Millisecond):
			return "slept", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
})

var boom = sync.OnceValue(func() tools.Tool {
	return tools.Func("boom", "Panics", func(context.Context, struct{}) (string, error) { panic("boom") })
})

func sleep(ms int) event.Call { return modeltest.Call("nap", map[string]any{"ms": ms}) }

// rough is a team whose sub-agents have nap and boom and end a turn after four
// steps.
func rough(t *leader.Team) {
	patient(t)
	t.Roles[0].Tools, t.Roles[0].MaxSteps = []string{"nap", "boom"}, 4
}

// chaos gives a leader and n workers plans of everything that can go wrong.
func chaos(rng *rand.Rand, n int) map[string]actor {
	pick := func() string { return aid(1 + rng.IntN(n)) }
	lead := actor{plan: []move{hire(n)}, eager: rng.IntN(2) == 0, silent: rng.IntN(4) == 0}
	for range 1 + rng.IntN(5) {
		lead.plan = append(lead.plan, []move{
			does(ask(event.Leader, pick())), does(ask(event.Leader, pick())), does(waitFor("any")), does(waitFor("all")),
			does(send(pick(), "go on")), does(halt("stop_sub_agent", pick())), does(halt("terminate_sub_agent", pick())),
			{text: "enough for now"},
			does(create("actor", "help")), does(waitFor("all", pick())),
		}[rng.IntN(10)])
	}
	cast := map[string]actor{event.Leader: lead}
	for i := 1; i <= n; i++ {
		a := actor{eager: rng.IntN(2) == 0, silent: rng.IntN(4) == 0}
		for range rng.IntN(6) {
			a.plan = append(a.plan, chaoticMove(rng, aid(i), pick()))
		}
		cast[aid(i)] = a
	}
	return cast
}

func chaoticMove(rng *rand.Rand, self, other string) move {
	switch rng.IntN(14) {
	case 0:
		return move{text: "I fail", err: model.NewError(model.ClassServerError, "the endpoint is down")}
	case 1:
		return move{panic: true}
	case 2:
		return does(modeltest.Call("boom", nil))
	case 3:
		return move{text: "this turn is over"}
	case 4:
		return move{}
	case 5, 6:
		return move{text: "I sleep", calls: []event.Call{sleep(rng.IntN(5000))}}
	case 7:
		return does(ask(self, event.Leader))
	case 8:
		return does(sleep(rng.IntN(3000)), ask(self, other), sleep(rng.IntN(3000)))
	case 9:
		return does(tellOther(other, "reply"))
	case 10:
		return does(tellOther(other, "none"), ask(self, event.Leader))
	case 11:
		return does(answer(self, fmt.Sprintf("ask_a_%03d", 1+rng.IntN(4)), "not mine to say"))
	default:
		return move{text: "I ask", calls: []event.Call{ask(self, other)}}
	}
}

// meddle is a person who stops, terminates and tells agents at random moments.
func meddle(rng *rand.Rand, n, times int) func(*leader.Run) {
	return func(run *leader.Run) {
		for range times {
			pass(time.Duration(rng.Int64N(int64(4 * time.Second))))
			who := aid(1 + rng.IntN(n))
			switch rng.IntN(5) {
			case 0:
				_ = run.Tell(who, "go on")
			case 1:
				_ = run.Stop(who, agent.Terminate)
			case 2:
				_ = run.Stop(who, leader.Now)
				if rng.IntN(2) == 0 {
					_ = run.Tell(who, "and yet, go on")
				}
			default:
				_ = run.Stop(who, leader.Soft)
			}
		}
	}
}

// TestEveryQuestionEnds runs random orders of asks, answers, stops,
// terminations, failures, panics, turns that end without an answer, and step
// limits. Whatever happens, nobody waits in vain, and everybody is told in
// words how the question ended, at once.
func TestEveryQuestionEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended := map[event.Outcome]int{}
	for seed := range uint64(schedules) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 4))
			n := 2 + rng.IntN(3)
			c := newCast(seed, slowest, chaos(rng, n))
			p := perform(t, dir, actors(c.client(), rough), meddle(rng, n, 4), leader.WithTools(nap(), boom()))
			checkLog(t, p.records)
			checkEndings(t, p.records)
			if p.Duration > time.Hour {
				t.Errorf("the run took %s: somebody waited in vain", p.Duration)
			}
			for _, o := range outcomes(p.records) {
				ended[o]++
			}
			dump(t, p.records)
		})
	}
	for _, o := range []event.Outcome{
		event.Answered, event.Implicit, event.Terminated, event.Failed, event.OverBudget, event.Cancelled, event.RefusedCycle,
	} {
		if ended[o] == 0 {
			t.Errorf("no question ended %s: %v", o, ended)
		}
	}
}

// TestAnswersThatAreNone answers a question that is somebody else's, one that
// ended before, one that there is not, and one a second time.
func TestAnswersThatAreNone(t *testing.T) {
	c := newCast(1, time.Millisecond, map[string]actor{
		event.Leader: {plan: []move{hire(3)}},
		"a_1":        {plan: []move{does(ask("a_1", "a_2")), does(ask("a_1", "a_3"))}},
		"a_2": {silent: true, plan: []move{
			does(sleep(10_000)),
			does(answer("a_2", "ask_a_001", "too late"), answer("a_2", "ask_zz_007", "to nothing")),
		}},
		"a_3": {silent: true, plan: []move{
			does(sleep(1000)), does(answer("a_3", "ask_a_001", "not mine")), does(sleep(8000)),
			does(answer("a_3", "ask_a_002", "the first"), answer("a_3", "ask_a_002", "the second")),
		}},
	})
	p := perform(t, t.TempDir(), actors(c.client(), unlimited, func(l *leader.Team) { l.Limits.AskTimeout = 5 * time.Second }), nil, leader.WithTools(nap()))
	checkLog(t, p.records)
	for call, wantErr := range map[string]bool{
		planned("a_2", 1, 0): true, planned("a_2", 1, 1): true, planned("a_3", 1, 0): true,
		planned("a_3", 3, 0): false, planned("a_3", 3, 1): true,
	} {
		if _, d, ok := resultOf(p.records, call); !ok || d.IsError != wantErr {
			t.Errorf("%s: %+v, want an error: %t", call, d, wantErr)
		}
	}
	closed := dataOf[event.QuestionClosed](p.records)
	if len(closed) != 2 || closed[0].Outcome != event.TimedOut || closed[1].Text != "the first" {
		t.Errorf("the questions ended %+v", closed)
	}
	first, timedOut, _ := resultOf(p.records, planned("a_1", 0, 0))
	_, answered, _ := resultOf(p.records, planned("a_1", 1, 0))
	if !timedOut.IsError || !strings.Contains(answered.Result, "the first") || strings.Contains(answered.Result, "second") {
		t.Errorf("the asker was told %q and %q", timedOut.Result, answered.Result)
	}
	if took := first.Time.Sub(p.records[0].Time); took > 6*time.Second {
		t.Errorf("the question timed out after %s, want 5s", took)
	}
	dump(t, p.records)
}

// checkEndings holds that each question ended for a reason that the log has at
// the same moment, and that its asker went on at that moment, knowing why.
func checkEndings(t *testing.T, records []event.Record) {
	t.Helper()
	opened := map[string]event.QuestionOpened{}
	for i, rec := range records {
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			opened[d.ID] = d
		case event.QuestionClosed:
			q := opened[d.ID]
			if !hasCause(records, i, q, d) {
				t.Errorf("%s ended %s at %s, and nothing in the log says why", d.ID, d.Outcome, rec.Time)
			}
			end, result, ok := resultOf(records, q.CallID)
			if ok && strings.Contains(result.Result, "stays open") { // the leader's ask ended early
				if !slices.ContainsFunc(dataOf[event.MessageSent](records[i:]), func(m event.MessageSent) bool {
					return m.To == q.From && m.Kind == event.Note && strings.HasPrefix(m.Content, d.ID)
				}) {
					t.Errorf("%s ended %s after its ask had ended early, and no note says so", d.ID, d.Outcome)
				}
				continue
			}
			told := strings.Contains(result.Result, d.ID) || strings.Contains(result.Result, "cancelled")
			if !ok || !told {
				t.Errorf("%s ended %s; its asker %s was told %q", d.ID, d.Outcome, q.From, result.Result)
			}
			if good := d.Text != "" && d.Outcome != event.RefusedCycle; result.IsError == good {
				t.Errorf("%s ended %s with text %q; the result is an error: %t", d.ID, d.Outcome, d.Text, result.IsError)
			}
			if alone(records, q.CallID) && !end.Time.Equal(rec.Time) {
				t.Errorf("%s ended at %s; its asker %s went on at %s", d.ID, rec.Time, q.From, end.Time)
			}
		}
	}
}

// alone reports whether the call is the only one of its step, so that nothing
// else holds up its result.
func alone(records []event.Record, call string) bool {
	for _, d := range dataOf[event.ModelReplied](records) {
		if slices.ContainsFunc(d.Calls, func(c event.Call) bool { return c.ID == call }) {
			return len(d.Calls) == 1
		}
	}
	return false
}

// hasCause looks at the moment of the closing, record i, for what caused it.
func hasCause(records []event.Record, i int, q event.QuestionOpened, c event.QuestionClosed) bool {
	for _, rec := range records {
		if !rec.Time.Equal(records[i].Time) {
			continue
		}
		switch d := rec.Data.(type) {
		case event.ToolStarted:
			if c.Outcome == event.Answered && rec.Agent == q.To && strings.Contains(d.Arguments, c.ID) && c.AnswerID != "" {
				return true
			}
		case event.QuestionOpened:
			if d.ID == c.ID && (c.Outcome == event.RefusedCycle || c.Outcome == event.Terminated) {
				return true
			}
		case event.TurnEnded:
			if rec.Agent == q.To && slices.Contains(endsOf[d.Reason], c.Outcome) {
				return true
			}
			if rec.Agent == q.From && c.Outcome == event.Cancelled && d.Reason != event.EndNatural {
				return true
			}
		case event.AgentState:
			if rec.Agent == q.To && d.To == event.Stopped && c.Outcome == event.Cancelled ||
				rec.Agent == q.To && d.To == event.Finished && c.Outcome == event.Terminated {
				return true
			}
		case event.RunSuspended, event.RunFailed, event.RunFinished:
			if c.Outcome == event.Cancelled {
				return true
			}
		}
	}
	return false
}

// endsOf are the outcomes that the end of the addressee's turn can bring.
var endsOf = map[event.Reason][]event.Outcome{
	event.EndNatural:    {event.Implicit, event.Answered, event.CompletedWithoutAnswer},
	event.EndLimit:      {event.OverBudget},
	event.EndFailed:     {event.Failed},
	event.EndStopped:    {event.Cancelled},
	event.EndTerminated: {event.Terminated},
}
