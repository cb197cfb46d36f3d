package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestOpenAIClient(t *testing.T) {
	modeltest.TestClient(t, func(t *testing.T, replies ...modeltest.Reply) model.Client {
		s := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply { return replies[req.Reply()-1] })
		return s.Client()
	})
}

func TestScriptedClient(t *testing.T) {
	modeltest.TestClient(t, func(t *testing.T, replies ...modeltest.Reply) model.Client {
		script, err := model.ParseScript("suite", scriptOf(t, replies))
		if err != nil {
			t.Fatal(err)
		}
		return model.NewScripted(script)
	})
}

func TestRetryingClient(t *testing.T) {
	modeltest.TestClient(t, func(_ *testing.T, replies ...modeltest.Reply) model.Client {
		return model.WithRetry(byNumber(replies), model.RetryPolicy{})
	})
}

func TestGatedClient(t *testing.T) {
	modeltest.TestClient(t, func(_ *testing.T, replies ...modeltest.Reply) model.Client {
		return model.WithParallel(byNumber(replies), 2)
	})
}

// byNumber plays the n-th reply to a request that waits for it.
func byNumber(replies []modeltest.Reply) model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		n := 0
		for _, m := range req.Messages {
			if m.Role == model.Assistant {
				n++
			}
		}
		return replies[n]
	})
}

// scriptOf writes replies as a script.
func scriptOf(t *testing.T, replies []modeltest.Reply) []byte {
	t.Helper()
	type m = map[string]any
	var entries []m
	for _, r := range replies {
		e := m{"text": r.Text, "reasoning": r.Reasoning, "delay": r.Delay.String(), "chunk": r.Wire.Chunk}
		if r.Usage != (event.Usage{}) {
			e["usage"] = r.Usage
		}
		var calls []m
		for _, c := range r.Calls {
			calls = append(calls, m{"tool": c.Name, "arguments": c.Arguments})
		}
		if calls != nil {
			e["calls"] = calls
		}
		if failed, ok := errors.AsType[*model.Error](r.Err); ok {
			e["fault"] = m{"status": failed.Status, "message": failed.Message, "times": -1}
		}
		entries = append(entries, e)
	}
	text, err := json.Marshal(m{"roles": m{"uio": entries}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
