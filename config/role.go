package config

import (
	"fmt"
	"slices"
	"strings"
)

// definition is a role and where it was defined.
type definition struct {
	role Role
	src  *source
	at   position
	keys value // the mapping with its keys
}

// place returns where a key of the role stands, or else the role itself.
func (d definition) place(key string) position {
	if d.keys.node != nil {
		for _, e := range d.keys.entries {
			if e.key == key {
				return e.node.pos
			}
		}
	}
	return d.at
}

// roles reads the roles of the team file.
func roles() kind[[]Role] {
	one := object(roleTable())
	entry := schema{"anyOf": []any{schema{"type": "string", "pattern": `\.md$`, "description": "A role file."}, one.schema}}
	s := schema{"type": "object", "patternProperties": schema{"^x-": schema{}}, "additionalProperties": entry}
	return kind[[]Role]{want: "a mapping", schema: s, read: func(r *reader, v value) ([]Role, bool) {
		if v.kind != mappingNode {
			hint := "write the id of each role as its key:\nroles:\n  uio:\n    name: UI Operator"
			r.wrong(v, "a mapping from role ids to roles", hint)
			return nil, false
		}
		for _, e := range v.entries {
			if !strings.HasPrefix(e.key, "x-") {
				r.role(v, e, one)
			}
		}
		return nil, false
	}}
}

// role reads one entry of roles.
func (r *reader) role(v value, e entry, one kind[Role]) {
	here := v.at(e)
	r.roles[e.key] = true
	if !r.checkRoleID(e.node.src, e.at, here.path, e.key) || here.broken {
		return
	}
	switch here.kind {
	case nullNode:
		roleTable().empty(r, here, e)
	case textNode:
		if !strings.HasSuffix(here.raw, ".md") {
			r.wrong(here, "a mapping, or the path of a .md file", "write the keys of the role below its id: name:, does:, prompt:")
			return
		}
		if p, ok := r.expand(here, here.raw, everything); ok {
			if src, ok := r.readFile(here, p); ok {
				r.roleFile(src, e.key)
			}
		}
	default:
		role, ok := one.read(r, here)
		if ok {
			role.ID = e.key
			d := definition{role: role, src: e.node.src, at: e.at, keys: here}
			r.checkRemote(&d, false)
			r.define(d)
		}
	}
}

// define adds a role, after its name was made if it has none.
func (r *reader) define(d definition) {
	d.role.Source = Position{File: d.src.name, Line: d.at.line, Column: d.at.column}
	if d.role.Name == "" {
		d.role.Name = titled(d.role.ID)
		if word, ok := isReserved(d.role.Name, reservedNames()); ok {
			d.src.add(Problem{Path: "roles." + d.role.ID, Message: fmt.Sprintf("the name that %s stands for is reserved (%s)", quoteShort(d.role.ID), word), Hint: "choose another id, or add name:"}, d.at, false)
			return
		}
	}
	if d.role.Does == "" {
		d.src.warn(Problem{Path: "roles." + d.role.ID, Message: fmt.Sprintf("role %s does not say what it does", d.role.ID), Hint: "add does: …; the leader chooses by it"}, d.at)
	}
	r.roles[d.role.ID] = true
	r.defined = append(r.defined, d)
}

// checkRoles reports roles that cannot be told apart.
func (r *reader) checkRoles() {
	ids, names, codes := map[string]definition{}, map[string]definition{}, map[string]definition{}
	for _, d := range r.defined {
		if first, twice := ids[foldName(d.role.ID)]; twice {
			r.twice(d, "", fmt.Sprintf("role %s is defined twice", quoteShort(d.role.ID)), first)
			continue
		}
		ids[foldName(d.role.ID)] = d
	}
	for _, d := range r.defined {
		if ids[foldName(d.role.ID)].at != d.at {
			continue
		}
		if first, twice := names[foldName(d.role.Name)]; twice {
			r.twice(d, "name", fmt.Sprintf("the name %s is taken", quoteShort(d.role.Name)), first)
		} else {
			names[foldName(d.role.Name)] = d
		}
		r.checkCode(d, ids, codes)
	}
}

// checkCode reports a code that another role has, or would get by its id.
func (r *reader) checkCode(d definition, ids, codes map[string]definition) {
	if d.role.Code == "" {
		return
	}
	message := fmt.Sprintf("the code %s is taken", quoteShort(d.role.Code))
	if first, twice := codes[d.role.Code]; twice {
		r.twice(d, "code", message, first)
		return
	}
	codes[d.role.Code] = d
	other, same := ids[d.role.Code]
	if same && other.role.ID != d.role.ID && other.role.Code == "" {
		r.twice(d, "code", message, other)
	}
}

// twice reports that something of a role was used before.
func (r *reader) twice(d definition, key, message string, first definition) {
	where := fmt.Sprintf(" (first at line %d)", first.at.line)
	if first.src.name != d.src.name {
		where = fmt.Sprintf(" (first in %s, line %d)", first.src.name, first.at.line)
	}
	path := "roles." + d.role.ID
	if key != "" {
		path += "." + key
	}
	d.src.add(Problem{Path: path, Message: message + where, Hint: "choose another one"}, d.place(key), false)
}

// roleRef is the id of a role; it is checked when all roles are known.
func roleRef() kind[string] {
	k := kind[string]{want: "the id of a role", schema: schema{"type": "string", "minLength": 1}}
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, k.want)
		if !ok {
			return "", false
		}
		r.after(func() {
			if r.roles[s] || slices.Contains(r.known.BuiltinRoles, s) {
				return
			}
			r.missing(v, fmt.Sprintf("%s: unknown role %s", v.path, quoteShort(s)), r.hint(func() string { return r.suggestRole(s) }))
		})
		return s, true
	}
	return k
}

// suggestRole names the role that was meant, or all.
func (r *reader) suggestRole(id string) string {
	for _, d := range r.defined {
		if foldName(d.role.Name) == foldName(id) {
			return fmt.Sprintf("write the id of the role: %s", d.role.ID)
		}
	}
	return suggest(id, "roles", slices.Concat(keysOf(r.roles), r.known.BuiltinRoles))
}

// roleTool is a tool that a role may list.
func roleTool() kind[string] {
	return toolIn(func(k Known) []string { return k.Tools })
}

// leaderTool is a tool that the leader may list.
func leaderTool() kind[string] {
	return toolIn(func(k Known) []string { return k.LeaderTools })
}

// toolIn is a tool out of a list; without a list it is any.
func toolIn(from func(Known) []string) kind[string] {
	k := kind[string]{want: "the name of a tool", schema: schema{"type": "string", "minLength": 1}}
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, k.want)
		if !ok {
			return "", false
		}
		tools := from(r.known)
		if tools == nil || slices.Contains(tools, s) {
			return s, true
		}
		hint := suggest(s, "tools", tools)
		if ours := foreignTools(s); len(ours) > 0 {
			hint = fmt.Sprintf("did you mean %q?", ours[0])
		}
		r.problem(v, fmt.Sprintf("%s: unknown tool %s", v.path, quoteShort(s)), hint)
		return "", false
	}
	return k
}
