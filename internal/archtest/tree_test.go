package archtest_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// module is the path of the project's module.
const module = "github.com/troupe-go/troupe"

// unread are folders that hold nothing of the project's own writing; .git is a
// file in a second work tree.
var unread = []string{".git", "bin", "coverage", "node_modules"}

// tree is the text files of the project, or of a small one made for a test.
type tree struct {
	fset  *token.FileSet
	files []file
}

// file is one text file. Go files of packages are parsed, whatever their build
// tags, so that a rule holds on every system.
type file struct {
	path   string // from the root, with slashes
	text   string
	syntax *ast.File // nil for what is no Go file of a package
}

// dir is the folder of f, and for a file of a package its path in the module.
func (f file) dir() string { return path.Dir(f.path) }

// isTest reports whether f is compiled into tests only.
func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// project reads the project's own files, once for all rules.
var project = sync.OnceValues(func() (tree, error) { return load(os.DirFS("../..")) })

// small makes a tree of a few files, path to text.
func small(t *testing.T, files map[string]string) tree {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tr, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func load(fsys fs.FS) (tree, error) {
	tr := tree{fset: token.NewFileSet()}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch skip := slices.Contains(unread, d.Name()); {
		case d.IsDir() && (skip || otherModule(fsys, name)):
			return fs.SkipDir
		case d.IsDir() || skip:
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		if err != nil || bytes.IndexByte(data, 0) >= 0 { // a NUL: not text
			return err
		}
		f := file{path: name, text: string(data)}
		if isSource(name) {
			f.syntax, err = parser.ParseFile(tr.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		}
		tr.files = append(tr.files, f)
		return err
	})
	return tr, err
}

// otherModule reports whether a module of its own starts at dir.
func otherModule(fsys fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

// isSource reports whether the go command takes name as part of a package.
func isSource(name string) bool {
	if path.Ext(name) != ".go" {
		return false
	}
	return !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part == "testdata" || part[0] == '.' || part[0] == '_'
	})
}

// packages are the folders with Go files, each with its files, in order.
func (tr tree) packages() (dirs []string, files map[string][]file) {
	files = map[string][]file{}
	for _, f := range tr.files {
		if f.syntax != nil {
			files[f.dir()] = append(files[f.dir()], f)
		}
	}
	return slices.Sorted(maps.Keys(files)), files
}

// at names the place of n as file:line.
func (tr tree) at(n ast.Node) string {
	p := tr.fset.Position(n.Pos())
	p.Column = 0
	return p.String()
}

// rule finds what is wrong with a tree: one line a fault.
type rule func(tree) []string

// keep fails t for each fault of the project.
func keep(t *testing.T, r rule) {
	t.Helper()
	tr, err := project()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r(tr) {
		t.Error(fault)
	}
}

// sighted is a small tree and the faults that a rule must see in it.
type sighted struct {
	name  string
	files map[string]string
	want  []string
}

// see runs a rule on small trees.
func see(t *testing.T, r rule, tests []sighted) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, r(small(t, tt.files))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}
