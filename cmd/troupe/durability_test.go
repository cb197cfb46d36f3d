//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// logOf is the log of the only run of p.
func logOf(t *testing.T, p *process) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.runsDir(), "*", "log.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("logs %v, %v", found, err)
	}
	return found[0]
}

// TestTwoProcessesAndOneLog lets a second process at the log of a run under
// way: it may read, to the end, and nothing else; it is told who writes.
func TestTwoProcessesAndOneLog(t *testing.T) {
	p := newProcessBeside(t)
	put(t, p.in("slow.json"), slow)
	put(t, p.in("team.yaml"), slowTeam)
	run := p.program(t.Context(), t, "run", "--quiet", "task")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	awaitLog(t, p)
	for args, want := range map[string]string{
		"runs repair last":   fmt.Sprintf("is being written by process %d", run.Process.Pid),
		"runs rm last --yes": "is under way",
	} {
		out, err := p.program(t.Context(), t, strings.Fields(args)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s; want an error with %q", args, err, out, want)
		}
	}
	replay := p.program(t.Context(), t, "replay", "last", "--json")
	out, err := replay.Output()
	if err != nil {
		t.Errorf("replay: %v", err)
	}
	if err := run.Wait(); err != nil {
		t.Errorf("the run was disturbed: %v", err)
	}
	if code := p.call(t.Context(), "replay", "last", "--json"); code != exitOK || !bytes.Equal(out, p.stdout.Bytes()) || !bytes.Contains(out, []byte(`"type":"run.finished"`)) {
		t.Errorf("exit code %d; while it ran the replay showed\n%s\nlater\n%s", code, out, &p.stdout)
	}
}

// TestCutLogReplays cuts a log at places of its end: the program drops the torn
// line, says so, and shows the rest.
func TestCutLogReplays(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	if code := p.call(t.Context(), "run", "--quiet", "-m", "scripted/ok.json", "task"); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &p.stderr)
	}
	path := logOf(t, p)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header := bytes.IndexByte(text, '\n') + 1
	for cut := len(text); cut > header; cut -= 61 {
		if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := text[:bytes.LastIndexByte(text[:cut], '\n')+1]
		torn := cut - len(whole)
		if text[min(cut, len(text)-1)] == '\n' && torn > 0 {
			continue // it lacks nothing but the newline
		}
		code := p.call(t.Context(), "replay", path, "--json")
		shown, want := strings.Count(p.stdout.String(), "\n"), bytes.Count(whole, []byte("\n"))
		if code != exitOK || shown != want {
			t.Fatalf("cut at %d: exit code %d, %d records, want %d", cut, code, shown, want)
		}
		if said := strings.Contains(p.stderr.String(), fmt.Sprintf("its %d bytes are left out", torn)); said != (torn > 0) {
			t.Errorf("cut at %d, %d bytes torn: says %q", cut, torn, &p.stderr)
		}
	}
}

// TestWhereTheSyncModeComesFrom puts a wrong mode into each place: it is an
// error unless a place that goes before has a good one.
func TestWhereTheSyncModeComesFrom(t *testing.T) {
	for _, tt := range []struct {
		flag, env, dotEnv, file string
		code                    int
	}{
		{"", "", "", "off", exitOK},
		{"always", "", "", "off", exitOK},
		{"bad", "off", "off", "off", exitUsage},
		{"off", "bad", "bad", "off", exitOK},
		{"", "bad", "off", "off", exitUsage},
		{"", "normal", "bad", "off", exitOK},
		{"", "", "bad", "off", exitUsage},
		{"", "", "off", "bad", exitUsage}, // a mistake in the file is one always
		{"", "", "", "", exitOK},
	} {
		p := newProcess(t)
		put(t, "ok.json", answering)
		team := "version: 1\nname: t\nmodel: scripted/ok.json\nroles: {a: {name: A, does: nothing}}\n"
		if tt.file != "" {
			team += "transcript: {sync: " + tt.file + "}\n"
		}
		put(t, "team.yaml", team)
		put(t, ".env", "TROUPE_SYNC="+tt.dotEnv+"\n")
		p.vars["TROUPE_SYNC"] = tt.env
		args := []string{"run", "--quiet", "task"}
		if tt.flag != "" {
			args = append(args, "--sync", tt.flag)
		}
		if code := p.call(t.Context(), args...); code != tt.code {
			t.Errorf("%+v: exit code %d, %s", tt, code, &p.stderr)
		}
	}
}
