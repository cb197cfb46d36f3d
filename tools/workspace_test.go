package tools_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// bench is a workspace in a folder beside secrets, and calls its tools.
type bench struct {
	t         *testing.T
	dir       string // the workspace
	outside   string // a folder beside it, with secret.txt
	set       tools.Set
	workspace *tools.Workspace
	artifacts []string
}

func newBench(t *testing.T, opts tools.WorkspaceOptions) *bench {
	t.Helper()
	parent := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(parent, "work"), outside: filepath.Join(parent, "outside")}
	for _, dir := range []string{b.dir, b.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(b.outside, "secret.txt"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := tools.NewWorkspace(b.dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	b.workspace, b.set = w, mustSet(t, w.Tools()...)
	return b
}

// put writes a file of the workspace behind the tools' back.
func (b *bench) put(path, content string) {
	b.t.Helper()
	full := filepath.Join(b.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) get(path string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, path))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) link(target, path string) {
	b.t.Helper()
	if err := os.Symlink(target, filepath.Join(b.dir, path)); err != nil {
		b.t.Skip("no symbolic links here:", err)
	}
}

type args map[string]any

// as runs a tool for an agent.
func (b *bench) as(agent, tool string, in args) (string, error) {
	b.t.Helper()
	arguments, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.set.Run(b.t.Context(), tool, tools.Call{
		Agent: agent, Arguments: arguments,
		Artifact: func(path string, size int64) { b.artifacts = append(b.artifacts, fmt.Sprint(path, " ", size)) },
	})
}

// ok runs a tool and fails the test on an error.
func (b *bench) ok(tool string, in args) string {
	b.t.Helper()
	got, err := b.as("uio_1", tool, in)
	if err != nil {
		b.t.Fatalf("%s %v: %v", tool, in, err)
	}
	return got
}

// bad runs a tool that must refuse.
func (b *bench) bad(tool string, in args) error {
	b.t.Helper()
	got, err := b.as("uio_1", tool, in)
	if err == nil {
		b.t.Fatalf("%s %v: got %q, want an error", tool, in, got)
	}
	if strings.Contains(err.Error(), b.outside) && !strings.Contains(fmt.Sprint(in["path"]), b.outside) {
		b.t.Errorf("%s %v: the error names a place outside: %v", tool, in, err)
	}
	return err
}

// refuses is bad for an error whose kind does not matter.
func (b *bench) refuses(tool string, in args) {
	b.t.Helper()
	if err := b.bad(tool, in); err.Error() == "" {
		b.t.Errorf("%s %v: an error without words", tool, in)
	}
}

func TestNewWorkspaceRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, writeDir string }{
		{filepath.Join(dir, "none"), ""}, {file, ""}, {dir, ".."}, {dir, "a/../.."}, {dir, "/etc"},
	} {
		w, err := tools.NewWorkspace(test.dir, tools.WorkspaceOptions{WriteDir: test.writeDir})
		if err == nil {
			_ = w.Close()
			t.Errorf("%+v was taken", test)
		} else if !strings.HasPrefix(err.Error(), "tools: ") {
			t.Errorf("%+v: error %q does not begin with its package", test, err)
		}
	}
}

// everyTool calls each tool with a path.
func everyTool(path string) map[string]args {
	return map[string]args{
		"read_file":    {"path": path},
		"list_dir":     {"path": path},
		"search_files": {"path": path, "pattern": "secret"},
		"write_file":   {"path": path, "content": "overwritten"},
		"edit_file":    {"path": path, "old": "secret", "new": "overwritten"},
	}
}

func TestNothingLeavesTheWorkspace(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a/in.txt", "inside\n")
	b.link("../outside", "dirlink")
	b.link("../outside/secret.txt", "filelink")
	b.link(b.outside, "absdir")
	b.link(filepath.Join(b.outside, "secret.txt"), "absfile")
	b.link("dirlink", "chain")
	b.link("a/../../outside", "winding")
	b.link("..", "parent")
	paths := []string{
		"..", "../", "../outside/secret.txt", "a/../../outside/secret.txt", "./../outside", "a/b/../../../outside",
		b.outside, filepath.Join(b.outside, "secret.txt"), "/etc/passwd", "/", filepath.Join(b.dir, "../outside/secret.txt"),
		b.dir + "-other", "dirlink", "dirlink/secret.txt", "filelink", "absdir/secret.txt", "absfile", "chain/secret.txt",
		"winding/secret.txt", "parent", "parent/outside/secret.txt", "a/../dirlink/secret.txt", "dirlink/new.txt", "dirlink/new/new.txt",
	}
	for _, path := range paths {
		for tool, in := range everyTool(path) {
			if err := b.bad(tool, in); !errors.Is(err, tools.ErrOutside) {
				t.Errorf("%s %q: error %v, want ErrOutside", tool, path, err)
			}
		}
	}
	if got := b.ok("search_files", args{"pattern": "secret"}); strings.Contains(got, "secret.txt") {
		t.Errorf("the search followed a link: %s", got)
	}
	if got := b.ok("list_dir", args{"recursive": true}); strings.Contains(got, "link/") || strings.Count(got, "f  ") != 1 {
		t.Errorf("the listing followed a link: %s", got)
	}
	if data, err := os.ReadFile(filepath.Join(b.outside, "secret.txt")); err != nil || string(data) != "secret\n" {
		t.Errorf("the file outside is now %q, %v", data, err)
	}
	if entries, err := os.ReadDir(b.outside); err != nil || len(entries) != 1 {
		t.Errorf("outside there are now %v, %v", entries, err)
	}
}

// TestRandomPathsStayInside: whatever way a path takes, what is read was in the
// workspace.
func TestRandomPathsStayInside(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a/b/in.txt", "inside\n")
	b.put("in.txt", "inside\n")
	b.link("..", "a/up")
	b.link("../..", "a/b/up")
	b.link("../../..", "a/b/out")
	b.link("a/b", "down")
	b.link("../outside", "outside")
	b.link(b.dir, "a/abs")
	b.link(filepath.Dir(b.dir), "a/above")
	parts := []string{"..", ".", "", "a", "b", "up", "out", "down", "outside", "abs", "above", "work", "in.txt", "secret.txt"}
	rng := rand.New(rand.NewPCG(5, 6))
	read := 0
	for range 5000 {
		path := parts[rng.IntN(len(parts))]
		for range rng.IntN(7) {
			path += "/" + parts[rng.IntN(len(parts))]
		}
		got, err := b.as("uio_1", "read_file", args{"path": path})
		if err == nil {
			read++
		}
		if strings.Contains(got, "secret") || err == nil && !strings.HasSuffix(got, "\ninside\n") {
			t.Fatalf("%q: got %q", path, got)
		}
	}
	if read < 10 {
		t.Errorf("only %d paths led to a file", read)
	}
}

func TestWordsOfThePathError(t *testing.T) {
	for lang, want := range map[string][]string{
		"en": {
			`workspace: "../x" is outside the workspace; use a path relative to it, such as src/main.go`,
			`workspace: "link/x" leads outside the workspace through a symbolic link`,
			`workspace: "none\n" does not exist; list_dir shows what does`,
		},
		"zh": {
			`工作区："../x" 在工作区之外；请使用相对于工作区的路径，例如 src/main.go`,
			`工作区："link/x" 经由符号链接指向工作区之外`,
			`工作区："none\n" 不存在；可用 list_dir 查看有哪些文件`,
		},
	} {
		b := newBench(t, tools.WorkspaceOptions{Lang: lang})
		b.link("../outside", "link")
		for i, path := range []string{"../x", "link/x", "none\n"} {
			if got := b.bad("read_file", args{"path": path}).Error(); got != want[i] {
				t.Errorf("%s: got %s, want %s", lang, got, want[i])
			}
		}
	}
}

func TestHardPaths(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("file.txt", "x\n")
	b.put("dir/file.txt", "y\n")
	b.link("loop", "loop")
	b.link("none", "dangling")
	for _, path := range []string{"", "\x00", "a\x00b", "loop", "file.txt/below", "dir/none", strings.Repeat("a", 300), strings.Repeat("a/", 3000)} {
		for _, tool := range []string{"read_file", "edit_file"} {
			err := b.bad(tool, everyTool(path)[tool])
			if errors.Is(err, tools.ErrOutside) || !strings.HasPrefix(err.Error(), "workspace: ") {
				t.Errorf("%s %q: error %v", tool, path, err)
			}
		}
	}
	for _, path := range []string{"\x00", "loop", "file.txt/below", "", ".", "dir", "dir/", "new/", strings.Repeat("a", 300)} {
		b.refuses("write_file", args{"path": path, "content": "z"})
	}
	if err := b.bad("read_file", args{"path": "dir"}); !strings.Contains(err.Error(), "list_dir") {
		t.Errorf("error %v does not name list_dir", err)
	}
	if err := b.bad("list_dir", args{"path": "file.txt"}); !strings.Contains(err.Error(), "read_file") {
		t.Errorf("error %v does not name read_file", err)
	}
}

func TestGoodPaths(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("dir/file.txt", "y\n")
	b.link("dir", "to-dir")
	b.link("file.txt", "dir/to-file")
	b.link("../dir/to-file", "dir/winding")
	b.link(filepath.Join(b.dir, "dir"), "absolute")
	for _, path := range []string{
		"dir/file.txt", "./dir//file.txt", "dir/../dir/file.txt", "none/../dir/file.txt", filepath.Join(b.dir, "dir/file.txt"),
		"to-dir/file.txt", "dir/to-file", "dir/winding", "absolute/file.txt", b.dir + "/to-dir/../to-dir/to-file",
	} {
		want := "dir/file.txt (2 bytes, lines 1-1 of 1)\ny\n"
		if got := b.ok("read_file", args{"path": path}); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
	b.ok("write_file", args{"path": "to-dir/new.txt", "content": "n"})
	b.ok("write_file", args{"path": "dir/to-file", "content": "through"})
	if got := b.get("dir/file.txt"); got != "through" {
		t.Errorf("the file is %q, want it written through the link", got)
	}
	if info, err := os.Lstat(filepath.Join(b.dir, "dir/to-file")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
}

func TestWorkspaceThroughALink(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "a\n")
	link := filepath.Join(filepath.Dir(b.dir), "link")
	if err := os.Symlink(b.dir, link); err != nil {
		t.Skip(err)
	}
	w, err := tools.NewWorkspace(link, tools.WorkspaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b.set = mustSet(t, w.Tools()...)
	for _, path := range []string{"a.txt", filepath.Join(link, "a.txt"), filepath.Join(b.dir, "a.txt")} {
		b.ok("read_file", args{"path": path})
	}
}

func TestWriteDir(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{WriteDir: "results/./design"})
	b.put("src/main.go", "package main\n")
	b.link("../../src", "results-link")
	b.ok("read_file", args{"path": "src/main.go"})
	b.ok("write_file", args{"path": "results/design/new/design.md", "content": "d"})
	b.ok("edit_file", args{"path": "results/design/new/design.md", "old": "d", "new": "e"})
	b.link("../../src", "results/design/src")
	for _, path := range []string{
		"src/main.go", "results/other.md", "results/design", "results/design-2/a", "results/design/../a",
		"results/design/src/main.go", "new.txt", filepath.Join(b.dir, "a"),
	} {
		if err := b.bad("write_file", args{"path": path, "content": "x"}); path != "results/design" && !errors.Is(err, tools.ErrOutside) {
			t.Errorf("%q: error %v, want ErrOutside", path, err)
		}
	}
	if err := b.bad("edit_file", args{"path": "src/main.go", "old": "main", "new": "x"}); !errors.Is(err, tools.ErrOutside) {
		t.Errorf("error %v, want ErrOutside", err)
	}
	if got := b.get("src/main.go"); got != "package main\n" {
		t.Errorf("the file outside the folder is now %q", got)
	}
	other, err := b.workspace.WithWriteDir("src")
	if err != nil {
		t.Fatal(err)
	}
	b.set = mustSet(t, other.Tools()...)
	b.ok("edit_file", args{"path": "src/main.go", "old": "main", "new": "x"})
	if _, err := b.workspace.WithWriteDir("../x"); !errors.Is(err, tools.ErrOutside) {
		t.Errorf("error %v, want ErrOutside", err)
	}
}

func TestGitFoldersAreNotWritten(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put(".git/config", "[core]\n")
	b.link(".git", "other")
	for _, path := range []string{".git/config", ".git/hooks/pre-commit", "sub/.GIT/config", "other/config"} {
		if err := b.bad("write_file", args{"path": path, "content": "x"}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%q: error %v, want ErrPermission", path, err)
		}
	}
	b.ok("read_file", args{"path": ".git/config"})
	b.ok("write_file", args{"path": ".gitignore", "content": "x"})
}

func TestNoOrdinaryFile(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(b.dir, "socket")})
	if err != nil {
		t.Skip("no sockets in folders here:", err)
	}
	defer listener.Close()
	if got := b.ok("list_dir", args{}); got != "o  socket\n" {
		t.Errorf("got %q", got)
	}
	for tool, in := range everyTool("socket") {
		b.refuses(tool, in)
	}
	if got := b.ok("search_files", args{"pattern": "x"}); got != "0 matches in 0 files\n" {
		t.Errorf("got %q", got)
	}
}

func TestClosedWorkspace(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("a.txt", "secret\n")
	if err := b.workspace.Close(); err != nil {
		t.Fatal(err)
	}
	for tool, in := range everyTool("a.txt") {
		b.refuses(tool, in)
	}
}
