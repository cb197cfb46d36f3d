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
	dir            string // its folder
	vars           map[string]string
	stdout, stderr bytes.Buffer
}

// newProcess is a process in an empty folder, which is the current one, with a home
// of its own and without terminals.
func newProcess(t *testing.T) *process {
	t.Helper()
	p := processIn(t, t.TempDir())
	t.Chdir(p.dir)
	return p
}

// newProcessBeside is one for a test that runs beside others, most of them waiting
// for programs too. Its folder is not the current one: the programs that it starts
// take names of files from there, p.call does not.
func newProcessBeside(t *testing.T) *process {
	t.Helper()
	t.Parallel()
	return processIn(t, t.TempDir())
}

func processIn(t *testing.T, dir string) *process {
	t.Helper()
	home := t.TempDir()
	p := &process{dir: dir, vars: map[string]string{
		"HOME": home, "XDG_STATE_HOME": filepath.Join(home, "state"), "OLLAMA_HOST": "127.0.0.1:1",
	}}
	p.Env = Env{
		Stdin: strings.NewReader(""), Stdout: &p.stdout, Stderr: &p.stderr, Now: time.Now,
		Getwd:      func() (string, error) { return p.dir, nil },
		LookupEnv:  func(name string) (string, bool) { v, ok := p.vars[name]; return v, ok },
		IsTerminal: func(any) bool { return false },
		Size:       func(io.Writer) (int, int) { return 0, 0 },
	}
	return p
}

// call runs the program and returns its exit code.
func (p *process) call(ctx context.Context, args ...string) int {
	p.stdout.Reset()
	p.stderr.Reset()
	p.Args = args
	return Main(ctx, p.Env)
}

// in is the place of a file in the folder of p.
func (p *process) in(name string) string {
	return filepath.Join(p.dir, name)
}

// put writes a file, below the current folder unless the name says where.
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
