package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model/modeltest"
)

// probeTeam is a team file for an endpoint at $URL.
const probeTeam = "model: house\nroles: {a: {name: A, does: nothing}}\nmodels:\n  house: {provider: openai-compatible, model: test-model, base_url: \"${URL}\", extra: {seed: 1}}\n"

func TestProbeShowsWhatWorks(t *testing.T) {
	server := modeltest.NewServer(t, func(req modeltest.ChatRequest) modeltest.Reply {
		switch {
		case req.Fields["max_tokens"] != nil:
			return modeltest.Reply{Wire: modeltest.Wire{Status: http.StatusBadRequest, Body: `{"error":{"message":"max_tokens is not supported"}}`}}
		case len(req.Tools) > 0 && req.Reply() == 1:
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("note", map[string]string{"word": "ready"})}}
		}
		return modeltest.Reply{Text: "ready", Usage: event.Usage{Input: 20, Output: 5}}
	})
	p := newProcess(t)
	p.vars["URL"] = server.URL
	put(t, "team.yaml", probeTeam)
	if code := p.call(t.Context(), "models", "probe"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	for _, want := range []string{
		"openai-compatible/test-model  " + server.URL, "tool_result  works", "usage        works   20 in, 5 out",
		"because the endpoint says: max_tokens is not supported", "profile: {max_tokens_field: max_completion_tokens}",
	} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("no %q in:\n%s", want, &p.stdout)
		}
	}
	if code := p.call(t.Context(), "models", "probe", "house", "--json", "--lang", "zh"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	var got probeFinding
	if err := json.Unmarshal(p.stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if !got.OK || len(got.Checks) != 5 || len(got.Learned) != 1 || got.Profile["max_tokens_field"] != "max_completion_tokens" || got.Tokens == 0 {
		t.Errorf("got %+v, want five answers and one thing learned", got)
	}
}

func TestProbeFails(t *testing.T) {
	var status atomic.Int32
	server := modeltest.NewServer(t, func(modeltest.ChatRequest) modeltest.Reply {
		return modeltest.Reply{Wire: modeltest.Wire{Status: int(status.Load())}}
	})
	p := newProcess(t)
	p.vars["URL"] = server.URL
	put(t, "team.yaml", probeTeam)
	put(t, "script.yaml", "model: scripted/survey\nroles: {a: {name: A, does: nothing}}\n")
	tests := []struct {
		args   string
		status int32
		code   int
		says   string
	}{
		{"models probe", http.StatusUnauthorized, exitNoModel, "Unauthorized"},
		{"models probe", http.StatusServiceUnavailable, exitProvider, "Service Unavailable"},
		{"models probe nonsense", 0, exitUsage, "names no provider"},
		{"models probe deepseek/chat", 0, exitNoModel, "DEEPSEEK_API_KEY is not set"},
		{"models probe -f script.yaml", 0, exitUsage, "there is no endpoint"},
		{"models probe a b", 0, exitUsage, "b"},
	}
	for _, tt := range tests {
		status.Store(tt.status)
		if code := p.call(t.Context(), strings.Fields(tt.args)...); code != tt.code || !strings.Contains(p.stderr.String(), tt.says) {
			t.Errorf("%s: exit code %d, want %d with %q; stderr:\n%s", tt.args, code, tt.code, tt.says, &p.stderr)
		}
	}
}
