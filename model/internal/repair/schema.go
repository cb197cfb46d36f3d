package repair

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
)

// schema is the part of JSON Schema that the arguments of tools are checked
// against before a repaired text may stand for what the model wrote. A schema
// with other rules fits nothing, so that nothing is guessed.
type schema struct {
	types      []string
	properties map[string]schema
	required   []string
	closed     bool // no other properties
	items      *schema
	enum       [][]byte
	anyOf      []schema
	never      bool // rules that are not understood
}

// hints are keywords that say nothing about which values fit.
var hints = []string{"title", "description", "default", "examples", "$schema", "$id", "$comment", "deprecated", "readOnly", "writeOnly", "format"}

// readSchema reads a schema; an absent one is an object without properties.
func readSchema(text []byte) schema {
	if len(text) == 0 || string(text) == "null" {
		return schema{types: []string{"object"}}
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return schema{never: string(bytes.TrimSpace(text)) != "true"}
	}
	var s schema
	for name, value := range fields {
		s.read(name, value)
	}
	return s
}

func (s *schema) read(name string, value json.RawMessage) {
	var err error
	switch name {
	case "type":
		if len(value) > 0 && value[0] == '"' {
			s.types = []string{""}
			err = json.Unmarshal(value, &s.types[0])
		} else {
			err = json.Unmarshal(value, &s.types)
		}
	case "properties":
		var all map[string]json.RawMessage
		err = json.Unmarshal(value, &all)
		s.properties = make(map[string]schema, len(all))
		for key, one := range all {
			s.properties[key] = readSchema(one)
		}
	case "required":
		err = json.Unmarshal(value, &s.required)
	case "additionalProperties":
		s.closed = string(value) != "true"
		s.never = s.never || string(value) != "true" && string(value) != "false"
	case "items":
		items := readSchema(value)
		s.items = &items
	case "enum":
		var all []json.RawMessage
		err = json.Unmarshal(value, &all)
		for _, one := range all {
			s.enum = append(s.enum, compact(one))
		}
	case "const":
		s.enum = [][]byte{compact(value)}
	case "anyOf", "oneOf":
		var all []json.RawMessage
		err = json.Unmarshal(value, &all)
		for _, one := range all {
			s.anyOf = append(s.anyOf, readSchema(one))
		}
	default:
		s.never = s.never || !slices.Contains(hints, name)
	}
	s.never = s.never || err != nil
}

func compact(value []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}

// fits reports whether a JSON value obeys the schema.
func (s *schema) fits(value []byte) bool {
	value = bytes.TrimSpace(value)
	if s.never || len(value) == 0 {
		return false
	}
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isType(t, value) }) {
		return false
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, func(e []byte) bool { return bytes.Equal(e, compact(value)) }) {
		return false
	}
	if s.anyOf != nil && !slices.ContainsFunc(s.anyOf, func(a schema) bool { return a.fits(value) }) {
		return false
	}
	switch value[0] {
	case '{':
		return s.fitsObject(value)
	case '[':
		return s.fitsItems(value)
	}
	return true
}

func (s *schema) fitsObject(value []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(value, &fields) != nil {
		return false
	}
	for _, name := range s.required {
		if _, ok := fields[name]; !ok {
			return false
		}
	}
	for name, one := range fields {
		p, known := s.properties[name]
		if !known && s.closed || known && !p.fits(one) {
			return false
		}
	}
	return true
}

func (s *schema) fitsItems(value []byte) bool {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return false
	}
	return s.items == nil || !slices.ContainsFunc(items, func(one json.RawMessage) bool { return !s.items.fits(one) })
}

// isType reports whether a JSON value is of the type that schemas call t.
func isType(t string, value []byte) bool {
	switch t {
	case "object":
		return value[0] == '{'
	case "array":
		return value[0] == '['
	case "string":
		return value[0] == '"'
	case "boolean":
		return value[0] == 't' || value[0] == 'f'
	case "null":
		return value[0] == 'n'
	case "number", "integer":
		var f float64
		return json.Unmarshal(value, &f) == nil && value[0] != 'n' && (t == "number" || f == math.Trunc(f))
	}
	return false
}
