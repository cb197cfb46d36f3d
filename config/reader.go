package config

import (
	"fmt"
	"slices"
)

// reader turns nodes into data by the table of keys. It reports what is wrong
// and goes on.
type reader struct {
	rep   *report
	known Known
	disk  files
	// partial says that lines were left out, so that what seems to be missing
	// may be there.
	partial bool
	// foreign says that the keys come from a role file: unknown ones are
	// warnings.
	foreign bool

	params  map[string]Param
	models  map[string]bool   // names that the file defines
	aliases map[string]bool   // names that stand for models
	targets map[string]string // what they stand for

	clientTools map[string]bool // names that rules of permissions may have too
	*collected
}

// collected is what readers of one team share.
type collected struct {
	roles   map[string]bool // ids, of roles with mistakes too
	defined []definition    // in order
	files   map[string]bool // that were read
	folders map[string]bool // that were read for role files
	later   []func()        // checks that need the whole team
}

// newReader returns a reader that has read nothing.
func newReader(rep *report, k Known, f files, partial bool) *reader {
	return &reader{
		rep: rep, known: k, disk: f, partial: partial,
		params: map[string]Param{}, models: map[string]bool{}, aliases: map[string]bool{}, clientTools: map[string]bool{},
		collected: &collected{roles: map[string]bool{}, files: map[string]bool{}, folders: map[string]bool{}},
	}
}

// problem reports a mistake at a value.
func (r *reader) problem(v value, message, hint string) {
	if v.broken {
		return
	}
	v.src.add(Problem{Path: v.path, Message: message, Hint: hint}, v.pos, false)
}

// secret reports a mistake at a value that must not be shown.
func (r *reader) secret(v value, message, hint string) {
	v.src.add(Problem{Path: v.path, Message: message, Hint: hint}, v.pos, true)
}

// wrong reports that a value is of another kind than wanted.
func (r *reader) wrong(v value, want, hint string) {
	if r.partial && v.kind == nullNode {
		return
	}
	r.problem(v, fmt.Sprintf("%s: found %s, wanted %s", v.path, v.found(), want), hint)
}

// missing reports that something a value refers to does not exist, unless it
// may have been left out.
func (r *reader) missing(v value, message, hint string) {
	if !r.partial {
		r.problem(v, message, hint)
	}
}

// hint returns a hint, which is made only if it will be shown.
func (r *reader) hint(of func() string) string {
	if r.rep.full() {
		return ""
	}
	return of()
}

// after keeps a check for when the whole team has been read.
func (r *reader) after(check func()) { r.later = append(r.later, check) }

// provider says whether a provider exists; without a list any does.
func (r *reader) provider(name string) bool {
	return r.known.Providers == nil || slices.Contains(r.known.Providers, name)
}
