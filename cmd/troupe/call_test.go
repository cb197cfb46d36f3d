package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// process is an [Env] of a test and what it wrote.
type process struct {
	Env
	vars           map[string]string
	stdout, stderr bytes.Buffer
}

// newProcess is a process in an empty folder, with a home of its own and
// without terminals.
func newProcess(t *testing.T) *process {
	t.Helper()
	home := t.TempDir()
	p := &process{vars: map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "OLLAMA_HOST": "127.0.0.1:1",
	}}
	p.Env = Env{
		Stdin: strings.NewReader(""), Stdout: &p.stdout, Stderr: &p.stderr, Getwd: os.Getwd, Now: time.Now,
		LookupEnv:  func(name string) (string, bool) { v, ok := p.vars[name]; return v, ok },
		IsTerminal: func(any) bool { return false },
		Size:       func(io.Writer) (int, int) { return 0, 0 },
	}
	t.Chdir(t.TempDir())
	return p
}

// call runs the program and returns its exit code.
func (p *process) call(ctx context.Context, args ...string) int {
	p.stdout.Reset()
	p.stderr.Reset()
	p.Args = args
	return Main(ctx, p.Env)
}

// put writes a file below the current folder.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// answering is a script whose leader says one thing.
const answering = `{"roles": {"tl": [{"text": "the answer"}]}}`

// copyFile copies a file of the project.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
