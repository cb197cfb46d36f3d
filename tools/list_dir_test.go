package tools_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

func TestListDir(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{Lang: "zh"})
	b.put("src/main.go", "package main\n")
	b.put("src/b/c.go", "")
	b.put("src-2", "12")
	b.put("src/node_modules/x/index.js", "x")
	b.put(".git/config", "x")
	b.put("new\nline", "x")
	b.put("\"quoted", "x")
	b.put(".troupe-write-0", "under way")
	b.put("中文/说明.md", "x")
	b.link("src", "to-src")
	if err := os.Mkdir(filepath.Join(b.dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		in   args
		want []string
	}{
		{args{}, []string{
			`f  1  "\"quoted"`, `d  .git/`, `d  empty/`, `f  1  "new\nline"`, `d  src/`, `f  2  src-2`, `l  to-src -> src`, `d  中文/`,
		}},
		{args{"recursive": true}, []string{
			`f  1  "\"quoted"`, `d  .git/  skipped`, `d  empty/`, `f  1  "new\nline"`, `d  src/`, `d  src/b/`, `f  0  src/b/c.go`,
			`f  13  src/main.go`, `d  src/node_modules/  skipped`, `f  2  src-2`, `l  to-src -> src`, `d  中文/`, `f  1  中文/说明.md`,
		}},
		{args{"path": "src", "recursive": true}, []string{`d  b/`, `f  0  b/c.go`, `f  13  main.go`, `d  node_modules/  skipped`}},
		{args{"path": "to-src"}, []string{`d  b/`, `f  13  main.go`, `d  node_modules/`}},
		{args{"path": "src/node_modules", "recursive": true}, []string{`d  x/`, `f  1  x/index.js`}},
		{args{"path": "empty"}, []string{"(empty)"}},
		{args{"path": ""}, nil},
		{args{"offset": 2, "limit": 3}, []string{`d  empty/`, `f  1  "new\nline"`, `d  src/`, `… 3 more; go on with offset=5`}},
		{args{"offset": 5}, []string{`f  2  src-2`, `l  to-src -> src`, `d  中文/`}},
	}
	for _, test := range tests {
		if test.want == nil {
			test.want = tests[0].want
		}
		want := strings.Join(test.want, "\n") + "\n"
		if diff := cmp.Diff(want, b.ok("list_dir", test.in)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.in, diff)
		}
	}
	b.refuses("list_dir", args{"offset": 8})
}

func TestListDirUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	b := newBench(t, tools.WorkspaceOptions{})
	b.put("closed/secret.txt", "x")
	b.put("open.txt", "x")
	closed := filepath.Join(b.dir, "closed")
	before, err := os.Stat(closed)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, before.Mode()) })
	want := "d  closed/  unreadable: permission denied\nf  1  open.txt\n"
	if got := b.ok("list_dir", args{"recursive": true}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := b.ok("search_files", args{"pattern": "x"}); !strings.HasPrefix(got, "1 matches in 1 files; skipped 1 unreadable\n") {
		t.Errorf("got %q, want one unreadable", got)
	}
	if err := b.bad("list_dir", args{"path": "closed"}); !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("error %v", err)
	}
}

// TestListDirPages: pages of any size name each entry once, in one order.
func TestListDirPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 10 {
		b := newBench(t, tools.WorkspaceOptions{})
		files := 1 + rng.IntN(60)
		for i := range files {
			dirs := strings.Repeat(fmt.Sprintf("d%d/", rng.IntN(3)), rng.IntN(4))
			b.put(fmt.Sprintf("%sf%d", dirs, i), "")
		}
		var want []string
		for line := range strings.Lines(b.ok("list_dir", args{"recursive": true, "limit": 10_000})) {
			want = append(want, line)
		}
		var got []string
		for offset := 0; ; {
			body := b.ok("list_dir", args{"recursive": true, "offset": offset, "limit": 1 + rng.IntN(9)})
			next, rest := continued(t, body)
			got = slices.AppendSeq(got, strings.Lines(rest))
			if next == 0 {
				break
			}
			if next != len(got) {
				t.Fatalf("round %d: after %d entries the next offset is %d", round, len(got), next)
			}
			offset = next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d (-whole +pages):\n%s", round, diff)
		}
		if n := strings.Count(strings.Join(got, ""), "f  "); n != files {
			t.Errorf("round %d: %d files listed, want %d", round, n, files)
		}
	}
}

func TestListDirDefaultLimit(t *testing.T) {
	b := newBench(t, tools.WorkspaceOptions{})
	for i := range 1003 {
		b.put(fmt.Sprintf("f%04d", i), "")
	}
	got := b.ok("list_dir", args{})
	if n := strings.Count(got, "\n"); n != 1001 || !strings.HasSuffix(got, "\n… 3 more; go on with offset=1000\n") {
		t.Errorf("%d lines, end %q", n, got[len(got)-60:])
	}
}
