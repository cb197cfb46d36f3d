package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// patience bounds what must end at once, on a slow machine.
const patience = 10 * time.Second

// TestClient checks what every [model.Client] promises. newClient returns a
// client that gives the first reply to a request without assistant messages,
// the second to one with one such message, and so on, any number of times; it
// stops what it started with t.Cleanup.
func TestClient(t *testing.T, newClient func(t *testing.T, replies ...Reply) model.Client) {
	s := suite{newClient}
	t.Run("text", s.text)
	t.Run("calls", s.calls)
	t.Run("damaged arguments", s.damaged)
	t.Run("second reply", s.second)
	t.Run("early stop", s.earlyStop)
	t.Run("cancelled before", s.cancelledBefore)
	t.Run("cancelled during", s.cancelledDuring)
	t.Run("refused", s.refused)
	t.Run("many at once", s.many)
}

type suite struct {
	newClient func(t *testing.T, replies ...Reply) model.Client
}

// request is a conversation that waits for the n-th reply.
func request(n int) model.Request {
	req := model.Request{
		Agent: "uio_1", AgentRole: "uio",
		Messages: []model.Message{
			{Role: model.System, Content: "You design pages."},
			{Role: model.User, Content: "来自 Team Leader 的任务发布", Origin: model.Origin{Kind: event.Task, FromID: event.Leader}},
		},
		Tools: []model.Tool{{Name: "write_file", Description: "Write a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}},
	}
	for range n - 1 {
		req.Messages = append(req.Messages,
			model.Message{Role: model.Assistant, Calls: []event.Call{{ID: "c1", Name: "write_file", Arguments: `{"path":"a.md"}`}}},
			model.Message{Role: model.ToolRole, CallID: "c1", ToolName: "write_file"})
	}
	return req
}

// finished fails the test unless the call ended well, with one finish reason.
func finished(t *testing.T, g Got, want event.Finish) {
	t.Helper()
	if g.Err != nil {
		t.Fatalf("error %v, want none", g.Err)
	}
	if g.Finish != want {
		t.Errorf("finish %q, want %q", g.Finish, want)
	}
}

func (s suite) text(t *testing.T) {
	usage := event.Usage{Input: 20, CachedInput: 5, Output: 11, Reasoning: 4}
	reply := Reply{Text: "结论：可以 <复用> auth 模块。😀", Reasoning: "先看需求。", Usage: usage, Wire: Wire{Chunk: 3}}
	c := s.newClient(t, reply)
	for range 2 { // a request may be made again
		g := Collect(c.Stream(t.Context(), request(1)))
		finished(t, g, event.FinishStop)
		if g.Text != reply.Text || g.Reasoning != reply.Reasoning {
			t.Errorf("text %q, reasoning %q, want %q and %q", g.Text, g.Reasoning, reply.Text, reply.Reasoning)
		}
		if g.Usage == nil || *g.Usage != usage {
			t.Errorf("usage %+v, want %+v", g.Usage, usage)
		}
		if len(g.Calls) != 0 {
			t.Errorf("calls %+v, want none", g.Calls)
		}
	}
}

func (s suite) calls(t *testing.T) {
	want := []event.Call{Call("write_file", map[string]any{"path": "设计.md", "n": 1}), Call("write_file", map[string]any{"path": "b.md"})}
	c := s.newClient(t, Reply{Text: "Writing.", Calls: want, Wire: Wire{Chunk: 2}})
	g := Collect(c.Stream(t.Context(), request(1)))
	finished(t, g, event.FinishToolCalls)
	if len(g.Calls) != len(want) {
		t.Fatalf("calls %+v, want %+v", g.Calls, want)
	}
	for i, c := range g.Calls {
		if c.Name != want[i].Name || !sameJSON(c.Arguments, want[i].Arguments) {
			t.Errorf("call %d is %+v, want %+v", i, c, want[i])
		}
	}
	if g.Calls[0].ID == "" || g.Calls[0].ID == g.Calls[1].ID {
		t.Errorf("ids %q and %q, want two different ones", g.Calls[0].ID, g.Calls[1].ID)
	}
}

// damaged: the agent makes an error result of such a call, so it must arrive.
func (s suite) damaged(t *testing.T) {
	c := s.newClient(t, Reply{Calls: []event.Call{Call("write_file", `{"path": "a.m`)}})
	g := Collect(c.Stream(t.Context(), request(1)))
	finished(t, g, event.FinishToolCalls)
	if len(g.Calls) != 1 || g.Calls[0].Arguments != `{"path": "a.m` {
		t.Errorf("calls %+v, want the damaged arguments as they are", g.Calls)
	}
}

func (s suite) second(t *testing.T) {
	c := s.newClient(t, Reply{Text: "one"}, Reply{Text: "two"})
	for n, want := range []string{"one", "two"} {
		req := request(n + 1)
		before := encode(req)
		g := Collect(c.Stream(t.Context(), req))
		finished(t, g, event.FinishStop)
		if g.Text != want {
			t.Errorf("reply %d is %q, want %q", n+1, g.Text, want)
		}
		if after := encode(req); after != before {
			t.Errorf("the client changed the request from %s to %s", before, after)
		}
	}
}

func (s suite) earlyStop(t *testing.T) {
	c := s.newClient(t, Reply{Text: strings.Repeat("word ", 200), Wire: Wire{Chunk: 5}})
	for range 3 {
		for chunk, err := range c.Stream(t.Context(), request(1)) {
			if err != nil || chunk.Text == "" {
				t.Fatalf("first chunk %+v, error %v, want text", chunk, err)
			}
			break
		}
	}
	g := Collect(c.Stream(t.Context(), request(1)))
	finished(t, g, event.FinishStop)
	if len(g.Text) != 1000 {
		t.Errorf("%d bytes of text after early stops, want 1000", len(g.Text))
	}
}

func (s suite) cancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := Collect(s.newClient(t, Reply{Text: "never"}).Stream(ctx, request(1)))
	if !errors.Is(g.Err, context.Canceled) || g.Text != "" || g.AfterErr != 0 {
		t.Errorf("got %+v, want only an error that is context.Canceled", g)
	}
}

func (s suite) cancelledDuring(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := s.newClient(t, Reply{Text: "late", Delay: time.Hour})
	timer := time.AfterFunc(20*time.Millisecond, cancel)
	defer timer.Stop()
	began := time.Now()
	g := Collect(c.Stream(ctx, request(1)))
	if !errors.Is(g.Err, context.Canceled) || g.Text != "" || g.AfterErr != 0 {
		t.Errorf("got %+v, want only an error that is context.Canceled", g)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("the call ended %s after it began, want at once", took)
	}
}

func (s suite) refused(t *testing.T) {
	refusal := model.NewError(model.ClassAuth, "no such key")
	refusal.Status = 401
	g := Collect(s.newClient(t, Reply{Err: refusal}).Stream(t.Context(), request(1)))
	e, ok := errors.AsType[*model.Error](g.Err)
	if !ok {
		t.Fatalf("error %v of type %T, want a *model.Error", g.Err, g.Err)
	}
	if e.Class != model.ClassAuth || e.Retryable || !strings.Contains(e.Message, "no such key") {
		t.Errorf("error %+v, want class auth, not retryable, with the provider's words", e)
	}
	if g.AfterErr != 0 || len(g.Calls) != 0 {
		t.Errorf("got %+v, want nothing after the error and no calls", g)
	}
}

func (s suite) many(t *testing.T) {
	c := s.newClient(t, Reply{Text: "one", Wire: Wire{Chunk: 1}}, Reply{Text: "two", Wire: Wire{Chunk: 1}})
	var wg sync.WaitGroup
	texts := make([]string, 16)
	for i := range texts {
		wg.Go(func() { texts[i] = Collect(c.Stream(t.Context(), request(1+i%2))).Text })
	}
	wg.Wait()
	want := slices.Repeat([]string{"one", "two"}, len(texts)/2)
	if !slices.Equal(texts, want) {
		t.Errorf("texts %q, want %q", texts, want)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && encode(x) == encode(y)
}
