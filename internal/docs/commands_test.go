package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// goTestFlags are the flags of "go test" that documents use before the packages.
var goTestFlags = []string{"-run", "-bench", "-benchmem", "-benchtime", "-count", "-fuzz", "-fuzztime", "-race", "-shuffle", "-timeout", "-v"}

// TestGoTestCommands: a flag of a test's own stands behind the packages. Before them
// it ends the command line for "go test", which then finds no package.
func TestGoTestCommands(t *testing.T) {
	fsys := os.DirFS(root)
	names, err := fs.Glob(fsys, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	manuals, err := fs.Glob(fsys, "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range append(names, manuals...) {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range regexp.MustCompile("go test [^`#\n]+").FindAllString(string(text), -1) {
			found++
			if flag := strayFlag(command); flag != "" {
				t.Errorf("%s: %s: %s stands before the packages", name, strings.TrimSpace(command), flag)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d commands were found", found)
	}
	if flag := strayFlag("go test -run '^X$' -load 5 ./a"); flag != "-load" {
		t.Errorf("a flag before the packages is taken for %q", flag)
	}
}

// strayFlag is the first flag of a test's own that stands before a package; empty if
// there is none.
func strayFlag(command string) string {
	stray := ""
	for word := range strings.FieldsSeq(command) {
		name, _, _ := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "./"):
			return stray
		case stray == "" && strings.HasPrefix(word, "-") && !slices.Contains(goTestFlags, name):
			stray = name
		}
	}
	return ""
}
