package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// isSummary reports whether a request wants a summary.
func isSummary(req model.Request) bool { return req.Messages[0].Content == "SUMMARIZE" }

// tooLong is the reply of a provider that refuses a conversation.
func tooLong() modeltest.Reply {
	return modeltest.Reply{Err: model.NewError(model.ClassContextOverflow, "maximum context length exceeded")}
}

// narrow is a model that reads only so many tokens; summaries come from sum,
// or are too long like all else if it is nil. Each step makes a call until the
// turn has enough of them.
type narrow struct {
	window, steps int
	sum           func(req model.Request) modeltest.Reply

	mu        sync.Mutex // guards all below
	played    int
	requests  []string // texts of the requests that were read
	summaries []string // what was to be summed up
}

func (n *narrow) client() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		n.mu.Lock()
		defer n.mu.Unlock()
		if isSummary(req) {
			n.summaries = append(n.summaries, req.Messages[1].Content)
			if len(req.Tools) > 0 || n.sum == nil {
				return tooLong()
			}
			return n.sum(req)
		}
		if model.EstimateTokens(req) > n.window {
			return tooLong()
		}
		n.requests = append(n.requests, texts(req.Messages))
		if req.Messages[0].Content == "" {
			return modeltest.Reply{Text: "no prompt"}
		}
		if n.played++; n.played >= n.steps {
			return modeltest.Reply{Text: "done"}
		}
		return modeltest.Reply{Text: fmt.Sprintf("step %d", n.played), Calls: []event.Call{call("work")}}
	})
}

func sumUp(model.Request) modeltest.Reply { return modeltest.Reply{Text: "the gist"} }

// work is a tool with a long result, another one each time.
func work() tools.Tool {
	n := 0
	return tool("work", func(context.Context, tools.Call) (string, error) {
		n++
		return fmt.Sprintf("%d ", n) + strings.Repeat("result ", 60), nil
	}, tools.Exclusive())
}

func TestAConversationThatIsTooLongIsFolded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := &narrow{window: 500, steps: 6, sum: sumUp}
		s := newStage(t, n.client(), []tools.Tool{work()}, func(c *agent.Config) {
			c.Brief = func(string) string { return "who is there" }
		})
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		if got, want := s.finals(), []string{"natural: done"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		result := strings.Repeat("result ", 60) + "\n"
		want := "user: note SUMMARY the gist\nBRIEF who is there\n" +
			"assistant: step 4 [work]\ntool: 4 " + result + "assistant: step 5 [work]\ntool: 5 " + result
		if diff := cmp.Diff(want, n.requests[len(n.requests)-1]); diff != "" {
			t.Errorf("the last request (-want +got):\n%s", diff)
		}
		folded := data[event.HistoryCompacted](s)
		if len(folded) == 0 || folded[0].ID != "msg_sys_001" || folded[0].Dropped == 0 || folded[0].Kept < 2 {
			t.Errorf("folded %+v", folded)
		}
		if len(n.summaries) != len(folded) || !strings.Contains(n.summaries[0], "[Team Leader 消息 msg_tl_001]\n> begin\n[assistant]\n> step 1\n[assistant calls work]\n> {}\n[tool work]\n> 1 result") {
			t.Errorf("to sum up: %q", n.summaries)
		}
		for _, d := range data[event.ModelReplied](s) {
			if (d.Text == "the gist") != (d.Purpose == event.PurposeSummary) {
				t.Errorf("purpose %q of the reply %q", d.Purpose, d.Text)
			}
		}
		requested, ended := data[event.ModelRequested](s), len(data[event.ModelReplied](s))+len(data[event.ModelFailed](s))
		if len(requested) != ended {
			t.Errorf("%d requests, %d ends", len(requested), ended)
		}
	})
}

// TestASecondOverflowEndsTheTurn has a model that reads nothing any more.
func TestASecondOverflowEndsTheTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{replies: []modeltest.Reply{{Text: "a", Calls: []event.Call{call("work")}}, tooLong(), {Text: "the gist"}, tooLong()}}
		s := newStage(t, rec.client(), []tools.Tool{work()})
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		if got, want := s.finals(), []string{"failed: a"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		if got := s.reports()[1].Failure.Code; got != model.ClassContextOverflow {
			t.Errorf("failure %q", got)
		}
		if got := len(rec.seen()); got != 4 {
			t.Errorf("%d requests, want 4", got)
		}
	})
}

// TestNothingToFold has a conversation that is only what must stay.
func TestNothingToFold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{replies: []modeltest.Reply{tooLong()}}
		s := newStage(t, rec.client(), nil)
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		if got := len(rec.seen()); got != 1 || len(data[event.HistoryCompacted](s)) != 0 {
			t.Errorf("%d requests, want 1 and no summary", got)
		}
		if got, want := s.finals(), []string{"failed: "}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
	})
}

// TestASummaryThatFailsIsAnExtract goes on without the help of a model.
func TestASummaryThatFailsIsAnExtract(t *testing.T) {
	for name, tt := range map[string]struct {
		sum    func(model.Request) modeltest.Reply
		budget *freeBudget
		why    string
	}{
		"too long": {nil, nil, "maximum context length"},
		"empty":    {func(model.Request) modeltest.Reply { return modeltest.Reply{} }, nil, "no text"},
		"filtered": {func(model.Request) modeltest.Reply {
			return modeltest.Reply{Text: "half", Finish: event.FinishContentFilter}
		}, nil, "filter"},
		"panics": {func(model.Request) modeltest.Reply { panic("oh") }, nil, "panicked"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n := &narrow{window: 400, steps: 4, sum: tt.sum}
				s := newStage(t, n.client(), []tools.Tool{work()})
				s.run()
				s.tell("begin\nand more")
				synctest.Wait()
				if err := s.end(); err != nil {
					t.Fatal(err)
				}
				if got, want := s.finals(), []string{"natural: done"}; !slices.Equal(got, want) {
					t.Errorf("reports %q, want %q", got, want)
				}
				warned, folded := data[event.Warning](s), data[event.HistoryCompacted](s)
				if len(warned) != len(folded) || len(folded) == 0 {
					t.Fatalf("warned %v, folded %v", warned, folded)
				}
				if warned[0].Code != "summary_failed" || !strings.Contains(warned[0].Text, tt.why) {
					t.Errorf("warning %+v, want one of %q", warned[0], tt.why)
				}
				if want := "SUMMARY EXTRACT\n- Team Leader 消息 msg_tl_001: begin and more\n- assistant: step 1\n- assistant calls work: {}\n- tool work: 1 result"; !strings.HasPrefix(folded[0].Summary, want) {
					t.Errorf("summary %q, want it to begin with %q", folded[0].Summary, want)
				}
			})
		})
	}
}

// TestASummaryNobodyPaysFor keeps to the budget, also in a wrap-up.
func TestASummaryNobodyPaysFor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := &narrow{window: 400, steps: 20, sum: sumUp}
		s := newStage(t, n.client(), []tools.Tool{work()}, func(c *agent.Config) { c.Budget = &freeBudget{left: 4} })
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		if len(n.summaries) > 1 {
			t.Errorf("%d summaries were asked for", len(n.summaries))
		}
		if got := len(s.finals()); got != 1 {
			t.Errorf("%d reports", got)
		}
		if f := s.finals()[0]; !strings.HasPrefix(f, "limit: step") {
			t.Errorf("report %q", f)
		}
	})
}

// TestOpenQuestionsStay reads a question early in a turn that is folded later.
func TestOpenQuestionsStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := &narrow{window: 500, steps: 7, sum: sumUp}
		s := newStage(t, n.client(), []tools.Tool{work()})
		_ = s.ask("how many fields?")
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		folded := data[event.HistoryCompacted](s)
		if len(folded) < 2 {
			t.Fatalf("folded %d times, want it twice", len(folded))
		}
		for _, f := range folded {
			if !slices.Equal(f.Pinned, []string{"ask_fse_001"}) {
				t.Errorf("pinned %q", f.Pinned)
			}
		}
		for _, r := range n.requests[:len(n.requests)-1] { // until it is pointed out
			if got := strings.Count(r, "question how many fields?"); got != 1 {
				t.Errorf("the question is there %d times in\n%s", got, r)
			}
		}
		if strings.Contains(n.summaries[0], "how many fields?") {
			t.Errorf("to sum up: %s", n.summaries[0])
		}
	})
}

// TestTheThreshold compacts before the provider refuses anything.
func TestTheThreshold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*agent.Config)

		least, most int // summaries
	}{
		{"none", func(*agent.Config) {}, 0, 0},
		{"no window", func(c *agent.Config) { c.CompactAt = 0.5 }, 0, 0},
		{"window", func(c *agent.Config) { c.CompactAt, c.ContextWindow = 0.5, 1000 }, 3, 8},
		{"wide window", func(c *agent.Config) { c.CompactAt, c.ContextWindow = 0.5, 100_000 }, 0, 0},
		{"hopeless window", func(c *agent.Config) {
			c.CompactAt, c.ContextWindow, c.Prompt = 0.1, 10, agent.NewPrompt(strings.Repeat("rule ", 2000))
		}, 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				n := &narrow{window: 1 << 20, steps: 20, sum: sumUp}
				s := newStage(t, n.client(), []tools.Tool{work()}, tt.change)
				s.run()
				s.tell("begin")
				synctest.Wait()
				if err := s.end(); err != nil {
					t.Fatal(err)
				}
				if got := len(data[event.ModelFailed](s)); got != 0 {
					t.Errorf("%d calls failed", got)
				}
				folded := data[event.HistoryCompacted](s)
				if got := len(folded); got < tt.least || got > tt.most {
					t.Errorf("folded %d times in 20 steps, want %d to %d", got, tt.least, tt.most)
				}
			})
		})
	}
}

// TestASilentProvider counts no more than 300 tokens of any prompt.
func TestASilentProvider(t *testing.T) {
	bubble(t, func(t *testing.T) {
		rec := &recorder{}
		client := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
			usage := event.Usage{Input: min(300, model.EstimateTokens(req)), Output: 1}
			rec.mu.Lock()
			defer rec.mu.Unlock()
			rec.requests = append(rec.requests, texts(req.Messages))
			switch {
			case isSummary(req):
				return modeltest.Reply{Text: "the gist", Usage: usage}
			case len(rec.requests)%12 == 0:
				return modeltest.Reply{Text: "done", Usage: usage}
			}
			return modeltest.Reply{Calls: []event.Call{call("work"), call("work"), call("work"), call("work")}, Usage: usage}
		})
		s := newStage(t, client, []tools.Tool{work()})
		s.run()
		for turn := range 2 {
			s.tell("begin")
			synctest.Wait()
			if got := len(data[event.HistoryCompacted](s)); got != turn+1 {
				t.Errorf("folded %d times after %d turns", got, turn+1)
			}
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, w := range data[event.Warning](s) {
			codes = append(codes, w.Code)
		}
		if want := []string{"prompt_truncated"}; !slices.Equal(codes, want) {
			t.Errorf("warnings %q, want %q", codes, want)
		}
	})
}

// TestACountThatIsNone has a provider that says the same small number always.
func TestACountThatIsNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		n := &narrow{window: 1 << 20, steps: 12}
		played := n.client()
		client := modeltest.Func(func(ctx context.Context, req model.Request) modeltest.Reply {
			got := modeltest.Collect(played.Stream(ctx, req))
			return modeltest.Reply{Text: got.Text, Calls: got.Calls, Usage: event.Usage{Input: 10, Output: 1}}
		})
		s := newStage(t, client, []tools.Tool{work()}, func(c *agent.Config) {
			c.Prompt, c.CompactAt, c.ContextWindow = agent.NewPrompt(strings.Repeat("rule ", 500)), 0.5, 2000
		})
		s.run()
		s.tell("begin")
		synctest.Wait()
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		for _, w := range data[event.Warning](s) {
			if w.Code == "prompt_truncated" {
				t.Errorf("warning %+v", w)
			}
		}
		if len(data[event.HistoryCompacted](s)) == 0 {
			t.Error("the estimate did not count in its place")
		}
	})
}

// TestAnHonestProviderIsNotSuspected counts what is sent, with reasoning that
// comes and goes.
func TestAnHonestProviderIsNotSuspected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		played := 0
		client := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
			count := model.EstimateTokens(req)
			for _, m := range req.Messages {
				if played%3 != 0 {
					count += model.EstimateText(m.Reasoning)
				}
			}
			if played++; played%10 == 0 {
				return modeltest.Reply{Text: "done", Usage: event.Usage{Input: count, Output: 1}}
			}
			return modeltest.Reply{Reasoning: strings.Repeat("well, ", 200), Calls: []event.Call{call("work")}, Usage: event.Usage{Input: count, Output: 1}}
		})
		s := newStage(t, client, []tools.Tool{work()})
		s.run()
		for range 3 {
			s.tell("begin")
			synctest.Wait()
		}
		if err := s.end(); err != nil {
			t.Fatal(err)
		}
		for _, w := range data[event.Warning](s) {
			t.Errorf("warning %+v", w)
		}
	})
}
