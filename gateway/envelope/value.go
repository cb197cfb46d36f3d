package envelope

import (
	"encoding/json"
	"hash/maphash"
	"strings"
)

// maxShown is how many bytes of a value a remark shows.
const maxShown = 40

// names are those of one object. Most objects have few, which are compared one
// by one; for many there is a table. It tells only where in the text a name
// stands: a message may consist of a hundred thousand.
type names struct {
	text  string
	seed  maphash.Seed
	first [few]entry
	count int
	table []entry // by hash, when there are more than few; the length is a power of two
}

// entry is a name.
type entry struct {
	hash uint32
	at   uint32 // the byte behind its first quote, so never 0, which is a free entry
}

// few is how many names need no table.
const few = 8

// add reports whether the name is new whose first quote is at this byte.
func (n *names) add(name string, at int) bool {
	e := entry{uint32(maphash.String(n.seed, name)), uint32(at + 1)} //nolint:gosec // half a hash is a hash, and a message has less than 4 GiB
	if n.count < few {
		for _, known := range n.first[:n.count] {
			if n.same(known, e, name) {
				return false
			}
		}
		n.first[n.count] = e
		n.count++
		return true
	}
	if 3*len(n.table) <= 4*n.count {
		n.grow()
	}
	last := uint32(len(n.table) - 1) //nolint:gosec // as above
	i := e.hash & last
	for ; n.table[i].at != 0; i = (i + 1) & last {
		if n.same(n.table[i], e, name) {
			return false
		}
	}
	n.table[i] = e
	n.count++
	return true
}

// same reports whether a known entry is of the same name as e.
func (n *names) same(known, e entry, name string) bool {
	return known.hash == e.hash && unquote(quoted(n.text[known.at-1:])) == name
}

// grow makes the table, or one that is four times as long.
func (n *names) grow() {
	old := n.table
	if old == nil {
		old = n.first[:]
	}
	n.table = make([]entry, 4*max(2*few, len(old)))
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

// quoted is the JSON string that a text begins with, which the scanner has read.
func quoted(text string) string {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[:i+1]
		}
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
