package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/replay"
)

const recordedRuns = "../../testdata/runs/"

// TestVerify runs recorded runs again, as they are and after a word was changed
// in one.
func TestVerify(t *testing.T) {
	good, err := os.ReadFile(recordedRuns + "steered.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(t)
	put(t, "good.jsonl", string(good))
	put(t, "result.jsonl", strings.Replace(string(good), "The page is blue", "The page is red", 1))
	put(t, "prompt.jsonl", strings.Replace(string(good), "Do all of it and nothing", "Do some of it and nothing", 1))
	put(t, "rule.jsonl", strings.Replace(string(good), `"to":"idle"`, `"to":"created"`, 1))
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"the same", []string{"good.jsonl", "--lang", "en"}, exitOK, []string{"uio_1", "3 requests", "ok", "rules"}},
		{"several", []string{"good.jsonl", "good.jsonl", "--lang", "zh"}, exitOK, []string{"一致", "规则"}},
		{"one of several", []string{"good.jsonl", "result.jsonl", "--lang", "en"}, exitFailed, []string{"data.digest", "model.requested", "digest is not", "The last request that is the same: "}},
		{"a prompt", []string{"prompt.jsonl", "--lang", "en"}, exitFailed, []string{"agent.created", "data.prompt", "-- Your task comes", "+- Your task comes"}},
		{"a rule", []string{"rule.jsonl", "--lang", "en"}, exitFailed, []string{": state: "}},
		{"in Chinese", []string{"rule.jsonl", "--lang", "zh"}, exitFailed, []string{"违反", "分歧"}},
		{"a flag of the view", []string{"good.jsonl", "--speed", "8"}, exitUsage, nil},
		{"no run", []string{"nothing.jsonl"}, exitUsage, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code := p.call(t.Context(), append([]string{"replay", "--verify"}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, &p.stderr)
			}
			for _, want := range tt.want {
				if !strings.Contains(p.stdout.String(), want) {
					t.Errorf("no %q in:\n%s", want, &p.stdout)
				}
			}
		})
	}
	if code := p.call(t.Context(), "replay", "--verify", "--json", "result.jsonl"); code != exitFailed {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
	var v replay.Verification
	if err := json.Unmarshal(p.stdout.Bytes(), &v); err != nil || v.First() == nil || v.First().Path != "data.digest" {
		t.Errorf("got %+v (%v)", v, err)
	}
}

// TestVerifyMasks looks for a key that is set now and that a log has: it is in
// no form of the report, which still finds the place.
func TestVerifyMasks(t *testing.T) {
	const key = "provider-key-0123456789"
	good, err := os.ReadFile(recordedRuns + "steered.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	p := newProcess(t)
	p.vars["OPENAI_API_KEY"] = key
	put(t, "prompt.jsonl", strings.Replace(string(good), "Do all of it and nothing", "Do "+key+" and nothing", 1))
	for _, form := range []string{"--lang=en", "--json"} {
		if code := p.call(t.Context(), "replay", "--verify", "prompt.jsonl", form); code != exitFailed {
			t.Fatalf("exit code %d: %s", code, &p.stderr)
		}
		if out := p.stdout.String(); strings.Contains(out, key) || !strings.Contains(out, "Do [masked] and nothing") {
			t.Errorf("%s: the key is in it, or nothing is masked:\n%s", form, out)
		}
	}
}
