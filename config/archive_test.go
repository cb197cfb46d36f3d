package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupe-go/troupe/internal/golden"
)

// archive is a reviewable case: why, the files of a team, and under the name
// "want" what is wanted of them. Each file follows a line "-- NAME --".
type archive struct {
	path  string
	head  string // all before the content of want
	files fstest.MapFS
}

// eachArchive runs a test for each case that a pattern matches.
func eachArchive(t *testing.T, pattern string, test func(t *testing.T, a archive)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d cases (%v), want some", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { test(t, readArchive(t, path)) })
	}
}

func readArchive(t *testing.T, path string) archive {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "-- want --\n"
	head, _, ok := strings.Cut(string(data), mark)
	if !ok {
		t.Fatalf("%s has no file want", path)
	}
	a := archive{path: path, head: head + mark, files: fstest.MapFS{}}
	names := regexp.MustCompile(`(?m)^-- (\S+) --\n`)
	marks := names.FindAllStringSubmatchIndex(head, -1)
	for i, m := range marks {
		end := len(head)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		a.files[head[m[2]:m[3]]] = &fstest.MapFile{Data: []byte(head[m[1]:end])}
	}
	return a
}

// compare compares with what is wanted, or rewrites it.
func (a archive) compare(t *testing.T, got string) {
	t.Helper()
	golden.Equal(t, a.path, []byte(a.head+got))
}
