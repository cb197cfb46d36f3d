package tools_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

func TestWriteFile(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	if got, want := b.ok("write_file", args{"path": "new/dir/a.txt", "content": "长\x00\r\n"}), "created new/dir/a.txt (6 bytes)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.get("new/dir/a.txt"); got != "长\x00\r\n" {
		t.Errorf("the file is %q", got)
	}
	if got, want := b.ok("write_file", args{"path": "./new/dir/a.txt", "content": ""}), "overwritten new/dir/a.txt (0 bytes)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.ok("edit_file", args{"path": b.ok2("a.txt", "a"), "old": "a", "new": "bc"})
	if diff := cmp.Diff([]string{"new/dir/a.txt 6", "new/dir/a.txt 0", "a.txt 1", "a.txt 2"}, b.artifacts); diff != "" {
		t.Errorf("artifacts (-want +got):\n%s", diff)
	}
	b.noTemps()
}

// ok2 writes a file with the tool and returns its path.
func (b *bench) ok2(path, content string) string {
	b.t.Helper()
	b.ok("write_file", args{"path": path, "content": content})
	return path
}

// noTemps fails when a file that was being written is still there.
func (b *bench) noTemps() {
	b.t.Helper()
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".troupe-write-") {
			b.t.Errorf("%s was left", path)
		}
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
}

func TestWriteKeepsTheMode(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	for _, mode := range []fs.FileMode{0o600, 0o755, 0o666} {
		b.put("run.sh", "old\n")
		full := filepath.Join(b.dir, "run.sh")
		if err := os.Chmod(full, mode); err != nil {
			t.Fatal(err)
		}
		b.ok("read_file", args{"path": "run.sh"})
		b.ok("edit_file", args{"path": "run.sh", "old": "old", "new": "new"})
		b.ok("write_file", args{"path": "run.sh", "content": "newer"})
		if info, err := os.Stat(full); err != nil || info.Mode().Perm() != mode {
			t.Errorf("mode %v, %v, want %v", info.Mode().Perm(), err, mode)
		}
	}
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := b.bad("write_file", args{"path": "run.sh", "content": "x"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want ErrPermission for a read-only file", err)
	}
}

func TestWriteIsAtomic(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "old content\n")
	open, err := os.Open(filepath.Join(b.dir, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	b.ok("write_file", args{"path": "a.txt", "content": "new"})
	data := make([]byte, 100)
	n, err := open.Read(data)
	if got := string(data[:n]); got != "old content\n" || err != nil {
		t.Errorf("who had the file open sees %q, %v, want the old content", got, err)
	}
}

func TestChangedFilesAreNotOverwritten(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	edit := args{"path": "a.txt", "old": "one", "new": "1"}
	write := args{"path": "a.txt", "content": "mine"}
	b.put("a.txt", "one two\n")
	if err := b.bad("edit_file", edit); !errors.Is(err, tools.ErrUnread) {
		t.Errorf("error %v, want ErrUnread", err)
	}
	if _, err := b.as("fse_1", "read_file", args{"path": "a.txt"}); err != nil {
		t.Fatal(err)
	}
	if err := b.bad("edit_file", edit); !errors.Is(err, tools.ErrUnread) {
		t.Errorf("error %v, want ErrUnread: another agent read it", err)
	}
	b.ok("read_file", args{"path": "a.txt"})
	for _, content := range []string{"one TWO\n", "one two three\n", ""} {
		b.put("a.txt", content)
		for tool, in := range map[string]args{"edit_file": edit, "write_file": write} {
			if err := b.bad(tool, in); !errors.Is(err, tools.ErrChanged) {
				t.Errorf("%s after a change to %q: error %v, want ErrChanged", tool, content, err)
			}
		}
		if got := b.get("a.txt"); got != content {
			t.Errorf("the file is %q, want %q", got, content)
		}
	}
	b.put("a.txt", "one two\n") // the bytes that it had when it was read
	b.ok("edit_file", edit)
	b.ok("write_file", write)
	if _, err := b.as("fse_1", "write_file", write); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("error %v, want ErrChanged for the other agent", err)
	}
	if _, err := b.as("qat_1", "write_file", write); err != nil {
		t.Errorf("an agent that never read the file: %v", err)
	}
	if err := os.Remove(filepath.Join(b.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if err := b.bad("edit_file", edit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
	b.ok("write_file", write)
	b.noTemps()
}

func TestEditFile(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	tests := []struct {
		content, old, new string
		all               bool
		want              string // the content, or for a refusal a part of the error
		refused           bool
	}{
		{"one two\n", "two", "2", false, "one 2\n", false},
		{"one two\n", "one two\n", "", false, "", false},
		{"a$1b", "$1", "$2", false, "a$2b", false},
		{"x x x", "x", "y", true, "y y y", false},
		{"aaaa", "aa", "b", true, "bb", false},
		{"x", "x", "xx", true, "xx", false},
		{"x\nx\ny\nx", "x", "y", false, "3 times, on lines 1, 2, 4;", true},
		{"aaa", "aa", "b", false, "2 times, on lines 1, 1;", true},
		{strings.Repeat("x\n", 20), "x", "y", false, "20 times, on lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …;", true},
		{"one two\n", "three", "3", false, "not found", true},
		{"one two\n", "One", "1", true, "not found", true},
		{"one\r\ntwo\r\n", "one\ntwo", "1", false, `end with \r\n`, true},
		{"one\n", "one", "one", false, "the same", true},
		{"one\n", "", "one", false, "old is empty", true},
	}
	for i, test := range tests {
		name := fmt.Sprintf("%d.txt", i)
		b.put(name, test.content)
		b.ok("read_file", args{"path": name})
		in := args{"path": name, "old": test.old, "new": test.new, "all": test.all}
		if test.refused {
			if err := b.bad("edit_file", in); !strings.Contains(err.Error(), test.want) {
				t.Errorf("%d: error %v, want %q in it", i, err, test.want)
			}
			if got := b.get(name); got != test.content {
				t.Errorf("%d: a refused edit left %q", i, got)
			}
			continue
		}
		got := b.ok("edit_file", in)
		if content := b.get(name); content != test.want {
			t.Errorf("%d: the file is %q, want %q", i, content, test.want)
		}
		if want := fmt.Sprintf(" replacements, %d bytes)\n", len(test.want)); !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "edited "+name+" (") {
			t.Errorf("%d: result %q, want it to end with %q", i, got, want)
		}
	}
}

func TestEditRefusesHugeFiles(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("huge.txt", strings.Repeat("x", 16<<20)+"y")
	b.ok("read_file", args{"path": "huge.txt"})
	if err := b.bad("edit_file", args{"path": "huge.txt", "old": "y", "new": "z"}); !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("error %v does not name the bound", err)
	}
}

func TestEditSpeaksTheLanguage(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{Lang: "zh"})
	b.put("a.txt", "一 一")
	b.ok("read_file", args{"path": "a.txt"})
	want := `工作区："a.txt"：old 的原文出现了 2 次，位于第 1, 1 行；请加上前后文使其唯一，或设置 all`
	if got := b.bad("edit_file", args{"path": "a.txt", "old": "一", "new": "二"}).Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestWritersRace: of agents that read the same content and then edit, each on
// a workspace of its own role, no edit is lost and none goes over another.
func TestWritersRace(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("list.txt", "end\n")
	const agents, edits = 8, 10
	var wg sync.WaitGroup
	refused := make([]int, agents)
	for n := range agents {
		own, err := b.workspace.WithWriteDir("")
		if err != nil {
			t.Fatal(err)
		}
		mine := &bench{t: t, dir: b.dir, set: mustSet(t, own.Tools()...)}
		agent := fmt.Sprintf("uio_%d", n)
		wg.Go(func() {
			for done := 0; done < edits; {
				if _, err := mine.as(agent, "read_file", args{"path": "list.txt"}); err != nil {
					t.Error(err)
					return
				}
				_, err := mine.as(agent, "edit_file", args{"path": "list.txt", "old": "end\n", "new": agent + "\nend\n"})
				switch {
				case err == nil:
					done++
				case errors.Is(err, tools.ErrChanged):
					refused[n]++
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	got := b.get("list.txt")
	for n := range agents {
		if count := strings.Count(got, fmt.Sprintf("uio_%d\n", n)); count != edits {
			t.Errorf("agent %d: %d edits are in the file, want %d", n, count, edits)
		}
	}
	t.Log("refused:", refused)
	b.noTemps()
}
