package model_test

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// TestRestoreEverySwitch gives a client what another one learned of each switch,
// back and forth, as records tell it.
func TestRestoreEverySwitch(t *testing.T) {
	others := map[string]any{
		"echo_reasoning": "tool_loop", "reasoning_tags": "open", "max_tokens_field": "max_completion_tokens",
		"content_with_calls": "omit", "schema_dialect": "basic", "num_ctx": 4096,
	}
	c, err := model.NewAdaptive(model.Endpoint{Provider: "openai-compatible", Model: "m", BaseURL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range c.Profile().Switches() {
		other, ok := others[s.Name]
		if !ok {
			other = s.Value != any(true)
		}
		for _, want := range []any{other, s.Value} {
			if err := c.Restore(event.ModelProfile{Switch: s.Name, Value: fmt.Sprint(want)}); err != nil {
				t.Fatal(err)
			}
			if got := c.Profile().Switches()[i].Value; got != want {
				t.Errorf("%s is %v, want %v", s.Name, got, want)
			}
		}
	}
	before := c.Profile()
	for _, d := range []event.ModelProfile{
		{Switch: "no_such_switch", Value: "true"}, {Switch: "num_ctx", Value: "many"}, {Switch: "extra.top_k", Value: "left out"},
	} {
		if err := c.Restore(d); err != nil || c.Profile() != before {
			t.Errorf("%+v gave %v and %v", d, err, c.Profile())
		}
	}
}
