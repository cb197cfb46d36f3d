package tools

import (
	"encoding/json"
	"strconv"
)

// Inferred returns the schema of a tool that comes with Troupe as inference
// makes it now.
func Inferred(t Tool) json.RawMessage {
	if p, ok := t.(placed); ok {
		t = p.Tool
	}
	if f, ok := t.(interface{ inference() json.RawMessage }); ok {
		return f.inference()
	}
	return nil
}

func (o outline) inference() json.RawMessage { return o.params().schema() }

// Members returns names and values of a valid JSON object.
func Members(object []byte) (names, values []string, err error) {
	list, err := split(object)
	for _, m := range list {
		names, values = append(names, m.name), append(values, string(m.value))
	}
	return names, values, err
}

// AppendSchema is appendSchema.
var AppendSchema = appendSchema

// DescriptionOf is the description in the text of a tool of Troupe.
func DescriptionOf(name, langCode string) string { return textOf(name, lang(langCode)).description }

// List is what a result of n lines shows of them, and how many of them were
// written.
func List(offset, limit, n int) (text string, past bool, written int) {
	l := listing{page: newPage(offset, limit, 3, 5)}
	for i := range n {
		l.add(func() string { written++; return strconv.Itoa(i) })
	}
	return l.text(), l.past(), written
}
