package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCheckWarnsOfAnUnknownWindow: a share of a window that nobody knows does
// nothing, and check says so.
func TestCheckWarnsOfAnUnknownWindow(t *testing.T) {
	p := newProcess(t)
	p.vars["DEEPSEEK_API_KEY"] = "sk-secret-1234"
	for _, tt := range []struct {
		model string
		warns bool
	}{
		{"{provider: ollama, model: m, compact_at: 0.8}", true},
		{"{provider: ollama, model: m, compact_at: 0.8, profile: {context_window: 8192}}", false},
		{"{provider: deepseek, model: deepseek-chat, compact_at: 0.8}", false},
	} {
		put(t, "team.yaml", "model: a\nroles: {a: {name: A, does: nothing}}\nmodels: {a: "+tt.model+"}\n")
		if code := p.call(t.Context(), "check"); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
		}
		if got := strings.Contains(p.stdout.String(), "warning: compact_at of model ollama/m has no effect"); got != tt.warns {
			t.Errorf("%s: warns %v, want %v:\n%s", tt.model, got, tt.warns, &p.stdout)
		}
		if code := p.call(t.Context(), "check", "--json"); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
		}
		var found finding
		if err := json.Unmarshal(p.stdout.Bytes(), &found); err != nil || (len(found.Warnings) == 1) != tt.warns {
			t.Errorf("%s: error %v, warnings %+v", tt.model, err, found.Warnings)
		}
	}
}
