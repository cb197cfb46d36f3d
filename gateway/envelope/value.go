package envelope

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
)

// maxShown is how many bytes of a value a remark shows.
const maxShown = 40

// names are those of one object. Most objects have few, which are compared one
// by one; for many there is a table.
type names struct {
	list  []string
	table []entry // by hash; at least half is free, and the length is a power of two
	seed  maphash.Seed
}

// entry is a name in the table.
type entry struct {
	hash uint32
	at   int32 // in the list, from 1; 0 for a free entry
}

// few is how many names need no table.
const few = 8

// add reports whether the name is new.
func (n *names) add(name string) bool {
	if len(n.list) < few {
		if slices.Contains(n.list, name) {
			return false
		}
		n.list = append(n.list, name)
		return true
	}
	if len(n.table) < 2*(len(n.list)+1) {
		n.grow()
	}
	hash := uint32(maphash.String(n.seed, name)) //nolint:gosec // half a hash is a hash
	e := n.find(hash, name)
	if e.at != 0 {
		return false
	}
	n.list = append(n.list, name)
	*e = entry{hash, int32(len(n.list))} //nolint:gosec // a message has fewer members than bytes
	return true
}

// find is the entry of the name, or the free one for it.
func (n *names) find(hash uint32, name string) *entry {
	last := uint32(len(n.table) - 1) //nolint:gosec // as above
	for i := hash & last; ; i = (i + 1) & last {
		e := &n.table[i]
		if e.at == 0 || e.hash == hash && n.list[e.at-1] == name {
			return e
		}
	}
}

// grow makes the table, or one that is four times as long.
func (n *names) grow() {
	old := n.table
	n.table = make([]entry, max(8*few, 4*len(old)))
	n.list = slices.Grow(n.list, len(n.table)/2-len(n.list))
	if old == nil {
		for i, name := range n.list {
			hash := uint32(maphash.String(n.seed, name)) //nolint:gosec // as above
			*n.find(hash, name) = entry{hash, int32(i + 1)}
		}
	}
	last := uint32(len(n.table) - 1) //nolint:gosec // as above
	for _, e := range old {
		if e.at == 0 {
			continue
		}
		i := e.hash & last
		for n.table[i].at != 0 {
			i = (i + 1) & last
		}
		n.table[i] = e
	}
}

// unquote decodes a JSON string that the scanner has read.
func unquote(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw[1 : len(raw)-1]
	}
	var text string
	_ = json.Unmarshal([]byte(raw), &text) // it is a string, or the scanner would have refused it
	return text
}

// kindOf names the kind of the JSON value that raw begins with.
func kindOf(raw string) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// shown is a short value as it is, else its kind.
func shown(raw string) string {
	if c := raw[0]; c == '{' || c == '[' || len(raw) > maxShown {
		return kindOf(raw)
	}
	return raw
}

// compact takes out the white space around the parts of a value that the
// scanner has read. What is compact already is not copied.
func compact(raw string) string {
	var b strings.Builder
	written, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			b.WriteString(raw[written:i])
			written = i + 1
		}
	}
	if written == 0 {
		return raw
	}
	b.WriteString(raw[written:])
	return b.String()
}
