//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slow is a script that is at work for about a second.
const slow = `{"defaults": {"delay": "30ms", "chunk": 4, "pace": "5ms"}, "roles": {
	"tl": [
		{"text": "I split the work.", "calls": [
			{"tool": "create_sub_agent", "args": {"role": "a", "task": "first"}},
			{"tool": "create_sub_agent", "args": {"role": "a", "task": "second"}}]},
		{"when": {"number": "2-"}, "text": "waiting"}],
	"a": [
		{"when": {"number": "1-12"}, "text": "working on it", "calls": [{"tool": "list_dir", "args": {"path": "."}}]},
		{"when": {}, "text": "ready"}]}}`

// slowTeam is the team file for it.
const slowTeam = "version: 1\nname: slow\nmodel: scripted/slow.json\nroles: {a: {name: Worker, does: works}}\n"

// program is this test as the program, in the folder of p.
func (p *process) program(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Dir = p.dir
	cmd.Args = append([]string{"troupe"}, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm", "GORACE=" + raceOptions}
	for name, value := range p.vars {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// TestKilledRunReplays kills a run at random moments; its log replays each
// time, and what replays is the beginning of a run.
func TestKilledRunReplays(t *testing.T) {
	p := newProcessBeside(t)
	put(t, p.in("slow.json"), slow)
	put(t, p.in("team.yaml"), slowTeam)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 10 {
		cmd := p.program(t.Context(), t, "run", "--quiet", "--sync", "off", "task")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		awaitLog(t, p)
		<-time.After(time.Duration(random.IntN(700)) * time.Millisecond)
		_ = cmd.Process.Kill()
		err := cmd.Wait()
		if code := p.call(t.Context(), "replay", "last", "--json"); code != exitOK {
			t.Fatalf("replay: exit code %d: %s", code, &p.stderr)
		}
		lines := 0
		for line := range bytes.Lines(p.stdout.Bytes()) {
			lines++
			var rec struct{ Seq int }
			if json.Unmarshal(line, &rec) != nil || rec.Seq != lines {
				t.Fatalf("line %d of the replay is %s", lines, line)
			}
		}
		if code := p.call(t.Context(), "replay", "last", "--view", "lines"); code != exitOK || lines == 0 {
			t.Fatalf("replay: exit code %d, %d records", code, lines)
		}
		p.call(t.Context(), "runs", "list", "--limit", "1", "--json")
		if err != nil && !strings.Contains(p.stdout.String(), `"status":"interrupted"`) && !strings.Contains(p.stdout.String(), `"status":"damaged"`) &&
			!strings.Contains(p.stdout.String(), `"status":"finished"`) {
			t.Errorf("a run that was killed is shown as %s", &p.stdout)
		}
		if err := os.RemoveAll(filepath.Join(p.vars["XDG_STATE_HOME"])); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitLog waits until a run has a log with a header.
func awaitLog(t *testing.T, p *process) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for range 5000 {
		found, _ := filepath.Glob(filepath.Join(p.vars["XDG_STATE_HOME"], "troupe", "runs", "*", "log.jsonl"))
		if len(found) == 1 {
			if text, err := os.ReadFile(found[0]); err == nil && bytes.Contains(text, []byte("\n")) {
				return
			}
		}
		<-ticker.C
	}
	t.Fatal("no log came")
}

// TestTermination ends a run at once, by SIGTERM or because the terminal was
// closed, with a log that says so.
func TestTermination(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("the signal is ignored here, as by nohup")
			}
			p := newProcessBeside(t)
			put(t, p.in("slow.json"), slow)
			put(t, p.in("team.yaml"), slowTeam)
			cmd := p.program(t.Context(), t, "run", "--quiet", "task")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			awaitLog(t, p)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitTerminated {
				t.Errorf("exit code %d, want %d; %s", code, exitTerminated, &stderr)
			}
			if p.call(t.Context(), "runs", "--json"); !strings.Contains(p.stdout.String(), `"status":"suspended"`) {
				t.Errorf("the run is shown as %s", &p.stdout)
			}
		})
	}
}

// TestFolderWithoutPermission runs as somebody who may not read the folder.
func TestFolderWithoutPermission(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	cmd := p.program(t.Context(), t, "run", "-m", "scripted/ok.json", "--workdir", dir, "task")
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		open(t, cmd.Path)
	}
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Skipf("the program cannot run as somebody else here: %v", err)
	}
	if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "the folder cannot be read") {
		t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), out)
	}
}

// open lets everybody run the binary and read the current folder, both of
// which lie in folders that tests made.
func open(t *testing.T, binary string) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(binary), filepath.Dir(filepath.Dir(binary)), here, filepath.Dir(here)} {
		if strings.HasPrefix(dir, os.TempDir()+string(filepath.Separator)) {
			_ = os.Chmod(dir, 0o755)
		}
	}
}

// TestLargeTask brings a task of a mebibyte by stdin, and one that is too
// large.
func TestLargeTask(t *testing.T) {
	p := newProcess(t)
	put(t, "ok.json", answering)
	p.Piped = true
	p.Stdin = strings.NewReader(strings.Repeat("任务 ", 1<<20/7))
	if code := p.call(t.Context(), "run", "--quiet", "-m", "scripted/ok.json"); code != exitOK || p.stdout.String() != "the answer\n" {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, &p.stdout, &p.stderr)
	}
	p.Stdin = strings.NewReader(strings.Repeat("x", maxTask+1))
	if code := p.call(t.Context(), "run", "--quiet", "-m", "scripted/ok.json"); code != exitUsage || !strings.Contains(p.stderr.String(), "4 MiB") {
		t.Errorf("exit code %d, stderr %s", code, &p.stderr)
	}
}
