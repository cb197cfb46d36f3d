package archtest_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/internal/golden"
)

// apiDir holds one file a public package: what programs that use it can see.
const apiDir = "testdata/api"

// TestExportedAPI compares what the public packages export with the golden
// files, so that each new name is a line in a diff. After a change that is
// meant: go test ./internal/archtest -update.
func TestExportedAPI(t *testing.T) {
	var known []string
	for _, pkg := range publicPackages(t) {
		dir, _ := cutModule(pkg.Path())
		name := filepath.Join(apiDir, filepath.FromSlash(dir)+".txt")
		known = append(known, name)
		golden.Equal(t, name, []byte(strings.Join(api(pkg), "\n")+"\n"))
	}
	for _, name := range filesBelow(t, apiDir) {
		if !slices.Contains(known, name) {
			t.Errorf("%s describes a package that is gone; remove it", name)
		}
	}
}

// publicPackages loads the packages that other modules can import, from the
// compiler's own description of them.
func publicPackages(t *testing.T) []*types.Package {
	t.Helper()
	exports := map[string]string{}
	var public []string
	for line := range strings.Lines(goList(t, "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Name}}\t{{.Export}}", "./...")) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[part[0]] = part[2]
		if dir, ours := cutModule(part[0]); ours && part[1] != "main" && !slices.Contains(strings.Split(dir, "/"), "internal") {
			public = append(public, part[0])
		}
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})
	slices.Sort(public)
	var pkgs []*types.Package
	for _, name := range public {
		pkg, err := compiled.Import(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs
}

// api is one line for each exported constant, variable, function, type, field
// and method of pkg.
func api(pkg *types.Package) (lines []string) {
	own := types.RelativeTo(pkg)
	short := func(p *types.Package) string {
		if own(p) == "" {
			return ""
		}
		return p.Name()
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprintf("%s = %s", types.ObjectString(obj, short), obj.Val().ExactString()))
		case *types.TypeName:
			lines = append(lines, typeLines(obj, short)...)
		case *types.Func:
			lines = append(lines, "func "+obj.Name()+signature(obj.Signature(), short))
		default:
			lines = append(lines, types.ObjectString(obj, short))
		}
	}
	return lines
}

// typeLines describes a type: what it is, then what of it can be seen.
func typeLines(obj *types.TypeName, q types.Qualifier) []string {
	named, ok := obj.Type().(*types.Named)
	if !ok || obj.IsAlias() {
		return []string{types.ObjectString(obj, q)}
	}
	var params string
	if list := named.TypeParams(); list.Len() > 0 {
		for p := range list.TypeParams() {
			params += ", " + p.String() + " " + types.TypeString(p.Constraint(), q)
		}
		params = "[" + params[2:] + "]"
	}
	head := "type " + obj.Name() + params
	var lines []string
	switch under := named.Underlying().(type) {
	case *types.Struct:
		lines = append([]string{head + " struct"}, fieldLines(obj.Name(), under, q)...)
	case *types.Interface:
		lines = append([]string{head + " interface"}, interfaceLines(obj.Name(), under, q)...)
	default:
		lines = []string{head + " " + types.TypeString(under, q)}
	}
	var methods []string
	for m := range named.Methods() {
		if m.Exported() {
			sig := m.Signature()
			methods = append(methods, fmt.Sprintf("method (%s) %s%s",
				types.TypeString(sig.Recv().Type(), q), m.Name(), signature(sig, q)))
		}
	}
	slices.Sort(methods)
	return append(lines, methods...)
}

// fieldLines describes the exported fields of a struct.
func fieldLines(name string, s *types.Struct, q types.Qualifier) (lines []string) {
	for f := range s.Fields() {
		switch {
		case !f.Exported():
		case f.Embedded():
			lines = append(lines, fmt.Sprintf("field %s embeds %s", name, types.TypeString(f.Type(), q)))
		default:
			lines = append(lines, fmt.Sprintf("field %s.%s %s", name, f.Name(), types.TypeString(f.Type(), q)))
		}
	}
	return lines
}

// interfaceLines describes the methods of an interface. One with a method that
// is not exported is closed: nobody else can implement it.
func interfaceLines(name string, i *types.Interface, q types.Qualifier) (lines []string) {
	for e := range i.EmbeddedTypes() {
		lines = append(lines, fmt.Sprintf("interface %s embeds %s", name, types.TypeString(e, q)))
	}
	closed := false
	for m := range i.ExplicitMethods() {
		if m.Exported() {
			lines = append(lines, fmt.Sprintf("interface %s.%s%s", name, m.Name(), signature(m.Signature(), q)))
		}
		closed = closed || !m.Exported()
	}
	if closed {
		lines = append(lines, fmt.Sprintf("interface %s is closed", name))
	}
	return lines
}

// made are the names that the compiler gives to the results of a function that
// returns from inside a range over a function; its users do not see them.
var made = regexp.MustCompile(`#rv\d+ `)

// signature is a function's parameters and results.
func signature(s *types.Signature, q types.Qualifier) string {
	var b bytes.Buffer
	types.WriteSignature(&b, s, q)
	text := b.String()
	if r := s.Results(); r.Len() == 1 && strings.HasPrefix(r.At(0).Name(), "#rv") {
		text = strings.TrimSuffix(strings.Replace(text, "(#rv1 ", "", 1), ")")
	}
	return made.ReplaceAllString(text, "")
}

func TestAPISeesEachExportedName(t *testing.T) {
	const source = `package p

import "io"

const Max, min = 3, 1

type Color string

const Red Color = "red"

var ErrGone, errInner error

func New(r io.Reader, opts ...Option) (*Box, error) { return nil, nil }
func inner() {}

type Option func(*Box)

type Box struct {
	io.Writer
	Name, tag string
}

func (b *Box) Put(s string) bool { return false }
func (b Box) Len() int           { return 0 }
func (b *Box) grow()             {}

type Data interface {
	io.Closer
	Type() string
	sealed()
}

type Set[T comparable] map[T]struct{}

func (s Set[T]) Has(v T) bool { return false }

type Old = Box

type hidden struct{ Field int }
`
	want := strings.Split(strings.TrimSpace(`
type Box struct
field Box embeds io.Writer
field Box.Name string
method (*Box) Put(s string) bool
method (Box) Len() int
type Color string
type Data interface
interface Data embeds io.Closer
interface Data.Type() string
interface Data is closed
var ErrGone error
const Max untyped int = 3
func New(r io.Reader, opts ...Option) (*Box, error)
type Old = Box
type Option func(*Box)
const Red Color = "red"
type Set[T comparable] map[T]struct{}
method (Set[T]) Has(v T) bool
`), "\n")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, api(pkg)); diff != "" {
		t.Errorf("API (-want +got):\n%s", diff)
	}
}

// filesBelow are the files below dir, if there is one.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return names
}

// stderrOf is what a command that ended with err wrote to its stderr.
func stderrOf(err error) []byte {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.Stderr
	}
	return nil
}
