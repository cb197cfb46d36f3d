package modeltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestFuncPassesTheSuite(t *testing.T) {
	modeltest.TestClient(t, func(_ *testing.T, replies ...modeltest.Reply) model.Client {
		return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
			n := 0
			for _, m := range req.Messages {
				if m.Role == model.Assistant {
					n++
				}
			}
			return replies[n]
		})
	})
}

func ask(t *testing.T, c model.Client, agent string) modeltest.Got {
	t.Helper()
	return modeltest.Collect(c.Stream(t.Context(), model.Request{Agent: agent, AgentRole: strings.TrimSuffix(agent, "_1")}))
}

func TestSequencePerAgent(t *testing.T) {
	c := modeltest.Sequence(modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two", Calls: []event.Call{modeltest.Call("f", nil)}})
	for _, agent := range []string{"uio_1", "fse_1"} {
		if a, b := ask(t, c, agent), ask(t, c, agent); a.Text != "one" || b.Text != "two" || b.Calls[0].ID == "" {
			t.Errorf("%s got %+v and %+v, want one and two", agent, a, b)
		}
	}
	got := ask(t, c, "uio_1")
	if e, ok := errors.AsType[*model.Error](got.Err); !ok || e.Class != model.ClassBadRequest || !strings.Contains(e.Message, "uio_1") {
		t.Errorf("error %v, want bad_request that names the agent", got.Err)
	}
}

func TestByAgent(t *testing.T) {
	c := modeltest.ByAgent(map[string]model.Client{
		"uio":   modeltest.Sequence(modeltest.Reply{Text: "role"}),
		"fse_1": modeltest.Sequence(modeltest.Reply{Text: "agent"}),
	})
	if a, b := ask(t, c, "uio_1"), ask(t, c, "fse_1"); a.Text != "role" || b.Text != "agent" {
		t.Errorf("got %+v and %+v, want role and agent", a, b)
	}
	if got := ask(t, c, "qae_1"); got.Err == nil || !strings.Contains(got.Err.Error(), "qae_1") {
		t.Errorf("got %+v, want an error that names the agent", got)
	}
}

func TestFromLog(t *testing.T) {
	records := func(last error) iter.Seq2[event.Record, error] {
		return func(yield func(event.Record, error) bool) {
			for i, text := range []string{"one", "two"} {
				for _, agent := range []string{"tl", "uio_1"} {
					if !yield(event.Record{Agent: agent, Turn: i, Data: event.ModelReplied{Text: agent + text, Finish: event.FinishStop}}, nil) {
						return
					}
				}
				yield(event.Record{Agent: "tl", Data: event.Warning{}}, nil)
			}
			if last != nil {
				yield(event.Record{}, last)
			}
		}
	}
	c, err := modeltest.FromLog(records(nil))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, agent := range []string{"uio_1", "tl", "tl", "uio_1"} {
		texts = append(texts, ask(t, c, agent).Text)
	}
	if diff := cmp.Diff([]string{"uio_1one", "tlone", "tltwo", "uio_1two"}, texts); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if _, err := modeltest.FromLog(records(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want the log's", err)
	}
}

func TestFuncWaitsOnTheBubblesClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ask(t, modeltest.Sequence(modeltest.Reply{Delay: time.Hour}), "uio_1")
		if took := time.Since(began); took != time.Hour {
			t.Errorf("took %s, want 1h", took)
		}
	})
}

func TestServerWithoutStream(t *testing.T) {
	s := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Text: "re: " + req.Last(model.User).Content, Calls: []event.Call{modeltest.Call("f", map[string]int{"n": 1})}}
	})
	resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Total int `json:"total_tokens"`
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	m := got.Choices[0].Message
	if m.Content != "re: hi" || m.ToolCalls[0].Function.Arguments != `{"n":1}` || m.ToolCalls[0].ID == "" || got.Choices[0].FinishReason != "tool_calls" || got.Usage.Total == 0 {
		t.Errorf("got %+v, want the whole reply", got)
	}
}

func TestServerRefusesWhatStrictEndpointsRefuse(t *testing.T) {
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply { return modeltest.Reply{} })
	for body, says := range map[string]string{
		`nonsense`:        "no chat request",
		`{"messages":[]}`: "model is missing",
		`{"model":"m","messages":[{"role":"tool","content":""}]}`:                                           "tool_call_id",
		`{"model":"m","messages":[{"role":"user"}]}`:                                                        "content is missing",
		`{"model":"m","messages":[{"role":"user","content":null}]}`:                                         "null without tool calls",
		`{"model":"m","messages":[{"role":"king","content":"x"}]}`:                                          "unknown role",
		`{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"f"}}]}`:                 "parameters",
		`{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"type":"function"}]}]}`: "without an id",
	} {
		resp, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), says) {
			t.Errorf("%s: status %d, %s, want 400 that says %q", body, resp.StatusCode, text, says)
		}
	}
	if n := len(s.Exchanges()); n != 0 {
		t.Errorf("%d exchanges recorded, want none for refused requests", n)
	}
}

func TestServerRecordsOverlap(t *testing.T) {
	var all sync.WaitGroup
	all.Add(3)
	s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		all.Done()
		all.Wait() // three requests are open at once
		return modeltest.Reply{Text: "ok"}
	})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { ask(t, s.Client(), "uio_1") })
	}
	wg.Wait()
	if s.MaxOverlap() != 3 {
		t.Errorf("overlap %d, want 3", s.MaxOverlap())
	}
	s.Close() // waits for the handlers, so that all ends are recorded
	for i, x := range s.Exchanges() {
		if x.Request.Number != i+1 || x.Start.IsZero() || x.End.Before(x.Start) || len(x.Request.Body) == 0 {
			t.Errorf("exchange %d is %+v, want its number, times and body", i, x)
		}
	}
}

func TestServerMisbehaves(t *testing.T) {
	asked := model.NewError(model.ClassRateLimited, "slow down")
	asked.Status, asked.RetryAfter = 429, 1500*time.Millisecond
	tests := []struct {
		name  string
		reply modeltest.Reply
		class string
	}{
		{"no end", modeltest.Reply{Text: "a", Wire: modeltest.Wire{NoFinish: true, NoDone: true}}, model.ClassTruncatedStream},
		{"nothing", modeltest.Reply{Wire: modeltest.Wire{NoFinish: true, NoDone: true}}, model.ClassEmptyResponse},
		{"cut", modeltest.Reply{Text: "abc", Wire: modeltest.Wire{CutAfter: 400}}, model.ClassTruncatedStream},
		{"own body", modeltest.Reply{Wire: modeltest.Wire{Body: "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"}}, model.ClassTruncatedStream},
		{"status", modeltest.Reply{Wire: modeltest.Wire{Status: 503}}, model.ClassOverloaded},
		{"model error", modeltest.Reply{Err: asked}, model.ClassRateLimited},
		{"other error", modeltest.Reply{Err: errors.New("broken")}, model.ClassServerError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply { return tt.reply })
			got := ask(t, s.Client(), "uio_1")
			e, ok := errors.AsType[*model.Error](got.Err)
			if !ok || e.Class != tt.class {
				t.Fatalf("error %v, want class %s", got.Err, tt.class)
			}
			if errors.Is(tt.reply.Err, asked) && (e.RetryAfter != asked.RetryAfter || e.Message != asked.Message) {
				t.Errorf("error %+v, want wait and words of %+v", e, asked)
			}
		})
	}
}
