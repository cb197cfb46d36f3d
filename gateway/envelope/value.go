package envelope

import (
	"encoding/json"
	"strings"
)

// maxShown is how many bytes of a value a remark shows.
const maxShown = 40

// names are those of one object. Most objects have few.
type names struct {
	few  []string
	many map[string]struct{}
}

// add reports whether the name is new.
func (n *names) add(name string) bool {
	const few = 8
	if n.many == nil {
		for _, known := range n.few {
			if known == name {
				return false
			}
		}
		if n.few = append(n.few, name); len(n.few) <= few {
			return true
		}
		n.many = make(map[string]struct{}, 2*few)
		for _, known := range n.few {
			n.many[known] = struct{}{}
		}
		return true
	}
	before := len(n.many)
	n.many[name] = struct{}{}
	return len(n.many) > before
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
