package model_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

func TestEstimateText(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "汉字": 2, "ab汉字cd": 3, "😀": 1} {
		if got := model.EstimateText(text); got != want {
			t.Errorf("EstimateText(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestEstimateTokensCountsEverything(t *testing.T) {
	req := model.Request{}
	last := model.EstimateTokens(req)
	if last != 0 {
		t.Errorf("an empty request takes %d tokens, want 0", last)
	}
	grow := []func(){
		func() { req.Messages = append(req.Messages, model.Message{Role: model.User}) },
		func() { req.Messages[0].Content = "text" },
		func() { req.Messages[0].Calls = []event.Call{{Name: "f"}} },
		func() { req.Messages[0].Calls[0].Arguments = `{"a":1}` },
		func() { req.Tools = append(req.Tools, model.Tool{Name: "f"}) },
		func() { req.Tools[0].Description = "Does it." },
		func() { req.Tools[0].Schema = json.RawMessage(`{"type":"object"}`) },
	}
	for i, f := range grow {
		f()
		n := model.EstimateTokens(req)
		if n <= last {
			t.Errorf("step %d: %d tokens after %d, want more", i, n, last)
		}
		last = n
	}
}

func TestEstimateIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		sum, both := model.EstimateText(a)+model.EstimateText(b), model.EstimateText(a+b)
		if both > sum || both < sum-1 {
			t.Errorf("together %d, apart %d: want the same but for one rounding", both, sum)
		}
	})
}
