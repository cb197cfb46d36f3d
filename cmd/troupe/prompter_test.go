//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

const (
	askingTeam = `version: 1
model: scripted/ask.json
permissions: {ask: [write_file]}
leader: {tools: [write_file]}
roles: {a: {name: A, does: nothing}}
`
	asksColour = `{"roles": {"tl": [
	{"calls": [{"tool": "ask_user", "args": {"question": "Which colour?", "options": ["blue", "red"]}}]},
	{"text": "It is {{.Last}}"}]}}`
	writesTwice = `{"roles": {"tl": [
	{"calls": [{"tool": "write_file", "args": {"path": "a.md", "content": "one"}}, {"tool": "write_file", "args": {"path": "b.md", "content": "two"}}]},
	{"text": "written"}]}}`
	writesAgain = `{"roles": {"tl": [
	{"calls": [{"tool": "write_file", "args": {"path": "a.md", "content": "one"}}]},
	{"calls": [{"tool": "write_file", "args": {"path": "a.md", "content": "two"}}]},
	{"text": "written"}]}}`
)

// atPrompt starts a run with a script and waits until it asks.
func atPrompt(t *testing.T, script, prompt string, args ...string) *terminal {
	t.Helper()
	p := newProcess(t)
	put(t, "ask.json", script)
	put(t, "team.yaml", askingTeam)
	p.vars["NO_COLOR"] = "1"
	x := p.atTerminal(t, append([]string{"run", "task"}, args...)...)
	x.await(prompt + " › ▏")
	return x
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestAQuestionAtTheTerminal(t *testing.T) {
	for lang, prompt := range map[string]string{"en": "Your answer", "zh": "你的回答"} {
		t.Run(lang, func(t *testing.T) {
			x := atPrompt(t, asksColour, prompt, "--lang", lang)
			x.send("?\r")
			x.await("Ctrl-U")
			x.send("\r") // nothing is no answer
			x.send("rex\x7fd 绿色\x1b[D\x15dark 蓝\x17blue")
			x.await("› dark blue▏")
			x.send("\r")
			if code := x.end(); code != exitOK || !strings.Contains(x.text(), "dark blue") {
				t.Errorf("exit code %d:\n%q", code, x.text())
			}
			left := strings.Join(screen(x.text()), "\n")
			if strings.Contains(left, "▏") || !strings.Contains(left, "1. blue") {
				t.Errorf("the screen shows:\n%s", left)
			}
		})
	}
}

func TestApprovalsAtTheTerminal(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		x := atPrompt(t, writesTwice, "Allow? y, n, a, ?")
		x.await("apr_001 Team Leader asks for leave: write_file (1 of 2)")
		x.await(`"path": "a.md"`)
		x.send("?\r")
		x.await("y: allow this call once\r\n")
		x.await("a: always allow write_file(a.md) in this run")
		x.send("yes please\r") // is no yes
		x.send("y\r")
		x.await("apr_002 Team Leader asks for leave: write_file  ")
		x.await(`"path": "b.md"`)
		x.await("Allow? y, n, a, ?\r\n") // not armed yet
		awaitAgain(x, "Allow? y, n, a, ? › ▏")
		x.send("not that one\r")
		if code := x.end(); code != exitOK || !exists("a.md") || exists("b.md") {
			t.Errorf("exit code %d, a.md %t, b.md %t:\n%q", code, exists("a.md"), exists("b.md"), x.text())
		}
		if !strings.Contains(x.text(), "not that one") {
			t.Errorf("the reason is not shown:\n%q", x.text())
		}
	})
	t.Run("always", func(t *testing.T) {
		x := atPrompt(t, writesAgain, "Allow? y, n, a, ?")
		x.send("a\r")
		if code := x.end(); code != exitOK || strings.Contains(x.text(), "apr_002") {
			t.Errorf("exit code %d:\n%q", code, x.text())
		}
		if text, _ := os.ReadFile("a.md"); string(text) != "two" {
			t.Errorf("a.md is %q", text)
		}
	})
}

// awaitAgain waits until text was drawn anew since the last question began.
func awaitAgain(x *terminal, text string) {
	x.t.Helper()
	for {
		all := x.text()
		if at := strings.LastIndex(all, `"b.md"`); at >= 0 && strings.Contains(all[at:], text) {
			return
		}
		select {
		case <-x.news:
		case <-x.done:
			x.t.Fatalf("the program ended without %q:\n%q", text, x.text())
		}
	}
}

func TestCtrlCAtAPrompt(t *testing.T) {
	x := atPrompt(t, asksColour, "Your answer")
	x.send("half an ans\x03")
	x.await("Stopping gently")
	if code := x.end(); code != exitInterrupted || !strings.Contains(x.text(), "status  interrupted") {
		t.Errorf("exit code %d:\n%q", code, x.text())
	}
}

func TestNobodyIsAskedWithoutInput(t *testing.T) {
	p := newProcess(t)
	put(t, "ask.json", asksColour)
	put(t, "team.yaml", askingTeam)
	x := p.atTerminal(t, "run", "task", "--no-input")
	if code := x.end(); code != exitWaiting || strings.Contains(x.text(), "Your answer") || !strings.Contains(x.text(), "troupe answer") {
		t.Errorf("exit code %d:\n%q", code, x.text())
	}
}

// TestNobodyIsAskedQuietly: what the .env file says comes late, and counts.
func TestNobodyIsAskedQuietly(t *testing.T) {
	for _, command := range []string{"run", "resume"} {
		t.Run(command, func(t *testing.T) {
			p := newProcess(t)
			put(t, "ask.json", asksColour)
			put(t, "team.yaml", askingTeam)
			put(t, ".env", "TROUPE_QUIET=true\n")
			args := []string{"run", "task"}
			if command == "resume" {
				if code := p.atTerminal(t, "run", "task", "--no-input").end(); code != exitWaiting {
					t.Fatalf("exit code %d", code)
				}
				args = []string{"resume", "last"}
			}
			x := p.atTerminal(t, args...)
			if code := x.end(); code != exitWaiting {
				t.Errorf("exit code %d:\n%q", code, x.text())
			}
		})
	}
}
