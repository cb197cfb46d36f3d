package tools

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// appendSchema appends the JSON form of a schema, as the library does. What most
// schemas of arguments consist of it writes at once: the tables that the library
// needs at its first use are a good part of what a small run takes.
func appendSchema(dst []byte, s *jsonschema.Schema) ([]byte, error) {
	if s.Not != nil && reflect.DeepEqual(s, &jsonschema.Schema{Not: &jsonschema.Schema{}}) {
		return append(dst, "false"...), nil
	}
	if !plainSchema(s) {
		text, err := json.Marshal(s)
		return append(dst, text...), err
	}
	var err error
	member := func(name string, value any, given bool) {
		if err == nil && given {
			dst = append(append(dst, name...), ':')
			dst, err = appendjson.Value(dst, value)
			dst = append(dst, ',')
		}
	}
	child := func(name string, s *jsonschema.Schema) {
		if err == nil && s != nil {
			dst = append(append(dst, name...), ':')
			dst, err = appendSchema(dst, s)
			dst = append(dst, ',')
		}
	}
	dst = append(dst, '{')
	member(`"type"`, s.Type, true)
	if s.Properties != nil {
		dst = append(dst, `"properties":{`...)
		for _, name := range s.PropertyOrder {
			child(string(appendjson.String(nil, name)), s.Properties[name])
		}
		dst = append(closed(dst, '}'), ',')
	}
	child(`"items"`, s.Items)
	member(`"description"`, s.Description, s.Description != "")
	member(`"enum"`, s.Enum, len(s.Enum) > 0)
	member(`"required"`, s.Required, len(s.Required) > 0)
	child(`"additionalProperties"`, s.AdditionalProperties)
	return closed(dst, '}'), err
}

// closed puts the end of an object in the place of the last comma, if there is one.
func closed(dst []byte, end byte) []byte {
	if n := len(dst) - 1; dst[n] == ',' {
		dst = dst[:n]
	}
	return append(dst, end)
}

// plainSchema reports whether a schema has a type, and nothing that
// [appendSchema] does not know.
func plainSchema(s *jsonschema.Schema) bool {
	rest := *s
	rest.Type, rest.Description, rest.Enum, rest.Items = "", "", nil, nil
	rest.Properties, rest.PropertyOrder, rest.Required, rest.AdditionalProperties = nil, nil, nil, nil
	unknown := func(name string) bool { return s.Properties[name] == nil }
	return s.Type != "" && reflect.ValueOf(rest).IsZero() &&
		len(s.PropertyOrder) == len(s.Properties) && !slices.ContainsFunc(s.PropertyOrder, unknown)
}
