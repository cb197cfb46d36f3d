package main

import (
	"strings"
	"testing"
)

// TestSpansAndFilters plays parts of a transcript with a sub-agent.
func TestSpansAndFilters(t *testing.T) {
	file := t.TempDir() + "/session.jsonl"
	copyFile(t, "../../replay/foreign/testdata/import/claude-inline.jsonl", file)
	p := newProcess(t) // it is in another folder
	for _, tt := range []struct {
		args        string
		has, hasNot []string
	}{
		{"", []string{"imported from claude-code session.jsonl", "Find every place", "说明写好了"}, nil},
		{"--from task_001", []string{"Find every place", "说明写好了"}, []string{"msg_user_001"}},
		{"--from toolu_01A --to toolu_01A", []string{"tool done   Task"}, []string{"msg_user_001", "Edit"}},
		{"--to msg_user_001", []string{"msg_user_001"}, []string{"Task", "说明写好了"}},
		{"--from 2 --to 2", []string{"Checkout totals"}, []string{"start", "created"}},
		{"--only generalpurpose", []string{"Grep", "Find every place"}, []string{"Edit"}},
		{"--only tool.*", []string{"Grep", "Edit"}, []string{"msg_user_001", "说明写好了"}},
		{"--only tool.*,generalpurpose_1", []string{"Grep"}, []string{"Edit", "report"}},
		{"--only message.delivered --only leader", []string{"delivered   msg_user_001"}, []string{"task_001", "state"}},
		{"--only model.replied --json --from 30 --to 40", []string{`"type":"model.replied"`}, []string{"run.started", "tool.started"}},
	} {
		t.Run(tt.args, func(t *testing.T) {
			args := append([]string{"replay", file, "--view", "lines"}, strings.Fields(tt.args)...)
			if code := p.call(t.Context(), args...); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &p.stderr)
			}
			for _, want := range tt.has {
				if !strings.Contains(p.stdout.String(), want) {
					t.Errorf("has no %q:\n%s", want, &p.stdout)
				}
			}
			for _, no := range tt.hasNot {
				if strings.Contains(p.stdout.String(), no) {
					t.Errorf("has %q:\n%s", no, &p.stdout)
				}
			}
		})
	}
}

// TestReplayMistakes makes the mistakes that a person makes, and looks for the
// way out.
func TestReplayMistakes(t *testing.T) {
	p := newProcess(t)
	put(t, "chat.json", `[{"role":"user","content":"hello"},{"role":"assistant","content":"hi"}]`)
	put(t, "notes.txt", "nothing of the kind\n")
	for args, want := range map[string]string{
		"chat.json --from msg_usr_001":               "did you mean: msg_user_001",
		"chat.json --to task_001":                    `nothing in this run has the id "task_001"`,
		"chat.json --from 99":                        "there is no 99",
		"chat.json --only message.snt":               "did you mean: message.sent",
		"chat.json --only teller":                    "its agents: tl",
		"chat.json --speed fast":                     "--speed",
		"chat.json --idle-cap soon":                  "--idle-cap",
		"chat.json --step":                           "no terminal",
		"chat.json --follow --no-follow":             "exclude each other",
		"chat.json --from-format xml":                "auto, troupe, openai, claude-code",
		"chat.json --from-format troupe":             "no such run",
		"notes.txt --from-format openai":             "--from-format",
		"none.json --from-format openai":             "none.json",
		"nobody":                                     "troupe runs list",
		"chat.json --from-format claude-code --json": "no transcript of a known form",
	} {
		code := p.call(t.Context(), append([]string{"replay"}, strings.Fields(args)...)...)
		if code == exitOK || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("%s: exit code %d, stderr has no %q: %s", args, code, want, &p.stderr)
		}
	}
}

// TestWordsOfOneTurn shows what the leader said before the person spoke again
// where it was said.
func TestWordsOfOneTurn(t *testing.T) {
	p := newProcess(t)
	put(t, "chat.json", `[{"role":"user","content":"one"},{"role":"assistant","content":"first"},
		{"role":"user","content":"two"},{"role":"assistant","content":"second"}]`)
	if code := p.call(t.Context(), "replay", "chat.json", "--view", "bubbles"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	var places []int
	for _, word := range []string{"│ one", "│ first", "│ two", "\nsecond\n"} {
		places = append(places, strings.Index(p.stdout.String(), word))
	}
	for i, at := range places {
		if at < 0 || i > 0 && at < places[i-1] {
			t.Fatalf("places %d in\n%s", places, &p.stdout)
		}
	}
}
