package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

func (m member) equal(o member) bool { return m.name == o.name && bytes.Equal(m.value, o.value) }

// twiceError is the name of a member that an object has twice.
type twiceError string

func (e twiceError) Error() string { return fmt.Sprintf("tools: %q comes twice", string(e)) }

// split returns the members of a valid JSON object in their order. The values
// are parts of object.
func split(object []byte) ([]member, error) {
	var members []member
	next := func(skip int) { object = trimLeft(object[skip:]) }
	for next(len("{")); object[0] != '}'; {
		n := valueEnd(object)
		name, err := memberName(object[:n])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			return nil, twiceError(name)
		}
		next(n)
		next(len(":"))
		n = valueEnd(object)
		members = append(members, member{name, object[:n]})
		if next(n); object[0] == ',' {
			next(len(","))
		}
	}
	return members, nil
}

// trimLeft takes off what JSON takes for white space.
func trimLeft(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// memberName decodes a JSON string.
func memberName(quoted []byte) (name string, err error) {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	err = json.Unmarshal(quoted, &name)
	return name, err
}

// valueEnd is the length of the value that valid JSON text begins with.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + min(depth, 0) // without the end of what the value is in
			}
		case '"':
			i += stringEnd(text[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// stringEnd is the length of the string that valid JSON text begins with.
func stringEnd(text []byte) int {
	i := 1
	for ; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// isText reports whether a JSON value is a text for sure, and not a blank one
// where that counts.
func isText(value []byte, nonBlank bool) bool {
	if len(value) < 2 || value[0] != '"' {
		return false
	}
	inner := value[1 : len(value)-1]
	return !nonBlank || bytes.IndexByte(inner, '\\') < 0 && len(bytes.TrimSpace(inner)) > 0
}

// join is the inverse of split.
func join(members []member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}
