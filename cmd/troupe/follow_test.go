//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestReplayFollows plays a run while another process has it under way: to its
// end, or until that process is gone.
func TestReplayFollows(t *testing.T) {
	p := newProcessBeside(t)
	put(t, p.in("slow.json"), slow)
	put(t, p.in("stuck.json"), `{"roles": {"tl": [{"text": "never said", "delay": "1h"}]}}`)
	put(t, p.in("team.yaml"), slowTeam)
	t.Run("to the end", func(t *testing.T) {
		cmd := p.program(t.Context(), t, "run", "--quiet", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLog(t, p)
		code := p.call(t.Context(), "replay", "last", "--json")
		if out := p.stdout.String(); code != exitOK || !strings.Contains(out, `"type":"run.finished"`) {
			t.Errorf("exit code %d, %s; the replay ends before the run:\n%s", code, &p.stderr, out)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("of a process that dies", func(t *testing.T) {
		p.vars["XDG_STATE_HOME"] = t.TempDir()
		cmd := p.program(t.Context(), t, "run", "--quiet", "-m", "scripted/stuck.json", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLog(t, p)
		done := make(chan int, 1)
		go func() { done <- p.call(t.Context(), "replay", "last", "--json") }()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if code := <-done; code != exitOK || !strings.Contains(p.stdout.String(), `"type":"run.started"`) {
			t.Errorf("exit code %d, %s:\n%s", code, &p.stderr, &p.stdout)
		}
	})
	t.Run("not if not wanted", func(t *testing.T) {
		p.vars["XDG_STATE_HOME"] = t.TempDir()
		cmd := p.program(t.Context(), t, "run", "--quiet", "-m", "scripted/stuck.json", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLog(t, p)
		if code := p.call(t.Context(), "replay", "last", "--no-follow"); code != exitOK {
			t.Errorf("exit code %d, %s", code, &p.stderr)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}
