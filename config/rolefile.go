package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// fileRole is what the front matter of a role file says.
type fileRole struct {
	Role
	declared string // its name, from which id and display name are made
}

// fileTable lists the keys of front matter that are honoured; others are
// warnings.
func fileTable() table[fileRole] {
	steps := limit(integer(1, math.MaxInt32))
	does := func(f *fileRole) *string { return &f.Does }
	maxSteps := func(f *fileRole) *Limit[int] { return &f.MaxSteps }
	return table[fileRole]{"a role file", []field[fileRole]{
		key("name", "", prose(), func(f *fileRole) *string { return &f.declared }),
		key("description", "", prose(), does),
		key("does", "", prose(), does),
		key("code", "", roleCode(), func(f *fileRole) *string { return &f.Code }),
		key("model", "", fileModel(), func(f *fileRole) *string { return &f.Model }),
		key("tools", "", fileTools(), func(f *fileRole) *[]string { return &f.Tools }),
		key("maxTurns", "", steps, maxSteps),
		key("max_steps", "", steps, maxSteps),
		key("max_instances", "", steps, func(f *fileRole) *Limit[int] { return &f.MaxInstances }),
		key("may_ask", "", list(roleRef()), func(f *fileRole) *[]string { return &f.MayAsk }),
		key("workdir", "", workDir(), func(f *fileRole) *string { return &f.WorkDir }),
		key("remote", "", remote(), func(f *fileRole) *Remote { return &f.Remote }),
	}}
}

// roleFile reads a role file: front matter, then the prompt. Without an id,
// the front matter or the name of the file gives one.
func (r *reader) roleFile(src *source, id string) {
	front, body, line := splitFront(src)
	d := definition{src: src, at: position{1, 1}}
	var out fileRole
	if front != nil {
		root := frontMatter(src, front)
		inner := *r
		inner.foreign = true
		d.keys = value{node: root}
		t := fileTable()
		t.refuseBombs(d.keys)
		t.readInto(&inner, d.keys, &out)
	}
	d.role = out.Role
	d.role.Prompt, _ = r.bodyText(src, line, body)
	d.role.ID = id
	if id == "" {
		d.role.ID = cmp.Or(slug(out.declared), slug(strings.TrimSuffix(path.Base(strings.ReplaceAll(src.name, `\`, "/")), ".md")))
		if !r.checkRoleID(src, d.place("name"), "", d.role.ID) {
			return
		}
	}
	if out.declared != "" && !r.nameFromFile(&d, out.declared) {
		return
	}
	r.checkRemote(&d, true)
	r.define(d)
}

// nameFromFile makes the display name of a role from the name in its file:
// code-reviewer becomes Code Reviewer, a name with spaces stays.
func (r *reader) nameFromFile(d *definition, declared string) bool {
	d.role.Name = declared
	if isIdentifier(declared) {
		d.role.Name = titled(declared)
	}
	n := &node{kind: textNode, src: d.src, pos: d.place("name"), raw: declared}
	return r.checkName(value{node: n, path: "name"}, d.role.Name)
}

// roleFolder is a folder with role files.
func roleFolder() kind[string] {
	k := text()
	read := k.read
	k.read = func(r *reader, v value) (string, bool) {
		p, ok := read(r, v)
		if !ok {
			return "", false
		}
		dir, ok := r.relative(v, p)
		if !ok || r.folders[dir] {
			return dir, ok
		}
		switch err := r.readRoles(dir); {
		case errors.Is(err, fs.ErrNotExist):
			r.problem(v, fmt.Sprintf("%s: folder %s does not exist", v.path, quoteShort(v.raw)), "paths start from the folder of the team file")
		case err != nil:
			r.problem(v, fmt.Sprintf("%s: folder %s cannot be read", v.path, quoteShort(v.raw)), "check that it is a folder and may be read")
		}
		return dir, true
	}
	return k
}

// readRoles reads all role files of a folder that were not read yet. Files
// without front matter are left out with a warning.
func (r *reader) readRoles(dir string) error {
	r.folders[dir] = true
	entries, err := r.disk.readDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		if e.IsDir() || path.Ext(rel) != ".md" || r.files[rel] {
			continue
		}
		r.files[rel] = true
		data, err := r.disk.open(rel)
		if err != nil {
			s := &source{name: r.disk.name(rel), rep: r.rep}
			s.add(Problem{Message: "the file cannot be read", Hint: "check that it is a file and may be read"}, position{1, 1}, false)
			continue
		}
		src, ok := newSource(r.disk.name(rel), data, r.rep)
		if !ok {
			continue
		}
		if front, _, _ := splitFront(src); front == nil {
			src.warn(Problem{Message: "the file has no front matter; it is not read as a role", Hint: "begin it with ---, name:, description: and ---"}, position{1, 1})
			continue
		}
		r.roleFile(src, "")
	}
	return nil
}

// fileModel is the model of a role file. One that is not known here is a
// warning: such files often name models of the program they were written for.
func fileModel() kind[string] {
	return kind[string]{want: "a model", read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, "a model")
		if !ok || s == "inherit" {
			return "", false
		}
		if message, _ := r.modelFault(s, s); message != "" {
			v.src.warn(Problem{Path: "model", Message: message + "; the model of the team is used", Hint: "define it under models: or model_aliases: of the team file"}, v.pos)
			return "", false
		}
		return s, true
	}}
}

// fileTools are the tools of a role file: a list, or text with commas. Names
// that other programs use are translated.
func fileTools() kind[[]string] {
	return kind[[]string]{want: "tools", read: func(r *reader, v value) ([]string, bool) {
		var names []string
		at := func(int) value { return v }
		switch v.kind {
		case textNode:
			if v.raw == "*" {
				v.src.warn(Problem{Path: "tools", Message: "all tools are not given to a role", Hint: "list them; the role has the usual ones now"}, v.pos)
				return nil, false
			}
			names = splitTools(v.raw)
		case listNode:
			at = v.item
			for i := range v.items {
				names = append(names, v.items[i].raw)
			}
		default:
			r.wrong(v, "a list of tools", "")
			return nil, false
		}
		out := []string{}
		for i, name := range names {
			for _, tool := range r.translateTool(at(i), name) {
				if !slices.Contains(out, tool) {
					out = append(out, tool)
				}
			}
		}
		return out, true
	}}
}

// splitTools splits at commas outside of parentheses.
func splitTools(s string) []string {
	depth := 0
	return strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth <= 0
	})
}

// translateTool returns our tools for a name in a role file, none with a
// warning if there are none.
func (r *reader) translateTool(v value, name string) []string {
	name = strings.TrimSpace(name)
	known := func(tool string) bool { return r.known.Tools == nil || slices.Contains(r.known.Tools, tool) }
	ours := foreignTools(name)
	if ours == nil && known(name) && (r.known.Tools != nil || isWord(name)) {
		return []string{name}
	}
	ours = slices.DeleteFunc(ours, func(tool string) bool { return !known(tool) })
	if len(ours) == 0 && name != "" {
		v.src.warn(Problem{Path: "tools", Message: fmt.Sprintf("tool %s of the role file is not there", quoteShort(name)), Hint: cmp.Or(didYouMean(name, r.known.Tools), "the role goes without it")}, v.pos)
	}
	return ours
}

// foreignTools returns the tools that do what a tool of another program does.
func foreignTools(name string) []string {
	switch name {
	case "Read":
		return []string{"read_file"}
	case "Write":
		return []string{"write_file"}
	case "Edit", "MultiEdit":
		return []string{"edit_file"}
	case "Grep":
		return []string{"search_files"}
	case "LS":
		return []string{"list_dir"}
	case "Glob":
		return []string{"list_dir", "search_files"}
	case "Bash":
		return []string{"run_command"}
	default:
		return nil
	}
}
