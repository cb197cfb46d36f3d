package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/internal/golden"
)

// root is where the documents are.
const root = "../.."

// required are the documents that a newcomer is sent to.
var required = []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"}

func TestDocumentsShowTheCode(t *testing.T) {
	fsys := os.DirFS(root)
	names, err := fs.Glob(fsys, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range required {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing at the root of the project", name)
		}
	}
	manuals, err := fs.Glob(fsys, "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, manuals...) {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Error(err)
			continue
		}
		woven, err := weave(fsys, string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if woven != string(text) {
			golden.Equal(t, filepath.Join(root, name), []byte(woven))
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	fsys := os.DirFS(root)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "testdata", "node_modules"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		for _, fault := range brokenLinks(fsys, name, string(text)) {
			t.Error(fault)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// house is a small project for the tests of weave and brokenLinks.
var house = fstest.MapFS{
	"leader/example_test.go": {Data: []byte(`package leader_test

func ExampleNew() {
	// A team of one.
	if ok() {
		run()
	}

	done()
	// Output: well
}

func Example() { run() }

func (t thing) ExampleMethod() {}
`)},
	"leader/run.go":            {Data: []byte("package leader\n\nfunc ExampleHidden() {}\n")},
	"agent/testdata/state.mmd": {Data: []byte("stateDiagram-v2\n")},
	"agent/bad_test.go":        {Data: []byte("package")},
	"a file.txt":               {Data: []byte("plain\n\n")},
	"docs/guide.md":            {Data: []byte("guide")},
}

func TestWeave(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want string
	}{
		{name: "nothing to weave", in: "# Title\n\nText, `<!-- example: a B -->`.\n\n<!-- a remark -->\n", want: "# Title\n\nText, `<!-- example: a B -->`.\n\n<!-- a remark -->\n"},
		{
			name: "a body, and old code goes",
			in:   "before\n<!-- example: leader ExampleNew -->\n```go\nold()\n```\n<!-- end -->\nafter",
			want: "before\n<!-- example: leader ExampleNew -->\n```go\n// A team of one.\nif ok() {\n\trun()\n}\n\ndone()\n// Output: well\n```\n<!-- end -->\nafter",
		},
		{
			name: "one line, and a file",
			in:   "<!-- example: leader Example -->\n<!-- end -->\n<!-- file: agent/testdata/state.mmd -->\n<!-- end -->\n",
			want: "<!-- example: leader Example -->\n```go\nrun()\n```\n<!-- end -->\n<!-- file: agent/testdata/state.mmd -->\n```mermaid\nstateDiagram-v2\n```\n<!-- end -->\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := weave(house, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("woven (-want +got):\n%s", diff)
			}
			again, err := weave(house, got)
			if err != nil || again != got {
				t.Errorf("weaving once more changed the document: %v\n%s", err, cmp.Diff(got, again))
			}
		})
	}
}

func TestWeaveRefuses(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"an example that is not there", "\n<!-- example: leader ExampleOld -->\n<!-- end -->\n", "line 2: package leader has no ExampleOld"},
		{"a method", "<!-- example: leader ExampleMethod -->\n<!-- end -->\n", "line 1: package leader has no ExampleMethod"},
		{"a function outside the tests", "<!-- example: leader ExampleHidden -->\n<!-- end -->\n", "line 1: package leader has no ExampleHidden"},
		{"a package that is not there", "<!-- example: stage Example -->\n<!-- end -->\n", "line 1: package stage has no Example"},
		{"no end", "a\n<!-- example: leader Example -->\nb\n", "line 2: no <!-- end --> follows"},
		{"two starts", "<!-- example: leader Example -->\n<!-- example: leader Example -->\n<!-- end -->\n", "line 2: a marker before the <!-- end --> of line 1"},
		{"an end alone", "<!-- end -->\n", "line 1: not a marker: <!-- end -->"},
		{"a slip", "<!--example: leader Example -->\n<!-- end -->\n", "line 1: not a marker: <!--example: leader Example -->"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := weave(house, tt.in)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %q, error %v; want the error %q", got, err, tt.want)
			}
		})
	}
	if _, err := weave(house, "<!-- file: none.txt -->\n<!-- end -->\n"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: got error %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := weave(house, "<!-- example: agent Example -->\n<!-- end -->\n"); err == nil || !strings.Contains(err.Error(), "bad_test.go") {
		t.Errorf("a test that is no Go: got error %v, want one that names bad_test.go", err)
	}
}

func TestBrokenLinks(t *testing.T) {
	tests := []struct {
		name string
		from string
		in   string
		want []string
	}{
		{"good ones", "README.md", "[a](docs/guide.md) ![b](<a%20file.txt> \"title\") [c](leader/#x) [d](#x) [e](https://example.com/x) [f](mailto:a@example.com)\n\n[g]: docs/guide.md\n", nil},
		{"code is no link", "README.md", "`[a](none.md)` and\n\n```sh\n[b](none.md)\n~~~\n```\n  ~~~\n[c](none.md)\n  ~~~\n", nil},
		{"from a folder", "docs/guide.md", "[a](../leader/run.go) [b](leader/run.go)", []string{"docs/guide.md:1: the link leads nowhere: leader/run.go"}},
		{"each form", "README.md", "[a](none.md) ![b](none.png)\n[c](none.md#part \"title\")\n[d]: none/\n[e](/leader/run.go)\n", []string{
			"README.md:1: the link leads nowhere: none.md",
			"README.md:1: the link leads nowhere: none.png",
			"README.md:2: the link leads nowhere: none.md#part",
			"README.md:3: the link leads nowhere: none/",
			"README.md:4: the link leads nowhere: /leader/run.go",
		}},
		{"after code", "README.md", "```\ncode\n```\n[a](none.md)\n", []string{"README.md:4: the link leads nowhere: none.md"}},
		{"out of the project", "README.md", "[a](../other/README.md)", []string{"README.md:1: the link leads nowhere: ../other/README.md"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, brokenLinks(house, tt.from, tt.in)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
