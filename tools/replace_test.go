//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// TestWriteClearsLeftovers writes where processes ended while they wrote: what they
// left is removed, and what somebody writes, or is no such file, stays.
func TestWriteClearsLeftovers(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	for _, name := range []string{"0", "1", "2", "3", "5", "x", "007"} {
		b.put("in/.troupe-write-"+name, "of a crash")
	}
	b.put(".troupe-write-0", "elsewhere")
	b.put("other.txt", "other")
	if err := os.Remove(filepath.Join(b.dir, "in/.troupe-write-1")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../other.txt", filepath.Join(b.dir, "in/.troupe-write-1")); err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(filepath.Join(b.dir, "in/.troupe-write-2"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	left := func() string {
		t.Helper()
		list, err := os.ReadDir(filepath.Join(b.dir, "in"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range list {
			names = append(names, strings.TrimPrefix(entry.Name(), ".troupe-write-"))
		}
		return strings.Join(names, " ")
	}
	b.ok("write_file", args{"path": "in/a.txt", "content": "a"}) // at 0, up to what is no leftover
	if got := left(); got != "007 1 2 3 5 x a.txt" {
		t.Errorf("after a write there are %s", got)
	}
	if err := os.Remove(filepath.Join(b.dir, "in/.troupe-write-1")); err != nil {
		t.Fatal(err)
	}
	b.put("in/.troupe-write-0", "of another crash")
	b.put("in/.troupe-write-1", "of another crash")
	b.ok("write_file", args{"path": "in/b.txt", "content": "b"})
	if got := left(); got != "007 2 3 5 x a.txt b.txt" {
		t.Errorf("after the next there are %s", got)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	b.put("in/.troupe-write-1", "of another crash")
	b.ok("edit_file", args{"path": "in/b.txt", "old": "b", "new": "c"})
	if got := left(); got != "007 5 x a.txt b.txt" {
		t.Errorf("after nobody writes the other one there are %s", got)
	}
	if got := b.get(".troupe-write-0") + b.get("other.txt") + b.get("in/b.txt"); got != "elsewhereotherc" {
		t.Errorf("other files hold %q", got)
	}
}

// TestWritesSideBySide has several programs write in one folder: each write has all
// of its content, and nothing is left.
func TestWritesSideBySide(t *testing.T) {
	const programs, rounds, length = 8, 40, 5000
	b := newBench(t, tools.WorkspaceOptions{})
	var all sync.WaitGroup
	for i := range programs {
		w, err := tools.NewWorkspace(b.dir, tools.WorkspaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		set := mustSet(t, w.Tools()...)
		all.Go(func() {
			for n := range rounds {
				arguments := fmt.Sprintf(`{"path":"%d.txt","content":%q}`, n%3, strings.Repeat(fmt.Sprint(i), length))
				// Each time as another agent, which has not seen what the others wrote.
				if _, err := set.Run(t.Context(), "write_file", tools.Call{Agent: fmt.Sprint(n), Arguments: []byte(arguments)}); err != nil {
					t.Errorf("program %d: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	for n := range 3 {
		got := b.get(fmt.Sprintf("%d.txt", n))
		if len(got) != length || strings.Trim(got, got[:1]) != "" {
			t.Errorf("file %d has %d bytes of several writes", n, len(got))
		}
	}
	b.noTemps()
}
