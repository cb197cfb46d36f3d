package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// object is a piece of a JSON Schema.
type object = map[string]any

// recordSchema is the JSON Schema of one record, made from the types of
// package event. It allows more types and fields than this version writes, as
// readers of a log must.
func recordSchema() ([]byte, error) {
	types := event.Types()
	slices.Sort(types)
	names := []string{}
	var known []any
	for _, t := range types {
		data, err := dataType(t)
		if err != nil {
			return nil, err
		}
		names = append(names, string(t))
		known = append(known, object{
			"if":   object{"properties": object{"type": object{"const": string(t)}}},
			"then": object{"properties": object{"data": schemaOf(data)}},
		})
	}
	text, err := json.MarshalIndent(object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Troupe record",
		"description": "One line of the log of a run. Readers keep types and fields that they do not know. " +
			"Types of this version: " + strings.Join(names, ", ") + ".",
		"type":     "object",
		"required": []string{"v", "seq", "ts", "type", "data"},
		"properties": object{
			"v":     object{"type": "integer", "minimum": 1, "description": "version of the log"},
			"seq":   object{"type": "integer", "minimum": 0, "description": "place in the log, from 1; 0 for a live record, which is never stored"},
			"ts":    object{"type": "string", "format": "date-time"},
			"type":  object{"type": "string"},
			"agent": object{"type": "string", "description": "id of the agent; absent for the run as a whole"},
			"turn":  object{"type": "integer", "minimum": 1},
			"data":  object{"type": "object"},
		},
		"allOf": known,
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(text, '\n'), nil
}

// exportSchema is the JSON Schema of what "troupe runs export --format json"
// writes.
func exportSchema() ([]byte, error) {
	s := structSchema(reflect.TypeFor[exported]())
	properties, ok := s["properties"].(object)
	if !ok {
		return nil, errors.New("schema: the export has no members")
	}
	record, err := recordSchema()
	if err != nil {
		return nil, err
	}
	properties["records"] = object{"type": "array", "items": json.RawMessage(record)}
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Troupe export"
	s["description"] = "A run as one object: what it adds up to, and all its records. Readers keep members that they do not know."
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(text, '\n'), nil
}

// dataType is the Go type of the data of records of type t.
func dataType(t event.Type) (reflect.Type, error) {
	line, err := json.Marshal(object{"v": event.Version, "seq": 1, "ts": time.Time{}, "type": t, "data": object{}})
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var rec event.Record
	if err := json.Unmarshal(line, &rec); err != nil {
		return nil, fmt.Errorf("schema: type %s: %w", t, err)
	}
	return reflect.TypeOf(rec.Data), nil
}

// schemaOf describes the JSON form of a Go type.
func schemaOf(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Struct:
		return structSchema(t)
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	default:
		return object{"type": "integer"}
	}
}

// structSchema describes a struct by the tags of its fields; those that are
// never left out are required.
func structSchema(t reflect.Type) object {
	properties, required := object{}, []string{}
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" { // its members are those of the struct
			inner := structSchema(field.Type)
			if all, ok := inner["properties"].(object); ok {
				maps.Copy(properties, all)
			}
			if must, ok := inner["required"].([]string); ok {
				required = append(required, must...)
			}
			continue
		}
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		properties[name] = schemaOf(field.Type)
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	s := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}
