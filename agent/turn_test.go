package agent_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// recorder keeps the conversations that a model was sent.
type recorder struct {
	replies []modeltest.Reply

	mu       sync.Mutex // guards requests and tools
	requests []string
	tools    []int
}

// seen returns the requests so far.
func (r *recorder) seen() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// offered returns how many tools each request had.
func (r *recorder) offered() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tools)
}

func (r *recorder) client() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requests = append(r.requests, texts(req.Messages))
		r.tools = append(r.tools, len(req.Tools))
		if n := len(r.requests); n <= len(r.replies) {
			return r.replies[n-1]
		}
		return modeltest.Reply{Text: "done"}
	})
}

func call(name string) event.Call { return modeltest.Call(name, map[string]any{}) }

func TestASteeringMessageIsInTheNextRequest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{replies: []modeltest.Reply{{Text: "I start", Calls: []event.Call{call("slow")}}}}
		s := newStage(t, rec.client(), []tools.Tool{sleeper("slow", time.Minute)})
		s.run()
		s.tell("begin")
		time.Sleep(time.Second)
		s.tell("no API yet")
		synctest.Wait()
		if len(rec.seen()) != 1 {
			t.Fatalf("%d requests while the tool runs, want 1", len(rec.seen()))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want := "user: note begin\nassistant: I start [slow]\ntool: slow done\nuser: note no API yet\n"
		if diff := cmp.Diff(want, rec.seen()[1]); diff != "" {
			t.Errorf("second request (-want +got):\n%s", diff)
		}
		if got, want := s.finals(), []string{"natural: done"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		if !cmp.Equal(s.reports()[0], agent.Output{Agent: "uio_1", Name: "UI Operator_1", Turn: 1, Text: "I start"}, cmp.AllowUnexported(agent.Stop{})) {
			t.Errorf("progress was %+v", s.reports()[0])
		}
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestCallsRunSideBySideAndResultsKeepTheirOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{replies: []modeltest.Reply{{Calls: []event.Call{call("slow"), call("fast"), call("broken"), call("nowhere"), call("panics")}}}}
		s := newStage(t, rec.client(), []tools.Tool{
			sleeper("slow", 3*time.Second), sleeper("fast", time.Second),
			tool("broken", func(context.Context, tools.Call) (string, error) { return "", errTest }),
			tool("panics", func(context.Context, tools.Call) (string, error) { panic("oh") }),
		})
		began := time.Now()
		s.run()
		s.tell("begin")
		time.Sleep(time.Hour)
		synctest.Wait()
		var names []string
		for _, f := range data[event.ToolFinished](s) {
			names = append(names, f.Name)
			if wantErr := f.Name != "slow" && f.Name != "fast"; f.IsError != wantErr {
				t.Errorf("%s: error %t, want %t: %s", f.Name, f.IsError, wantErr, f.Result)
			}
		}
		if want := []string{"slow", "fast", "broken", "nowhere", "panics"}; !slices.Equal(names, want) {
			t.Errorf("results in the order %q, want %q", names, want)
		}
		for rec, err := range s.log.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := rec.Data.(event.ToolFinished); ok && rec.Time.Sub(began) != 3*time.Second {
				t.Errorf("%s is in the log after %s, want 3s, the time of the slowest", f.Name, rec.Time.Sub(began))
			}
		}
		_ = s.end()
	})
}

func TestOrderedAndExclusiveCalls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		note := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, text)
		}
		ordered := tool("ordered", func(_ context.Context, c tools.Call) (string, error) {
			time.Sleep(time.Second)
			note("sent")
			c.Sent()
			time.Sleep(5 * time.Second)
			note("ordered ends")
			return "", nil
		}, tools.Ordered())
		alone := tool("alone", func(context.Context, tools.Call) (string, error) {
			note("alone begins")
			time.Sleep(time.Second)
			note("alone ends")
			return "", nil
		}, tools.Exclusive())
		next := tool("next", func(context.Context, tools.Call) (string, error) { note("next"); return "", nil })
		rec := &recorder{replies: []modeltest.Reply{{Calls: []event.Call{call("ordered"), call("next"), call("alone"), call("next")}}}}
		s := newStage(t, rec.client(), []tools.Tool{ordered, alone, next})
		s.run()
		s.tell("begin")
		time.Sleep(time.Hour)
		synctest.Wait()
		want := []string{"sent", "next", "ordered ends", "alone begins", "alone ends", "next"}
		if !slices.Equal(order, want) {
			t.Errorf("order %q, want %q", order, want)
		}
		_ = s.end()
	})
}

func TestMaxStepsWrapsUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		busy := modeltest.Reply{Text: "more", Calls: []event.Call{call("fast")}}
		rec := &recorder{replies: []modeltest.Reply{busy, busy, busy, busy, busy, {Text: "summary"}}}
		s := newStage(t, rec.client(), []tools.Tool{sleeper("fast", 0)}, func(c *agent.Config) { c.MaxSteps = 5 })
		s.run()
		s.tell("begin")
		synctest.Wait()
		if got, want := s.finals(), []string{"limit: summary"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		if len(rec.seen()) != 6 || rec.offered()[5] != 0 {
			t.Fatalf("%d requests, the last with %d tools; want 6, the last without", len(rec.seen()), rec.offered()[5])
		}
		if !strings.Contains(rec.seen()[4], "NEAR max_steps 4/5") || strings.Contains(rec.seen()[3], "NEAR") {
			t.Error("the notice of 80 % is not in the fifth request first")
		}
		if !strings.HasSuffix(rec.seen()[5], "user: note WRAPUP max_steps\n") {
			t.Errorf("the last request does not end with the wrap-up:\n%s", rec.seen()[5])
		}
		if s.agent.State() != event.Idle {
			t.Errorf("state %s, want idle", s.agent.State())
		}
		_ = s.end()
	})
}

func TestTheBudgetEndsATurn(t *testing.T) {
	for _, tt := range []struct {
		name         string
		hard         bool
		wantRequests int
		want         string
	}{
		{"with a wrap-up", false, 2, "limit: done"},
		{"without one", true, 1, "limit: first"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				rec := &recorder{replies: []modeltest.Reply{{Text: "first", Calls: []event.Call{call("fast")}}}}
				s := newStage(t, rec.client(), []tools.Tool{sleeper("fast", 0)},
					func(c *agent.Config) { c.Budget = &freeBudget{left: 1, hard: tt.hard} })
				s.run()
				s.tell("begin")
				synctest.Wait()
				if len(rec.seen()) != tt.wantRequests {
					t.Errorf("%d requests, want %d", len(rec.seen()), tt.wantRequests)
				}
				if got := s.finals(); !slices.Equal(got, []string{tt.want}) {
					t.Errorf("reports %q, want %q", got, tt.want)
				}
				if got := data[event.LimitReached](s); len(got) != 1 || got[0].Limit != "steps" {
					t.Errorf("limit.reached: %+v", got)
				}
				_ = s.end()
			})
		})
	}
}

func TestFailuresOfTheModel(t *testing.T) {
	panicking := modeltest.Func(func(context.Context, model.Request) modeltest.Reply { panic("boom") })
	refusing := modeltest.Sequence(modeltest.Reply{Text: "half", Err: model.NewError(model.ClassAuth, "bad key")})
	filtered := modeltest.Sequence(modeltest.Reply{Text: "half", Finish: event.FinishContentFilter})
	silent := modeltest.Sequence(modeltest.Reply{}, modeltest.Reply{})
	for _, tt := range []struct {
		name, code string
		model      model.Client
	}{
		{"panic", model.ClassProviderError, panicking},
		{"refusal", model.ClassAuth, refusing},
		{"filter", "content_filter", filtered},
		{"nothing said twice", "empty_response", silent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, tt.model, nil)
				s.tell("begin")
				ending := s.ask("are you there?")
				s.run()
				synctest.Wait()
				var finals []agent.Output
				for _, o := range s.reports() {
					if o.Final {
						finals = append(finals, o)
					}
				}
				if len(finals) != 1 || finals[0].Reason != event.EndFailed || finals[0].Failure.Code != tt.code {
					t.Fatalf("reports %+v, want one failure %s", finals, tt.code)
				}
				if e := <-ending; e.Outcome != event.Failed {
					t.Errorf("the question ended %s, want failed", e.Outcome)
				}
				if s.agent.State() != event.Failing {
					t.Errorf("state %s, want failed", s.agent.State())
				}
				_ = s.end()
			})
		})
	}
}

func TestAFailedAgentIsRevivedByAMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(
			modeltest.Reply{Err: model.NewError(model.ClassServerError, "500")}, modeltest.Reply{Text: "well again"},
		), nil)
		s.run()
		s.tell("begin")
		synctest.Wait()
		s.tell("try again")
		synctest.Wait()
		if got, want := s.finals(), []string{"failed: ", "natural: well again"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		_ = s.end()
	})
}

// TestAReplyThatDoesNothingIsAskedForAgainOnce holds for a reply without a word
// and for one that announces a tool call and makes none.
func TestAReplyThatDoesNothingIsAskedForAgainOnce(t *testing.T) {
	promise := modeltest.Reply{Text: "I look it up", Finish: event.FinishToolCalls}
	for _, tt := range []struct {
		name    string
		replies []modeltest.Reply
		want    string
	}{
		{"empty", []modeltest.Reply{{}, {Text: "here"}}, "natural: here"},
		{"promise", []modeltest.Reply{promise, {Text: "here"}}, "natural: here"},
		{"only thoughts", []modeltest.Reply{{Reasoning: "hm"}, {Text: "here"}}, "natural: here"},
		{"promise twice", []modeltest.Reply{promise, promise}, "failed: I look it up"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				rec := &recorder{replies: tt.replies}
				s := newStage(t, rec.client(), nil)
				s.run()
				s.tell("begin")
				synctest.Wait()
				if got := s.finals(); !slices.Equal(got, []string{tt.want}) {
					t.Errorf("reports %q, want %q", got, tt.want)
				}
				if got := rec.seen(); len(got) != 2 || !strings.HasSuffix(got[1], "user: note NUDGE\n") {
					t.Errorf("requests %q, want two, the second with a nudge", got)
				}
				_ = s.end()
			})
		})
	}
}

// answering is a tool that answers a question.
type answering struct{ tools.Tool }

func (a answering) Spec() tools.Spec {
	s := a.Tool.Spec()
	s.Answers = true
	return s
}

// TestSilenceAfterAnAnswerIsNoFailure: an agent whose last act was its answer
// need say no more.
func TestSilenceAfterAnAnswerIsNoFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		answer := tool("answer", func(context.Context, tools.Call) (string, error) { return "delivered", nil })
		rec := &recorder{replies: []modeltest.Reply{{Calls: []event.Call{call("answer")}}, {}}}
		s := newStage(t, rec.client(), []tools.Tool{answering{answer}})
		s.run()
		s.tell("begin")
		synctest.Wait()
		if got := s.finals(); !slices.Equal(got, []string{"natural: "}) || len(rec.seen()) != 2 {
			t.Errorf("reports %q after %d requests, want a natural end without a nudge", got, len(rec.seen()))
		}
		_ = s.end()
	})
}

func TestOpenQuestionsHoldATurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{replies: []modeltest.Reply{{Text: "I am done"}, {Text: "it is blue"}}}
		s := newStage(t, rec.client(), nil)
		s.run()
		ending := s.ask("which colour?")
		synctest.Wait()
		e := <-ending
		if e.Outcome != event.Implicit || e.Text != "it is blue" {
			t.Errorf("the question ended %s %q, want implicit and the last output", e.Outcome, e.Text)
		}
		want := "user: question which colour?\nassistant: I am done\nuser: note REMINDER 1\n"
		if diff := cmp.Diff(want, rec.seen()[1]); diff != "" {
			t.Errorf("second request (-want +got):\n%s", diff)
		}
		if got, want := s.finals(), []string{"natural: it is blue"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		_ = s.end()
	})
}

func TestANoteWaitsForTheNaturalOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Text: "thanks"}), nil)
		s.run()
		got := make(chan string, 1)
		go func() {
			x := exchange(s)
			e, err := x.Ask(t.Context(), inquiry(event.Note, "the page is ready"), func() {}, func(...string) func() { return func() {} })
			if err != nil {
				t.Error(err)
			}
			got <- string(e.Outcome) + " " + e.Text
		}()
		if got, want := <-got, "answered thanks"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		_ = s.end()
	})
}

func TestALengthCutRunsNoTool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ran := false
		touch := tool("touch", func(context.Context, tools.Call) (string, error) { ran = true; return "", nil })
		s := newStage(t, modeltest.Sequence(
			modeltest.Reply{Calls: []event.Call{call("touch")}, Finish: event.FinishLength}, modeltest.Reply{Text: "smaller"},
		), []tools.Tool{touch})
		s.run()
		s.tell("begin")
		synctest.Wait()
		f := data[event.ToolFinished](s)
		if ran || len(f) != 1 || f[0].Result != "CUT" || !f[0].IsError {
			t.Errorf("ran %t, results %+v; want one error result and no run", ran, f)
		}
		_ = s.end()
	})
}

func TestWaitingIsSeen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		asks := tool("asks", func(_ context.Context, c tools.Call) (string, error) {
			defer c.Blocked("ask_uio_001", "fse_1")()
			<-release
			return "ok", nil
		})
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("asks"), call("slow")}}, modeltest.Reply{Text: "done"}),
			[]tools.Tool{asks, sleeper("slow", time.Second)})
		s.run()
		s.tell("begin")
		synctest.Wait()
		if s.agent.State() != event.Working {
			t.Errorf("state %s while a tool works, want working", s.agent.State())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s.agent.State() != event.Waiting {
			t.Errorf("state %s while all that is open waits, want waiting", s.agent.State())
		}
		states := data[event.AgentState](s)
		if got, want := states[len(states)-1].Cause, "ask_uio_001 → fse_1"; got != want {
			t.Errorf("it waits for %q, want %q", got, want)
		}
		close(release)
		synctest.Wait()
		if s.agent.State() != event.Idle {
			t.Errorf("state %s at the end, want idle", s.agent.State())
		}
		_ = s.end()
	})
}
