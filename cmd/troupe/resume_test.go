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
