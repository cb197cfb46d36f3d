package archtest_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Lines of one Go file: more than wanted need a reason, more than allowed have
// none.
const (
	wantedLines  = 500
	allowedLines = 800
)

// long lists the Go files over wantedLines, each with the reason.
var long = map[string]string{}

// parts are what each package comment tells, in this order.
var parts = []string{"What it is for", "What it is not for", "Where to start reading", "Invariants"}

// The patterns are written so that this file does not match them.
var (
	machinePath = regexp.MustCompile(`(?:^|[^\w.~/-])(/(?:work|root|home/[\w.-]+|Users/[\w.-]+)/)`)
	machineRoot = []string{"/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"}
	// Text that speaks of such words, as a tool that looks for them does, is no
	// work put off: it has no colon or parenthesis behind them, and does not
	// begin a comment with them.
	later     = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	laterWord = regexp.MustCompile(`\b(` + strings.Join(later, "|") + `)[:(]|//\s*(` + strings.Join(later, "|") + `)\b`)
)

func TestPathsOfMachines(t *testing.T) { keep(t, pathFaults) }

// pathFaults finds the folders of somebody's machine in any text.
func pathFaults(tr tree) []string {
	return linesWith(tr, machinePath, machineRoot, "names a folder of somebody's machine")
}

func TestPathsOfMachinesSeesFaults(t *testing.T) {
	root, home, within := "/ro"+"ot/x", "/ho"+"me/ann/x", "/wo"+"rk/it"
	see(t, pathFaults, []sighted{
		{name: "allowed", files: map[string]string{
			"README.md": "See https://example.com" + within + " and ." + within + ", ~" + within + ", /srv" + within + ", /homework/.",
		}},
		{name: "found in any file", files: map[string]string{
			"a/a.go":             "package a\n\n// See " + root + " for more.\n",
			"a/testdata/in.json": `{"path":"` + home + `"}`,
			"b.md":               root,
		}, want: []string{
			"a/a.go:3: names a folder of somebody's machine: /ro" + "ot/",
			"a/testdata/in.json:1: names a folder of somebody's machine: /ho" + "me/ann/",
			"b.md:1: names a folder of somebody's machine: /ro" + "ot/",
		}},
	})
}

func TestNothingIsLeftForLater(t *testing.T) { keep(t, laterFaults) }

// laterFaults finds the words by which people put work off. What a program
// says in quotes is not its author's word.
func laterFaults(tr tree) []string {
	own := tree{fset: tr.fset}
	for _, f := range tr.files {
		if f.syntax != nil {
			f.text = unquoted(tr, f)
		}
		own.files = append(own.files, f)
	}
	return linesWith(own, laterWord, later, "puts work off")
}

// unquoted is the text of a Go file with blanks in its string literals; the
// lines stay.
func unquoted(tr tree, f file) string {
	text := []byte(f.text)
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			start := tr.fset.Position(lit.Pos()).Offset
			for i := range lit.Value {
				if text[start+i] != '\n' {
					text[start+i] = ' '
				}
			}
		}
		return true
	})
	return string(text)
}

func TestNothingIsLeftForLaterSeesFaults(t *testing.T) {
	word := "TO" + "DO"
	see(t, laterFaults, []sighted{
		{name: "allowed", files: map[string]string{
			"a.md": "A todo list, AXXXB.", "go.sum": "h1:a+" + word + "/b", "a/find.go": "package a\n\n// finds " + word + " in files\n",
			"a/find_test.go": "package a\n\nvar in = `é\n// " + word + ": more`\n",
		}},
		{
			name:  "found",
			files: map[string]string{"a/a.go": "package a\n\nvar c = context." + word + "()\n", "b.md": word + ": write"},
			want:  []string{"a/a.go:3: puts work off: " + word, "b.md:1: puts work off: " + word},
		},
		{
			name:  "found at the beginning of a comment",
			files: map[string]string{"a/a.go": "package a\n\n// " + word + " later\n"},
			want:  []string{"a/a.go:3: puts work off: " + word},
		},
	})
}

// linesWith finds the lines of text that a pattern matches, all of which have
// one of the words; its first group is shown. Sums are random letters and are
// left out.
func linesWith(tr tree, pattern *regexp.Regexp, words []string, what string) (faults []string) {
	for _, f := range tr.files {
		has := func(text string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
		}
		if path.Ext(f.path) == ".sum" || !has(f.text) {
			continue
		}
		n := 0
		for line := range strings.Lines(f.text) {
			n++
			if !has(line) {
				continue
			}
			if m := pattern.FindStringSubmatch(line); m != nil {
				faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", f.path, n, what, cmp.Or(m[1:]...)))
			}
		}
	}
	return faults
}

func TestNobodySleeps(t *testing.T) { keep(t, sleepFaults) }

// sleepFaults finds calls of time.Sleep. In a test that imports
// testing/synctest the clock is the bubble's, and sleeping takes no time.
func sleepFaults(tr tree) (faults []string) {
	for _, f := range tr.files {
		if f.syntax == nil || f.isTest() && imports(f, "testing/synctest") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" {
					faults = append(faults, tr.at(n)+": sleeps; wait for what is meant")
				}
			}
			return true
		})
	}
	return faults
}

// imports reports whether f imports the package of that path.
func imports(f file, name string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == name })
}

func TestNobodySleepsSeesFaults(t *testing.T) {
	const body = "\nfunc f() {\n\ttime.Sleep(1)\n}\n"
	see(t, sleepFaults, []sighted{
		{name: "a bubble", files: map[string]string{
			"a/a_test.go": "package a\nimport \"testing/synctest\"" + body,
			"a/a.go":      "package a\n// time.Sleep is forbidden.\nfunc g() { x.Sleep() }\n",
		}},
		{name: "no bubble", files: map[string]string{
			"a/a.go":      "package a" + body,
			"a/a_test.go": "package a" + body,
		}, want: []string{
			"a/a.go:3: sleeps; wait for what is meant",
			"a/a_test.go:3: sleeps; wait for what is meant",
		}},
	})
}

func TestPackageComments(t *testing.T) { keep(t, commentFaults) }

// commentFaults finds packages whose doc.go does not tell the four parts.
func commentFaults(tr tree) (faults []string) {
	dirs, files := tr.packages()
	for _, dir := range dirs {
		i := slices.IndexFunc(files[dir], func(f file) bool { return path.Base(f.path) == "doc.go" })
		if i < 0 {
			faults = append(faults, dir+": the package has no doc.go")
			continue
		}
		rest := strings.Join(strings.Fields(files[dir][i].syntax.Doc.Text()), " ")
		for _, part := range parts {
			_, after, ok := strings.Cut(rest, part+":")
			if !ok {
				faults = append(faults, fmt.Sprintf("%s/doc.go: the package comment does not tell %q in its place", dir, part))
				continue
			}
			rest = after
		}
	}
	return faults
}

func TestPackageCommentsSeesFaults(t *testing.T) {
	const whole = "// Package a is.\n//\n// What it is for: a.\n// What it is not\n// for: b.\n// Where to start reading: c.\n// Invariants: d.\n"
	see(t, commentFaults, []sighted{
		{name: "whole", files: map[string]string{"a/doc.go": whole + "package a\n"}},
		{name: "not attached", files: map[string]string{"a/doc.go": whole + "\npackage a\n"}, want: []string{
			`a/doc.go: the package comment does not tell "What it is for" in its place`,
			`a/doc.go: the package comment does not tell "What it is not for" in its place`,
			`a/doc.go: the package comment does not tell "Where to start reading" in its place`,
			`a/doc.go: the package comment does not tell "Invariants" in its place`,
		}},
		{
			name:  "one part missing",
			files: map[string]string{"a/doc.go": strings.Replace(whole, "Invariants", "Notes", 1) + "package a\n"},
			want:  []string{`a/doc.go: the package comment does not tell "Invariants" in its place`},
		},
		{
			name:  "no doc.go",
			files: map[string]string{"a/a.go": "package a\n"},
			want:  []string{"a: the package has no doc.go"},
		},
	})
}

func TestFileLengths(t *testing.T) {
	keep(t, func(tr tree) []string { return lengthFaults(tr, long) })
}

// lengthFaults finds Go files that are too long, and reasons that are no
// longer needed. What a program wrote may be as long as it likes.
func lengthFaults(tr tree, long map[string]string) (faults []string) {
	idle := maps.Clone(long)
	for _, f := range tr.files {
		lines := strings.Count(f.text, "\n")
		if f.syntax == nil || ast.IsGenerated(f.syntax) || lines <= wantedLines {
			continue
		}
		_, reason := long[f.path]
		delete(idle, f.path)
		if lines > allowedLines || !reason {
			faults = append(faults, fmt.Sprintf("%s: %d lines; cut it (at most %d, with a reason %d)",
				f.path, lines, wantedLines, allowedLines))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(idle)) {
		faults = append(faults, name+": is among the long files, and is not long")
	}
	return faults
}

func TestFileLengthsSeesFaults(t *testing.T) {
	text := func(lines int) string { return "package a\n" + strings.Repeat("\n", lines-1) }
	see(t, func(tr tree) []string {
		return lengthFaults(tr, map[string]string{"a/reason.go": "a reason"})
	}, []sighted{
		{name: "allowed", files: map[string]string{
			"a/a.go": text(500), "a/reason.go": text(800), "a/made.go": "// Code generated by a test. DO NOT EDIT.\n" + text(900),
			"a/testdata/a.go": text(900), "a.md": text(900),
		}},
		{name: "too long", files: map[string]string{"a/a.go": text(501), "a/reason.go": text(801)}, want: []string{
			"a/a.go: 501 lines; cut it (at most 500, with a reason 800)",
			"a/reason.go: 801 lines; cut it (at most 500, with a reason 800)",
		}},
		{
			name:  "a reason for nothing",
			files: map[string]string{"a/reason.go": text(10)},
			want:  []string{"a/reason.go: is among the long files, and is not long"},
		},
	})
}
