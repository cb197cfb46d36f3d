//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is a program at a terminal, and what it has drawn so far.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	file *os.File
	done chan struct{}
	news chan struct{} // one slot

	mu  sync.Mutex // guards out
	out strings.Builder
}

// atTerminal starts the program at a terminal of 100 columns and 20 lines.
func (p *process) atTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	cmd := p.program(t.Context(), t, args...)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 20, Cols: 100})
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	x := &terminal{t: t, cmd: cmd, file: file, done: make(chan struct{}), news: make(chan struct{}, 1)}
	go x.read()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-x.done
		_ = file.Close()
	})
	return x
}

func (x *terminal) read() {
	defer close(x.done)
	buf := make([]byte, 4096)
	for {
		n, err := x.file.Read(buf)
		x.mu.Lock()
		x.out.Write(buf[:n])
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// await waits until the terminal has shown text.
func (x *terminal) await(text string) {
	x.t.Helper()
	late := time.After(20 * time.Second)
	for !strings.Contains(x.text(), text) {
		select {
		case <-x.news:
		case <-x.done:
			if !strings.Contains(x.text(), text) {
				x.t.Fatalf("the program ended without %q:\n%q", text, x.text())
			}
		case <-late:
			x.t.Fatalf("%q did not come:\n%q", text, x.text())
		}
	}
}

func (x *terminal) send(keys string) {
	x.t.Helper()
	if _, err := x.file.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// end waits for the end of the program and returns its exit code.
func (x *terminal) end() int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(20 * time.Second):
		x.t.Fatalf("the program does not end:\n%q", x.text())
	}
	_ = x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

// screen plays what was written to a terminal: lines, and the two sequences
// that rows are taken away with.
func screen(text string) []string {
	lines := []string{""}
	row := 0
	for text != "" {
		switch {
		case strings.HasPrefix(text, "\x1b[J"):
			lines = append(lines[:row], "")
			text = text[3:]
		case strings.HasPrefix(text, "\x1b["):
			end := strings.IndexAny(text, "Am")
			if text[end] == 'A' {
				up := 0
				for _, d := range text[2:end] {
					up = up*10 + int(d-'0')
				}
				row -= up
			}
			text = text[end+1:]
		case text[0] == '\r':
			text = text[1:]
		case text[0] == '\n':
			row++
			for len(lines) <= row {
				lines = append(lines, "")
			}
			text = text[1:]
		default:
			lines[row] += text[:1]
			text = text[1:]
		}
	}
	return lines
}

func TestRowsAppearAndVanish(t *testing.T) {
	p := newProcess(t)
	put(t, "slow.json", slow)
	put(t, "team.yaml", slowTeam)
	p.vars["NO_COLOR"] = "1"
	x := p.atTerminal(t, "run", "task")
	x.await("● Worker_1")
	x.await("Ctrl-C stops gently")
	if code := x.end(); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, x.text())
	}
	left := strings.Join(screen(x.text()), "\n")
	if strings.Contains(left, "●") || strings.Contains(left, "Ctrl-C stops") {
		t.Errorf("rows are left on the screen:\n%s", left)
	}
	for _, want := range []string{"│ I split the work.", "waiting\n\nstatus  finished"} {
		if !strings.Contains(left, want) {
			t.Errorf("the screen has no %q:\n%s", want, left)
		}
	}
}

// TestRowsAreDrawnSeldom counts the drawings of a run: ten a second at most.
func TestRowsAreDrawnSeldom(t *testing.T) {
	p := newProcess(t)
	put(t, "slow.json", slow)
	put(t, "team.yaml", slowTeam)
	begin := time.Now()
	x := p.atTerminal(t, "run", "task")
	x.end()
	most := int(time.Since(begin)/refresh) + 2
	if n := strings.Count(x.text(), "\x1b[J"); n > most || n == 0 {
		t.Errorf("%d drawings in %s, want at most %d", n, time.Since(begin), most)
	}
}

func TestCtrlC(t *testing.T) {
	const stuck = `{"roles": {"tl": [{"text": "never said", "delay": "1h"}]}}`
	p := newProcess(t)
	put(t, "slow.json", slow)
	put(t, "stuck.json", stuck)
	put(t, "team.yaml", slowTeam)
	p.vars["NO_COLOR"] = "1"
	t.Run("once", func(t *testing.T) {
		x := p.atTerminal(t, "run", "task")
		x.await("● Worker_1")
		x.send("\x03")
		x.await("Stopping gently")
		if code := x.end(); code != exitInterrupted || !strings.Contains(x.text(), "status  interrupted") {
			t.Errorf("exit code %d:\n%s", code, x.text())
		}
	})
	t.Run("twice", func(t *testing.T) {
		x := p.atTerminal(t, "run", "-m", "scripted/stuck.json", "task")
		x.await("● Team Leader")
		x.send("\x03")
		x.await("Stopping gently")
		x.send("\x03")
		if code := x.end(); code != exitInterrupted || !strings.Contains(x.text(), "status  interrupted") {
			t.Errorf("exit code %d:\n%s", code, x.text())
		}
	})
	t.Run("elsewhere", func(t *testing.T) {
		x := p.atTerminal(t, "replay", "last", "--view", "lines", "--speed", "0.0001", "--idle-cap", "1h")
		x.await("start")
		x.send("\x03")
		if code := x.end(); code != exitInterrupted {
			t.Errorf("exit code %d:\n%s", code, x.text())
		}
	})
}

func TestAskedAtTheTerminal(t *testing.T) {
	p := newProcess(t)
	put(t, "echo.json", `{"roles": {"tl": [{"text": "[{{.Task}}]"}]}}`)
	put(t, "team.yaml", "version: 1\nmodel: scripted/echo.json\nroles: {a: {name: A, does: nothing}}\n")
	x := p.atTerminal(t, "run")
	x.await("Task: ")
	x.send("count the files\n")
	x.await("[count the files]")
	if code := x.end(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	t.Run("not without input", func(t *testing.T) {
		x := p.atTerminal(t, "run", "--no-input")
		if code := x.end(); code != exitUsage || strings.Contains(x.text(), "Task: ") {
			t.Errorf("exit code %d:\n%s", code, x.text())
		}
	})
	t.Run("step", func(t *testing.T) {
		x := p.atTerminal(t, "replay", "last", "--step", "--view", "lines")
		x.await("any key")
		x.send("  ")
		x.await("created")
		x.send("q")
		if code := x.end(); code != exitOK || strings.Contains(x.text(), "[count the files]") {
			t.Errorf("exit code %d:\n%s", code, x.text())
		}
	})
}
