//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"
)

// chatOf is a transcript with n questions and answers.
func chatOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"role":"user","content":"question %d"}`+"\n", i+1)
		fmt.Fprintf(&b, `{"role":"assistant","content":"reply %d"}`+"\n", i+1)
	}
	return b.String()
}

// TestStepKeys presses the keys of --step, each after the entry before it has
// come, and several at once.
func TestStepKeys(t *testing.T) {
	p := newProcess(t)
	put(t, "chat.jsonl", chatOf(4))
	p.vars["NO_COLOR"] = "1"
	x := p.atTerminal(t, "replay", "chat.jsonl", "--step", "--view", "lines")
	for _, step := range []struct{ keys, want string }{
		{"", "any key: next"},
		{" ", "start"},
		{"\n", "created"},
		{"\x1b[B", "question 1"},
		{"  ", "question 2"}, // the reply came between
		{"b", "reply 1"},
		{"g", "Record or id:"},
		{"msg_user_004\n", "question 4"},
		{"b\x1b[A", "question 3"},
		{"/", "Search:"},
		{"QUESTION 4\n", "question 4"},
		{"n", "there is none"},
		{"g1\n", "start"},
		{"gmsg_user_009\n", `nothing in this run has the id "msg_user_009"`},
		{" ", "created"},
		{"g9999\n", "finished"},
		{" ", "the end"},
	} {
		before := strings.Count(x.text(), step.want)
		x.send(step.keys)
		x.awaitMore(step.want, before)
	}
	if code := x.end(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
}

// awaitMore waits until the terminal has shown text more often than before.
func (x *terminal) awaitMore(text string, before int) {
	x.t.Helper()
	for strings.Count(x.text(), text) <= before {
		select {
		case <-x.news:
		case <-x.done:
			if strings.Count(x.text(), text) <= before {
				x.t.Fatalf("the program ended without %q:\n%q", text, x.text())
			}
		case <-x.t.Context().Done():
			x.t.Fatalf("%q did not come:\n%q", text, x.text())
		}
	}
}

// TestStepEnds leaves the keys in each of the ways that there are.
func TestStepEnds(t *testing.T) {
	p := newProcess(t)
	put(t, "chat.jsonl", chatOf(2))
	for _, tt := range []struct {
		name, keys string
		args       []string
		code       int
		shows      string
	}{
		{name: "q", keys: " q", shows: "start"},
		{name: "escape", keys: "\x1b"},
		{name: "Ctrl-C", keys: " \x03", code: exitInterrupted},
		{name: "the end of a span", keys: "  ", args: []string{"--from", "msg_user_002", "--to", "msg_user_002"}, shows: "question 2"},
		{name: "no such place", args: []string{"--from", "msg_user_02"}, code: exitUsage, shows: "did you mean: msg_user_002"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := p.atTerminal(t, append([]string{"replay", "chat.jsonl", "--step", "--view", "lines"}, tt.args...)...)
			if tt.keys != "" {
				x.await("any key: next")
				x.send(tt.keys)
			}
			if code := x.end(); code != tt.code || !strings.Contains(x.text(), tt.shows) || strings.Contains(x.text(), "finished") {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, tt.code, tt.shows, x.text())
			}
		})
	}
}
