package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/troupe-go/troupe/tools"
)

// TestRecall opens a workspace on files that agents knew before: one that is as
// it was may be edited and overwritten, one that somebody wrote since not before
// it is read again, and of others the workspace knows nothing.
func TestRecall(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	known := time.Now()
	for name, written := range map[string]time.Time{"same.md": known.Add(-time.Second), "later.md": known.Add(time.Second), "other.md": known.Add(-time.Second)} {
		b.put(name, "old\n")
		if err := os.Chtimes(filepath.Join(b.dir, name), written, written); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"same.md", "later.md", "gone.md", "../out.md"} {
		b.workspace.Recall("uio_1", name, known)
	}
	b.ok("edit_file", args{"path": "same.md", "old": "old", "new": "new"})
	b.ok("write_file", args{"path": "same.md", "content": "newer\n"})
	b.ok("write_file", args{"path": "gone.md", "content": "back\n"})
	for _, call := range []struct {
		tool string
		in   args
	}{
		{"edit_file", args{"path": "later.md", "old": "old", "new": "new"}},
		{"write_file", args{"path": "later.md", "content": "new\n"}},
	} {
		if err := b.bad(call.tool, call.in); !errors.Is(err, tools.ErrChanged) {
			t.Errorf("%s: %v", call.tool, err)
		}
	}
	if got := b.get("later.md"); got != "old\n" {
		t.Errorf("later.md is %q", got)
	}
	b.ok("read_file", args{"path": "later.md"})
	b.ok("edit_file", args{"path": "later.md", "old": "old", "new": "new"})
	if err := b.bad("edit_file", args{"path": "other.md", "old": "old", "new": "new"}); !errors.Is(err, tools.ErrUnread) {
		t.Errorf("a file that is not recalled: %v", err)
	}
}
