package event_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

// kindsFile is the source with the type names and the methods of all data.
func kindsFile(t *testing.T) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "kinds.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Every type name that kinds.go declares can be read.
func TestTypesAreThoseOfTheSource(t *testing.T) {
	file := kindsFile(t)
	var declared []event.Type
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); !ok || typ.Name != "Type" {
			return false
		}
		for _, v := range spec.Values {
			name, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			declared = append(declared, event.Type(name))
		}
		return false
	})
	slices.Sort(declared)
	if diff := cmp.Diff(declared, types()); diff != "" {
		t.Errorf("types (-declared in kinds.go +can be read):\n%s", diff)
	}
}

// Every struct that is data by a method in kinds.go is one of those types.
func TestEveryDataStructIsRead(t *testing.T) {
	file := kindsFile(t)
	structs := 0
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "data" {
			structs++
		}
	}
	if want := len(event.Types()) + 1; structs != want { // one is Unknown
		t.Errorf("%d structs are data of records, want %d", structs, want)
	}
}
