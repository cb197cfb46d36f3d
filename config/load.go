package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Known is what exists outside of the files. The zero value knows nothing and
// checks no names.
type Known struct {
	// Tools are the tools that a role may list, LeaderTools those that the
	// leader may list; nil checks nothing.
	Tools, LeaderTools []string
	// Providers are the providers of models; nil checks nothing.
	Providers []string
	// Models checks a reference provider/model whose provider is known; its
	// error is shown to the person. Nil checks nothing.
	Models func(ref string) error
	// Rule says what is wrong with a rule of permissions, nil if nothing; a nil
	// Rule checks nothing.
	Rule func(rule string) *RuleFault
	// BuiltinRoles are ids of roles that need no definition.
	BuiltinRoles []string
	// LookupEnv returns the value of a variable; nil knows none.
	LookupEnv func(string) (string, bool)
	// Params are values given for parameters.
	Params map[string]string
}

// Load reads and checks the team file at path and the files that it names,
// which lie in its folder or below. The error is an [*Error] with everything
// that is wrong, or that of reading the file.
func Load(path string, k Known) (*Team, error) {
	text, err := readLimited(path)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	dir := filepath.Dir(path)
	team, err := Parse(path, text, os.DirFS(dir), k)
	if err != nil {
		return nil, err
	}
	team.Dir = dir
	return team, nil
}

// readLimited reads a file, at most one byte more than is allowed.
func readLimited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	return text, errors.Join(err, f.Close())
}

// Parse checks the text of a team file. Name is for messages; the files that
// the text names are read from fsys, relative to its root, which may be nil
// when there are none. The error is an [*Error].
func Parse(name string, text []byte, fsys fs.FS, k Known) (*Team, error) {
	rep := &report{}
	team := parseTeam(name, text, fsys, k, rep)
	if err := rep.err(name); err != nil {
		return nil, err
	}
	sortProblems(rep.warnings, name)
	team.Warnings = rep.warnings
	return team, nil
}

// parseTeam reads a team and reports what is wrong with it.
func parseTeam(name string, text []byte, fsys fs.FS, k Known, rep *report) *Team {
	team := &Team{File: name, Dir: filepath.Dir(name), Version: 1}
	src, ok := newSource(name, text, rep)
	if !ok {
		return nil
	}
	root, whole := src.parse()
	switch {
	case root == nil:
		if whole {
			src.add(Problem{Message: "the file is empty (only comments)", Hint: "a small team has model: and roles:"}, position{1, 1}, false)
		}
		return nil
	case root.kind != mappingNode:
		src.add(Problem{Message: "top level must be a mapping (model:, leader:, roles: …), found " + root.found(), Hint: "begin with roles: and write each role below it"}, root.pos, false)
		return nil
	}
	r := newReader(rep, k, files{fsys: fsys, base: filepath.Dir(name)}, !whole)
	r.team(value{node: root}, team)
	return team
}

// team reads a team file and the role files that belong to it.
func (r *reader) team(root value, team *Team) {
	t := teamTable()
	t.refuseBombs(root)
	t.readInto(r, root, team)
	r.defaultFolder()
	r.checkParams(root.src, root.place("params"))
	for _, check := range r.later {
		check()
	}
	r.checkRoles()
	if len(r.defined) == 0 && len(r.roles) == 0 && !r.partial && !root.holds("roles") {
		root.src.add(Problem{Path: "roles", Message: "the team has no roles", Hint: "add roles: with at least one role, or role files in the folder roles"}, root.place("roles"), false)
	}
	for _, d := range r.defined {
		team.Roles = append(team.Roles, d.role)
	}
}

// defaultFolder reads the folder roles, if there is one.
func (r *reader) defaultFolder() {
	const folder = "roles"
	if r.folders[folder] {
		return
	}
	err := r.readRoles(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s := &source{name: r.disk.name(folder), rep: r.rep}
		s.add(Problem{Message: "the folder cannot be read", Hint: "check that it is a folder and may be read"}, position{1, 1}, false)
	}
}
