package config

import (
	"fmt"
	"maps"
	"strings"

	"github.com/troupe-go/troupe/internal/nearest"
)

// table lists the keys of a mapping that is read into a T.
type table[T any] struct {
	noun   string // what the mapping describes: "a role"
	fields []field[T]
}

// field is one key of a table.
type field[T any] struct {
	name, doc string
	schema    schema
	required  bool
	// later marks keys of the format that this version does not honour.
	later bool
	// aka are words that people write instead.
	aka  []string
	read func(*reader, value, *T)
}

// key is a field whose value is kept where set points.
func key[T, V any](name, doc string, of kind[V], set func(*T) *V) field[T] {
	return field[T]{name: name, doc: doc, schema: of.schema, read: func(r *reader, v value, to *T) {
		if got, ok := of.read(r, v); ok {
			*set(to) = got
		}
	}}
}

// must makes a field a required one.
func (f field[T]) must() field[T] {
	f.required = true
	return f
}

// or adds words that people write instead of the name of the field.
func (f field[T]) or(aka ...string) field[T] {
	f.aka = aka
	return f
}

// later is a key that this version does not honour.
func later[T any](name string) field[T] { return field[T]{name: name, later: true} }

// object is a mapping with the keys of a table.
func object[T any](t table[T]) kind[T] {
	return kind[T]{want: t.noun, schema: t.jsonSchema(), read: func(r *reader, v value) (T, bool) {
		var out T
		if v.kind != mappingNode {
			r.wrong(v, "a mapping ("+t.example()+")", "")
			return out, false
		}
		t.readInto(r, v, &out)
		return out, true
	}}
}

// readInto reads the keys of a mapping in the order of the table.
func (t table[T]) readInto(r *reader, v value, out *T) {
	given := make(map[string]entry, len(v.entries))
	for _, e := range v.entries {
		given[e.key] = e
		if strings.HasPrefix(e.key, "x-") {
			continue
		}
		if f, ok := t.field(e.key); !ok || f.later {
			t.unknown(r, v, e, f.later)
		}
	}
	for _, f := range t.fields {
		e, ok := given[f.name]
		switch {
		case !ok && f.required:
			r.missing(v, fmt.Sprintf("%s has no %q", t.noun, f.name), fmt.Sprintf("add %s: …", f.name))
		case !ok || f.later:
		case e.node.kind == nullNode:
			t.empty(r, v.at(e), e)
		default:
			f.read(r, v.at(e), out)
		}
	}
}

// maxAliased is how many values of a key may come from aliases.
const maxAliased = 10_000

// refuseBombs reports keys whose value grows too large when its aliases are
// followed, and empties them.
func (t table[T]) refuseBombs(v value) {
	for i, e := range v.entries {
		grown := e.node.aliased
		if e.alias {
			grown = e.node.size
		}
		if _, read := t.field(e.key); !read || grown <= maxAliased {
			continue
		}
		e.node.src.add(Problem{Path: join(v.path, e.key), Message: "too many alias expansions; the file is refused", Hint: "write the values out"}, e.use, false)
		v.entries[i].node = &node{kind: nullNode, src: e.node.src, pos: e.use, broken: true}
	}
}

// empty reports a key without a value.
func (t table[T]) empty(r *reader, v value, e entry) {
	if v.broken || r.partial || r.foreign {
		return
	}
	e.node.src.add(Problem{Path: v.path, Message: v.path + " has no value", Hint: "give it one, or remove the key"}, e.at, false)
}

// unknown reports a key that is not in the table.
func (t table[T]) unknown(r *reader, v value, e entry, later bool) {
	p := Problem{Path: join(v.path, e.key)}
	switch {
	case later:
		p.Message = fmt.Sprintf("key %s cannot be used here", quoteShort(e.key))
		p.Hint = "not supported by this version"
	default:
		p.Message = fmt.Sprintf("%s has no key %s", t.noun, quoteShort(e.key))
		p.Hint = r.hint(func() string { return t.suggest(e.key) })
	}
	if r.foreign {
		p.Message = fmt.Sprintf("key %s of the role file is not used", quoteShort(e.key))
		p.Hint = didYouMean(e.key, t.names())
		e.node.src.warn(p, e.at)
		return
	}
	e.node.src.add(p, e.at, false)
}

// field returns the field of a name.
func (t table[T]) field(name string) (field[T], bool) {
	for _, f := range t.fields {
		if f.name == name {
			return f, true
		}
	}
	return field[T]{}, false
}

// suggest returns a hint for an unknown key.
func (t table[T]) suggest(key string) string {
	for _, f := range t.fields {
		for _, aka := range f.aka {
			if nearest.Fold(aka) == nearest.Fold(key) {
				return fmt.Sprintf("did you mean %q?", f.name)
			}
		}
	}
	return suggest(key, "keys", t.names())
}

// names returns the keys that this version honours.
func (t table[T]) names() []string {
	var names []string
	for _, f := range t.fields {
		if !f.later {
			names = append(names, f.name)
		}
	}
	return names
}

// example names the first keys of the table.
func (t table[T]) example() string {
	names := t.names()
	return strings.Join(names[:min(3, len(names))], ":, ") + ": …"
}

// jsonSchema makes the schema of the mapping.
func (t table[T]) jsonSchema() schema {
	properties := schema{}
	var required []string
	for _, f := range t.fields {
		if f.later {
			continue
		}
		property := schema{}
		maps.Copy(property, f.schema)
		property["description"] = f.doc
		properties[f.name] = property
		if f.required {
			required = append(required, f.name)
		}
	}
	out := schema{
		"type":                 "object",
		"properties":           properties,
		"patternProperties":    schema{"^x-": schema{}},
		"additionalProperties": false,
	}
	if required != nil {
		out["required"] = required
	}
	return out
}
