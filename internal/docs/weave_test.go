package docs_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// A marker is a line of its own; anything else that looks like one is an
// error, so that a slip cannot leave old code in a document.
var (
	marker = regexp.MustCompile(`^<!-- (example: (\S+) (Example\w*)|file: (\S+)) -->$`)
	nearly = regexp.MustCompile(`^\s*<!--\s*(example|file|end)\b`)
)

const markerEnd = "<!-- end -->"

// languages names the fence of a file by its extension.
var languages = map[string]string{
	".go": "go", ".js": "js", ".json": "json", ".jsonl": "json", ".mmd": "mermaid", ".sh": "sh", ".yaml": "yaml", ".yml": "yaml",
}

// weave returns the text of a document with the code between its markers made
// anew from the files of fsys.
func weave(fsys fs.FS, document string) (string, error) {
	var out strings.Builder
	opened := 0 // the line of the marker whose end is awaited
	n := 0
	for line := range strings.Lines(document) {
		n++
		bare := strings.TrimRight(line, "\r\n")
		m := marker.FindStringSubmatch(bare)
		switch {
		case opened > 0 && bare == markerEnd:
			opened = 0
		case opened > 0 && m == nil:
			continue // what was woven before
		case opened > 0:
			return "", fmt.Errorf("line %d: a marker before the %s of line %d", n, markerEnd, opened)
		case m != nil:
			opened = n
			block, err := fenced(fsys, m)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", n, err)
			}
			line = bare + "\n" + block
		case nearly.MatchString(bare):
			return "", fmt.Errorf("line %d: not a marker: %s", n, bare)
		}
		out.WriteString(line)
	}
	if opened > 0 {
		return "", fmt.Errorf("line %d: no %s follows", opened, markerEnd)
	}
	return out.String(), nil
}

// fenced is the block of code that a matched marker asks for.
func fenced(fsys fs.FS, m []string) (string, error) {
	if file := m[4]; file != "" {
		text, err := fs.ReadFile(fsys, file)
		return fence(cmp.Or(languages[path.Ext(file)], "text"), string(text)), err
	}
	code, err := example(fsys, m[2], m[3])
	return fence("go", code), err
}

func fence(language, code string) string {
	return "```" + language + "\n" + strings.TrimRight(code, "\n") + "\n```\n"
}

// example is the body of an Example function in the tests of a package, as it
// was written but for one level of indentation.
func example(fsys fs.FS, dir, name string) (string, error) {
	files, err := fs.Glob(fsys, path.Join(dir, "*_test.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return "", err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, d := range syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == name {
				body := text[fset.Position(f.Body.Lbrace).Offset+1 : fset.Position(f.Body.Rbrace).Offset]
				return strings.TrimSpace(outdent(string(body))), nil
			}
		}
	}
	return "", fmt.Errorf("package %s has no %s", dir, name)
}

// outdent takes one tab from the start of each line.
func outdent(code string) string {
	return strings.ReplaceAll(code, "\n\t", "\n")
}
