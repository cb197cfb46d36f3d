package leader_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestFiftyAgentsRaceOnOneLimit lets 50 agents call as often as they may. No
// call starts whose reserve could not be paid, so what is used in the end goes
// over the limit by no more than the calls under way went over their
// estimates.
func TestFiftyAgentsRaceOnOneLimit(t *testing.T) {
	const agents, limit, estimate, over = 50, 100_000, 1000, 37
	for _, tt := range []struct {
		name   string
		limits leader.Limits
		need   agent.Need
	}{
		{"tokens", leader.Limits{Tokens: limit}, agent.Need{Input: 600, Output: 400}},
		{"money", leader.Limits{Budget: limit}, agent.Need{Cost: &event.Cost{Currency: "CNY", Amount: estimate}}},
		{"steps", leader.Limits{Steps: limit / estimate}, agent.Need{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := leader.NewBudget(tt.limits, time.Now)
			var mu sync.Mutex // guards the counters
			open, calls := 0, 0
			var team sync.WaitGroup
			for range agents {
				team.Go(func() {
					for {
						if _, err := b.Reserve(tt.need); err != nil {
							return
						}
						mu.Lock()
						open++
						calls++
						if got := open * estimate; got > limit {
							t.Errorf("%d calls of %d are under way, of a limit of %d", open, estimate, limit)
						}
						open--
						mu.Unlock()
						b.Settle(tt.need, event.Usage{Input: 600 + over, Output: 400}, &event.Cost{Currency: "CNY", Amount: estimate + over})
					}
				})
			}
			team.Wait()
			if tt.name == "steps" {
				if calls != limit/estimate {
					t.Errorf("%d calls, want exactly %d", calls, limit/estimate)
				}
				return
			}
			if used := calls * (estimate + over); used > limit+agents*over {
				t.Errorf("%d used of %d; at most %d over", used, limit, agents*over)
			}
			if calls < limit/(estimate+over)-1 {
				t.Errorf("only %d calls; the limit was not used", calls)
			}
		})
	}
}

// spender asks for work again and again.
func spender(usage event.Usage) func(model.Request, int) modeltest.Reply {
	return func(req model.Request, n int) modeltest.Reply {
		if len(req.Tools) == 0 {
			return modeltest.Reply{Text: "last words", Usage: usage}
		}
		return modeltest.Reply{
			Text: "working", Usage: usage, Delay: time.Second,
			Calls: []event.Call{modeltest.Call("list_dir", map[string]any{"offset": n})},
		}
	}
}

func TestLimitsEndARun(t *testing.T) {
	price := &leader.Price{Currency: "CNY", Input: 100, CachedInput: 50, Output: 200}
	for _, tt := range []struct {
		limit  string
		limits leader.Limits
		answer string
	}{
		{"steps", leader.Limits{Steps: 10}, "last words"},
		{"tokens", leader.Limits{Tokens: 60_000}, "last words"},
		{"budget", leader.Limits{Budget: 6}, "last words"},
		{"deadline", leader.Limits{Deadline: 10 * time.Second}, "last words"},
	} {
		t.Run(tt.limit, func(t *testing.T) {
			p := players{"tl": spender(event.Usage{Input: 3000, Output: 200})}
			res, records, err := do(t, p, func(team *leader.Team) {
				team.Limits = tt.limits
				team.Model.Price = price
			})
			failed, ok := errors.AsType[*leader.Error](err)
			if !ok || failed.Code != "limit" || failed.Who != "limit" {
				t.Fatalf("got %v, want an error of code limit", err)
			}
			if res.Status != leader.StatusPartial || res.Limit != tt.limit || res.Answer != tt.answer {
				t.Errorf("got %s by %q with %q, want partial by %q with %q", res.Status, res.Limit, res.Answer, tt.limit, tt.answer)
			}
			warned, reached := 0, 0
			for _, rec := range records {
				switch d := rec.Data.(type) {
				case event.LimitWarned:
					warned++
					if d.Limit != tt.limit || d.Used < 0.8*d.Max {
						t.Errorf("warned of %+v", d)
					}
				case event.LimitReached:
					reached++
				}
			}
			if warned != 1 || reached != 1 {
				t.Errorf("warned %d times and reached %d times, want once each", warned, reached)
			}
		})
	}
}

// TestChildrenDrawOnTheRun lets a sub-agent spend all: it ends with what it
// has and no further call, and the leader says the last word that was kept for
// it.
func TestChildrenDrawOnTheRun(t *testing.T) {
	p := players{
		"tl": func(req model.Request, n int) modeltest.Reply {
			usage := event.Usage{Input: 3000, Output: 100}
			switch {
			case len(req.Tools) == 0:
				return modeltest.Reply{Text: "partial result", Usage: usage}
			case n == 0:
				return modeltest.Reply{Text: "plan", Usage: usage, Calls: []event.Call{create("uio", "spend")}}
			}
			return modeltest.Reply{Text: "waiting", Usage: usage}
		},
		"uio_1": spender(event.Usage{Input: 3000, Output: 200}),
	}
	res, records, err := do(t, p, func(team *leader.Team) { team.Limits.Tokens = 60_000 })
	if err == nil || res.Status != leader.StatusPartial || res.Limit != "tokens" || res.Answer != "partial result" {
		t.Errorf("got %s by %q with %q (%v)", res.Status, res.Limit, res.Answer, err)
	}
	if res.Usage.Total() > 60_000 {
		t.Errorf("%d tokens used of 60,000", res.Usage.Total())
	}
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.ModelRequested:
			if d.WrapUp && rec.Agent != event.Leader {
				t.Errorf("%s had a wrap-up, which nobody paid for", rec.Agent)
			}
		case event.MessageSent:
			if d.Kind == event.Completion && (d.Reason != event.EndLimit || !strings.Contains(d.Content, "tokens") || !strings.Contains(d.Content, "working")) {
				t.Errorf("the report %q (%s) does not name the limit and what there is", d.Content, d.Reason)
			}
		}
	}
}

// TestTheDeadlineCutsEveryone ends turns that hang in a model, in a question
// and in a wait, and bounds the leader's last word.
func TestTheDeadlineCutsEveryone(t *testing.T) {
	for _, slow := range []bool{false, true} {
		p := players{
			"tl": func(req model.Request, n int) modeltest.Reply {
				switch {
				case len(req.Tools) == 0 && slow:
					return modeltest.Reply{Text: "too late", Delay: time.Hour}
				case len(req.Tools) == 0:
					return modeltest.Reply{Text: "what we have"}
				case n == 0:
					return say("plan", create("uio", "hang"), create("fse", "ask"))
				}
				return say("I wait", modeltest.Call("wait_sub_agent_output", map[string]any{"until": "all"}))
			},
			"uio_1": func(model.Request, int) modeltest.Reply { return modeltest.Reply{Text: "never", Delay: time.Hour} },
			"fse_1": sequence(say("I ask", modeltest.Call("ask_other_agent", map[string]any{"agent": "uio_1", "question": "?"}))),
		}
		res, records, err := do(t, p, func(team *leader.Team) { team.Limits.Deadline = time.Minute })
		if err == nil || res.Limit != "deadline" {
			t.Errorf("got %s by %q (%v)", res.Status, res.Limit, err)
		}
		want, took := "what we have", time.Minute
		if slow {
			want, took = "I wait", 90*time.Second
		}
		if res.Answer != want || res.Duration != took {
			t.Errorf("slow %t: answer %q after %s, want %q after %s", slow, res.Answer, res.Duration, want, took)
		}
		for _, rec := range records {
			if d, ok := rec.Data.(event.MessageSent); ok && d.Kind == event.Completion && d.Reason != event.EndLimit {
				t.Errorf("%s reported %s, want the limit", rec.Agent, d.Reason)
			}
		}
	}
}

// TestUsageThatIsNotToldIsEstimated counts what a silent client spends.
func TestUsageThatIsNotToldIsEstimated(t *testing.T) {
	res, records, err := do(t, players{"tl": sequence(say("你好，完成了"))})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Usage.Estimated || res.Usage.Input < 1000 || res.Usage.Output != 6 {
		t.Errorf("usage %+v, want an estimate", res.Usage)
	}
	for _, rec := range records {
		if d, ok := rec.Data.(event.ModelReplied); ok && !d.Usage.Estimated {
			t.Errorf("usage %+v is not marked", d.Usage)
		}
	}
}

// TestARepeatedCallEndsTheTurn tells the model at the third identical call and
// stops it at the sixth; waiting may repeat.
func TestARepeatedCallEndsTheTurn(t *testing.T) {
	hints := 0
	p := players{"tl": func(req model.Request, _ int) modeltest.Reply {
		last := req.Messages[len(req.Messages)-1]
		if strings.Contains(last.Content, "same arguments") {
			hints++
		}
		if len(req.Tools) == 0 {
			return say("I was stuck")
		}
		return say("again", modeltest.Call("list_agents", map[string]any{}))
	}}
	res, records, _ := do(t, p)
	calls := 0
	for _, rec := range records {
		if rec.Type() == event.TypeToolFinished {
			calls++
		}
	}
	if res.Limit != "repeated_call" || res.Answer != "I was stuck" || calls != 6 || hints != 1 {
		t.Errorf("ended by %q with %q after %d calls and %d hints", res.Limit, res.Answer, calls, hints)
	}

	waits := players{"tl": func(_ model.Request, n int) modeltest.Reply {
		if n < 10 {
			return say("waiting", modeltest.Call("wait_sub_agent_output", map[string]any{}))
		}
		return say("done")
	}}
	if res, _, err := do(t, waits); err != nil || res.Answer != "done" {
		t.Errorf("waiting ten times ended with %q (%v)", res.Answer, err)
	}
}

// TestBudgetNeedsPrices refuses a limit that could not be held.
func TestBudgetNeedsPrices(t *testing.T) {
	client := modeltest.Sequence()
	cny, usd := &leader.Price{Currency: "CNY"}, &leader.Price{Currency: "USD"}
	for _, tt := range []struct {
		name  string
		team  leader.Team
		wants string
	}{
		{"no price", leader.Team{Model: leader.Model{Client: client, Name: "a/b"}}, "model a/b has none"},
		{"two currencies", leader.Team{
			Model: leader.Model{Client: client, Name: "a/b", Price: cny},
			Roles: []leader.Role{{Name: "UI Operator", Model: leader.Model{Client: client, Name: "c/d", Price: usd}}},
		}, "model c/d has USD, others CNY"},
		{"prices", leader.Team{Model: leader.Model{Client: client, Name: "a/b", Price: cny}}, ""},
	} {
		tt.team.Limits.Budget = 5
		_, err := leader.New(tt.team)
		if (err == nil) != (tt.wants == "") || err != nil && !strings.Contains(err.Error(), tt.wants) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.wants)
		}
	}
}
