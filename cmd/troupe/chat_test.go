//go:build unix

package main

import (
	"strings"
	"testing"
)

// talk is a script whose leader hires a slow worker when it is told to, and
// otherwise repeats what it hears.
const talk = `{"roles": {
	"tl": [
		{"when": {"new": "^hire"}, "calls": [{"tool": "create_sub_agent", "args": {"role": "hel", "task": "be there"}}, {"tool": "wait_sub_agent_output", "args": {}}]},
		{"when": {"kind": "completion"}, "text": "the helper is done"},
		{"when": {}, "text": "[{{.Last.Content}}]"}],
	"hel": [{"when": {"number": "1-200"}, "delay": "50ms", "calls": [{"tool": "list_dir", "args": {"path": "."}}, {"tool": "read_file", "args": {"path": "{{.Number}}"}}]}, {"when": {}, "text": "here"}]}}`

// TestChatAtATerminal types, pastes, steers, stops a turn and comes back.
func TestChatAtATerminal(t *testing.T) {
	p := newProcess(t)
	put(t, "talk.json", talk)
	put(t, "team.yaml", "version: 1\nmodel: scripted/talk.json\nroles: {hel: {name: Helper, does: helps, tools: [list_dir, read_file]}}\n")
	p.vars["NO_COLOR"] = "1"
	x := p.atTerminal(t, "chat")
	x.await("Type a message")
	x.send("你好，世界吗\x7f\r")
	x.await("[你好，世界]")
	x.send("\x1b[200~two\rlines\x1b[201~\r")
	x.await("lines]")
	x.send("hire a helper\r")
	x.await("● Helper_1")
	x.send("/tell hel_1 be quick\r")
	x.await("msg_user_004") // the person's fourth message reached the log
	x.send("/agents\r")
	x.await("working")
	x.send("/quit\r")
	x.await("/stop first")
	x.send("\x03")
	x.await("The turn was stopped")
	x.send("/stop\r")
	x.await("nobody is at work")
	x.send("\x03")
	x.send("\x04")
	x.await("To come back: troupe chat --resume ")
	if code := x.end(); code != exitInterrupted { // that of the last turn
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
	left := strings.Join(screen(strings.NewReplacer(pasteOn, "", pasteOff, "").Replace(x.text())), "\n")
	for _, want := range []string{"› 你好，世界\n", "› two\nlines\n", "be quick"} {
		if !strings.Contains(left, want) {
			t.Errorf("the screen has no %q:\n%s", want, left)
		}
	}
	if strings.Contains(left, "▏") {
		t.Errorf("a line to type in is left on the screen:\n%s", left)
	}
	if strings.LastIndex(x.text(), pasteOff) < strings.LastIndex(x.text(), pasteOn) {
		t.Errorf("the terminal is left in a mode of the chat: %q", x.text())
	}
	x = p.atTerminal(t, "chat", "--resume")
	x.await("Back in run ")
	x.await("Type a message")
	x.send("\x04")
	if code := x.end(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
}
