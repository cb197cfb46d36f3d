//go:build unix

package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// TestResumeOfALiveRun asks for a run that another process has under way, then
// for the same run after an interrupt, which goes on.
func TestResumeOfALiveRun(t *testing.T) {
	p := newProcess(t)
	put(t, "slow.json", slow)
	put(t, "team.yaml", slowTeam)
	cmd := p.program(t.Context(), t, "run", "task")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitLog(t, p)
	if code := p.call(t.Context(), "resume", "last", "more"); code != exitUsage ||
		!strings.Contains(p.stderr.String(), "goes on in another process") || !strings.Contains(p.stderr.String(), "→ troupe replay") {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Fatalf("exit code %d, want %d: %s", code, exitInterrupted, &stderr)
	}
	var command []string
	for line := range strings.Lines(stderr.String()) {
		if i := strings.Index(line, "troupe resume "); i >= 0 {
			command = strings.Fields(line[i:])[1:]
		}
	}
	if command == nil {
		t.Fatalf("the end does not say how the run goes on: %s", &stderr)
	}
	if code := p.call(t.Context(), command...); code != exitOK || p.stdout.String() != "waiting\n" {
		t.Errorf("%v: exit code %d, stdout %q: %s", command, code, &p.stdout, &p.stderr)
	}
	if shown := p.stderr.String(); strings.Contains(shown, "run     start") || !strings.Contains(shown, "run     resumed") {
		t.Errorf("what was shown is shown again:\n%s", shown)
	}
}

// TestEditInAnEditor forks a run at a terminal and lets an editor change an
// answer.
func TestEditInAnEditor(t *testing.T) {
	p := newProcess(t)
	put(t, "echo.json", `{"roles": {"tl": [{"when": {}, "text": "[{{.Last.Content}}]"}]}}`)
	put(t, "team.yaml", "version: 1\nmodel: scripted/echo.json\nroles: {a: {name: A, does: nothing}}\n")
	if code := p.call(t.Context(), "run", "--quiet", "paint it blue"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	p.vars["EDITOR"] = "sed -i s/blue/red/"
	x := p.atTerminal(t, "resume", "last", "--fork", "--from", "msg_user_001", "--edit", "msg_user_001")
	x.await("[paint it red]")
	if code := x.end(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
	p.vars["EDITOR"] = "false"
	x = p.atTerminal(t, "resume", "last", "--fork", "--from", "msg_user_001", "--edit", "msg_user_001")
	if code := x.end(); code != exitUsage || !strings.Contains(x.text(), "--edit 17='new text'") {
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
}
