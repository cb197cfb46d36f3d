package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a file, or one warning.
type Problem struct {
	// File, Line and Column say where; they count from 1, columns in characters.
	File         string
	Line, Column int
	// Path is the place in the data, such as roles.uio.tools[1]; empty when
	// the mistake is in the text itself.
	Path string
	// Message says what was found and what is wanted.
	Message string
	// Excerpt is the line with a caret below the place; empty when there is
	// nothing to show. What looks like a key is masked in it.
	Excerpt string
	// Hint is a way out; it may be empty.
	Hint string
}

// String returns the problem as a person reads it: place and message, the
// excerpt and the hint on lines of their own.
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	if p.Hint != "" {
		b.WriteString("\n  hint: " + strings.ReplaceAll(p.Hint, "\n", "\n    "))
	}
	return b.String()
}

// Error is everything that is wrong with a team file and its role files.
type Error struct {
	// Problems are in the order of files and lines; there is at least one.
	Problems []Problem
	// More counts further problems that were left out.
	More int
}

// Error lists all problems.
func (e *Error) Error() string {
	var b strings.Builder
	noun := "mistakes"
	if len(e.Problems)+e.More == 1 {
		noun = "mistake"
	}
	fmt.Fprintf(&b, "config: %d %s", len(e.Problems)+e.More, noun)
	for _, p := range e.Problems {
		b.WriteString("\n\n" + p.String())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n\nand %d more", e.More)
	}
	return b.String()
}

// maxProblems bounds what a person is told at once.
const maxProblems = 100

// report collects what is found while files are read.
type report struct {
	problems, warnings []Problem
	more               int
}

// add keeps a problem; finish is called only on those that are kept. The same
// words about the same place are kept once.
func (r *report) add(p Problem, finish func(Problem) Problem) {
	switch {
	case slices.ContainsFunc(r.problems, p.same):
	case r.full():
		r.more++
	default:
		r.problems = append(r.problems, finish(p))
	}
}

// full says whether further problems are only counted.
func (r *report) full() bool { return len(r.problems) >= maxProblems }

// warn keeps a warning, as add does.
func (r *report) warn(p Problem, finish func(Problem) Problem) {
	if len(r.warnings) < maxProblems && !slices.ContainsFunc(r.warnings, p.same) {
		r.warnings = append(r.warnings, finish(p))
	}
}

// same says whether two problems are the same words about the same place.
func (p Problem) same(q Problem) bool {
	return p.Line == q.Line && p.Column == q.Column && p.Message == q.Message && p.File == q.File
}

// failed says whether a mistake was found.
func (r *report) failed() bool { return len(r.problems) > 0 }

// err returns all problems, those of the team file first.
func (r *report) err(team string) error {
	if !r.failed() {
		return nil
	}
	sortProblems(r.problems, team)
	return &Error{Problems: r.problems, More: r.more}
}

// sortProblems orders by file, the team file first, then by place.
func sortProblems(problems []Problem, team string) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if (a.File == team) != (b.File == team) {
			if a.File == team {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
