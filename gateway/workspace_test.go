package gateway_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway"
)

// workspace makes a workspace with folders, files and links in all directions.
func workspace(t testing.TB) (w *gateway.Workspace, dir string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(top, "space")
	for _, d := range []string{"space/a/b", "space/项目 1", "out/side", "space2"} {
		if err := os.MkdirAll(filepath.Join(top, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"in": "a", "deep": "a/b", "out": "../out", "abs": filepath.Join(top, "out"), "home": filepath.Join(dir, "a"), "loop": "loop",
		"dangling": "nothing", "a/up": "..", "a/upup": "../..", "twin": "../space2",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	if w, err = gateway.OpenWorkspace(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, dir
}

func TestWorkFolders(t *testing.T) {
	w, dir := workspace(t)
	for path, want := range map[string]string{
		"": "", "/": "", ".": "", "a": "a", "/a/b": "a/b", "//a//b/": "a/b", "a/../a": "a", "项目 1": "项目 1", "in": "a", "in/b": "a/b",
		"deep": "a/b", "a/up/a": "a",
	} {
		got, err := w.Dir(path)
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%q is %q, %v; want %q", path, got, err, want)
		}
	}
	for path, want := range map[string]gateway.Status{
		"..": 403, "/..": 403, "../space2": 403, "a/../..": 403, "out": 403, "out/side": 403, "abs": 403, "twin": 403, "a/upup": 403,
		"in/../..": 403, "loop": 403, "nothing": 404, "file": 404, "dangling": 404, "a/c": 404,
		"a\x00": 400, "a\xff": 400, strings.Repeat("a/", 3000): 400,
	} {
		if got, err := w.Dir(path); status(err) != want {
			t.Errorf("%.40q is %q, %v; want %d", path, got, err, want)
		} else if err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%.40q: the error tells where the workspace is: %v", path, err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if _, err := gateway.OpenWorkspace(filepath.Join(dir, "file")); err == nil {
		t.Error("a file was opened as a workspace")
	}
}

// FuzzWorkFolder looks for a path that leads out.
func FuzzWorkFolder(f *testing.F) {
	w, dir := workspace(f)
	for _, seed := range []string{"", "/", "a/b", "..", "a/up/../..", "in/../out", "abs/side", "./a//b/../../home", `..\out`, "C:\\", "a/up/up/out"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got, err := w.Dir(path)
		if err != nil {
			return
		}
		rel, err := filepath.Rel(dir, got)
		if err != nil || !filepath.IsLocal(rel) {
			t.Fatalf("%q leads to %s", path, got)
		}
		if resolved, err := filepath.EvalSymlinks(got); err != nil || resolved != got {
			t.Fatalf("%q is %s, which is %s, %v", path, got, resolved, err)
		}
	})
}
