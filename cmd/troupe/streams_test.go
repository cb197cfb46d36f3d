package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestStdoutIsPure calls every command and looks at all that reaches stdout:
// the answer, or the data that was asked for, and nothing else.
func TestStdoutIsPure(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", `{"roles": {"tl": [{"when": {}, "text": "the answer"}]}}`)
	put(t, "team.yaml", "version: 1\nname: pure\nmodel: scripted/ok.json\nroles: {a: {name: A, does: nothing}}\n")
	put(t, "ok.jsonl", `{"msg_id":"m","sender":"a","receiver":"b","type":"task","ts":1,"payload":"x"}`)
	empty := func(s string) bool { return s == "" }
	is := func(want string) func(string) bool { return func(s string) bool { return s == want } }
	has := func(want string) func(string) bool { return func(s string) bool { return strings.HasPrefix(s, want) } }
	lines := func(s string) bool {
		for line := range strings.Lines(s) {
			if !json.Valid([]byte(line)) {
				return false
			}
		}
		return s != ""
	}
	for _, tt := range []struct {
		args string
		code int
		want func(stdout string) bool
	}{
		{"init other", 0, empty},
		{"init other", 0, empty},
		{"worker -t signup --redis redis://127.0.0.1:1?max_retries=-1", 1, empty},
		{"queue", 0, has("tasks for agents behind Redis Streams")},
		{"queue pending signup --redis redis://127.0.0.1:1?max_retries=-1", 1, empty},
		{"check", 0, has("TEAM ")},
		{"check --json", 0, lines},
		{"check -f none.yaml", 2, empty},
		{"run task", 0, is("the answer\n")},
		{"run task --view bubbles -v", 0, is("the answer\n")},
		{"run task --view lines --lang zh --quiet", 0, is("the answer\n")},
		{"run task --output-format json", 0, lines},
		{"run task --output-format jsonl", 0, lines},
		{"run -f none.yaml task", 2, empty},
		{"run", 2, empty},
		{"run --nope", 2, empty},
		{"answer last ask_tl_001 blue", 2, empty},
		{"chat", 0, empty},
		{"chat -f none.yaml", 2, empty},
		{"chat --resume none", 2, empty},
		{"chat last", 2, empty},
		{"resume last", 2, empty},
		{"resume none", 2, empty},
		{"resume last more --view bubbles -v", 0, is("the answer\n")},
		{"resume last more --output-format json --limits steps=9", 0, lines},
		{"resume last more --output-format jsonl", 0, lines},
		{"resume last more --limits steps=none", 2, empty},
		{"run --limits steps=0 task", 2, empty},
		{"runs", 0, has("RUN ")},
		{"runs list --limit 1", 0, has("RUN ")},
		{"runs --json", 0, lines},
		{"runs show last", 0, has("RUN ")},
		{"runs show last --json", 0, lines},
		{"runs show none", 2, empty},
		{"runs export last", 0, has("# Transcript")},
		{"runs export last --format html", 0, has("<!DOCTYPE html>")},
		{"runs export last --format json", 0, func(s string) bool { return json.Valid([]byte(s)) }},
		{"runs export last -o run.md", 0, empty},
		{"runs export last --format pdf", 2, empty},
		{"runs export none", 2, empty},
		{"runs cost", 0, has("AGENT ")},
		{"runs cost last --json", 0, lines},
		{"runs repair last", 0, empty},
		{"runs repair last --json", 0, lines},
		{"runs rm last", 2, empty},
		{"runs rm last --yes", 0, empty},
		{"replay last", 0, func(s string) bool { return strings.HasSuffix(s, "\nthe answer\n") }},
		{"replay last --json", 0, lines},
		{"replay none", 2, empty},
		{"diff last last", 0, empty},
		{"diff last last --json", 0, lines},
		{"diff last none", 2, empty},
		{"diff last", 2, empty},
		{"envelope", 0, has("messages in the standard envelope")},
		{"envelope check", 0, empty},
		{"envelope check ok.jsonl", 0, is("ok       ok.jsonl:1  m task a → b\n")},
		{"envelope check ok.jsonl --json", 0, lines},
		{"envelope check team.yaml", 1, has("invalid  team.yaml:1")},
		{"envelope check none.jsonl", 2, empty},
		{"envelope explain ok.jsonl", 0, has("ok.jsonl:1  m task")},
		{"envelope explain ok.jsonl --json", 0, lines},
		{"envelope convert ok.jsonl --to target-task", 0, is(`{"target_agent":"b","task":"x"}` + "\n")},
		{"envelope convert team.yaml", 1, empty},
		{"envelope convert --map team.yaml ok.jsonl", 2, empty},
		{"models", 0, has("PROVIDER ")},
		{"models list --json", 0, lines},
		{"models probe", 2, empty},
		{"models probe ollama/nobody", 3, has("ollama/nobody")},
		{"models probe ollama/nobody --json", 3, lines},
		{"schema", 0, func(s string) bool { return json.Valid([]byte(s)) }},
		{"schema export", 0, func(s string) bool { return json.Valid([]byte(s)) }},
		{"schema studio", 0, func(s string) bool { return json.Valid([]byte(s)) }},
		{"schema envelope", 0, func(s string) bool { return json.Valid([]byte(s)) && strings.Contains(s, "tool_call") }},
		{"serve", 2, empty},
		{"serve --studio --listen 0.0.0.0:0", 2, empty},
		{"serve token alice", 2, empty},
		{"dial", 2, empty},
		{"dial ws://127.0.0.1:1/studio hi", 1, empty},
		{"schema record", 0, func(s string) bool { return json.Valid([]byte(s)) }},
		{"completion bash", 0, has("# bash completion")},
		{"completion zsh", 0, has("#compdef troupe")},
		{"completion fish", 0, has("# fish completion")},
		{"completion powershell", 0, has("# powershell completion")},
		{"version", 0, has("troupe ")},
		{"version --json", 0, lines},
		{"help", 0, has("Troupe runs teams")},
		{"--help", 0, has("Troupe runs teams")},
		{"nonsense", 2, empty},
	} {
		t.Run(tt.args, func(t *testing.T) {
			code := p.call(t.Context(), strings.Fields(tt.args)...)
			if code != tt.code || !tt.want(p.stdout.String()) {
				t.Errorf("exit code %d, want %d; stdout:\n%s\nstderr:\n%s", code, tt.code, &p.stdout, &p.stderr)
			}
			if code != 0 && p.stderr.Len() == 0 {
				t.Error("failed without a word on stderr")
			}
		})
	}
	t.Run("all commands", func(t *testing.T) {
		a := &app{Env: p.Env, words: wordsOf(en), declared: map[*cobra.Command][]string{}}
		for _, c := range a.root().Commands() {
			if c.Name() != "help" && !strings.Contains(calledCommands, " "+c.Name()+" ") {
				t.Errorf("no call of %s", c.Name())
			}
		}
	})
}

// calledCommands are the commands that TestStdoutIsPure calls.
const calledCommands = " worker queue init check run chat resume answer runs replay diff envelope models schema serve dial completion version "
