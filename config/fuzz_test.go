package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/troupe-go/troupe/config"
)

// FuzzParse wants an answer in a short time whatever a file holds, and
// problems that lie in their files.
func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 1<<12 {
			f.Add(data, "---\nname: a\ndescription: b: c\n---\nx")
		}
	}
	f.Add([]byte("roles:\n  a: roles/x.md\n"), "---\ntools: Read, Bash(x)\nmodel: y\n---\n${param.z}")
	f.Fuzz(func(t *testing.T, text []byte, role string) {
		start := time.Now()
		files := fstest.MapFS{"roles/x.md": &fstest.MapFile{Data: []byte(role)}}
		team, err := config.Parse("team.yaml", text, files, known())
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("Parse took %s for %d bytes", took, len(text)+len(role))
		}
		if err == nil {
			checkTeam(t, team)
			return
		}
		e, ok := errors.AsType[*config.Error](err)
		if !ok || len(e.Problems) == 0 {
			t.Fatalf("Parse: %v, want an *Error with problems", err)
		}
		for _, p := range e.Problems {
			checkPlace(t, p, text, role)
		}
	})
}

// checkPlace wants a problem to lie in its file and to be fit for a terminal.
func checkPlace(t *testing.T, p config.Problem, team []byte, role string) {
	t.Helper()
	text := string(team)
	if p.File != "team.yaml" {
		text = role
	}
	lines := strings.Count(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n") + 1
	if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" {
		t.Errorf("%s:%d:%d: %q, want a place in a file of %d lines", p.File, p.Line, p.Column, p.Message, lines)
	}
	if strings.ContainsAny(p.String(), "\x00\x1b\r\u202e") {
		t.Errorf("%q holds control characters", p.String())
	}
	if strings.Contains(p.String(), "hunter2") && !strings.Contains(text, "hunter2") {
		t.Errorf("%q holds the value of a variable", p.String())
	}
}

// checkTeam wants what every good team has.
func checkTeam(t *testing.T, team *config.Team) {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range team.Roles {
		if r.ID == "" || r.Name == "" || ids[r.ID] {
			t.Errorf("role %+v, want an id of its own and a name", r)
		}
		ids[r.ID] = true
	}
	if len(team.Roles) == 0 {
		t.Error("a team without roles, want an error")
	}
}
