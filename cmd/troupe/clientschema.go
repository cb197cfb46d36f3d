package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/gateway/client"
)

// clientSchema is the JSON Schema of the messages of the client protocol, in both
// directions, made from the types of package client. It allows more types and
// fields, as readers must.
func clientSchema() ([]byte, error) {
	types := client.Types()
	names := []string{}
	var known []any
	for _, t := range types {
		m, err := client.Decode([]byte(`{"type":"` + string(t) + `"}`))
		if err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		names = append(names, string(t))
		known = append(known, object{
			"if":   object{"properties": object{"type": object{"const": string(t)}}},
			"then": bodySchema(reflect.TypeOf(m.Body)),
		})
	}
	text := object{"type": "string"}
	s := object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "Troupe client protocol",
		"description": fmt.Sprintf("One message of the client protocol, version %d. Readers ignore fields that they do not know, and keep parts of content of an unknown kind. Types: %s.",
			client.Protocol, strings.Join(names, ", ")),
		"type":     "object",
		"required": []string{"type"},
		"properties": object{
			"id": object{"type": "string", "maxLength": 128}, "type": text, "role": text, "session_id": text, "trace_id": text, "reply_to": text,
			"seq":       object{"type": "integer", "minimum": 0, "description": "counts the messages of one direction of a session from 1"},
			"content":   object{"type": "array", "items": object{"type": "object", "required": []string{"type"}, "properties": object{"type": text, "text": text, "ref": text}}},
			"timestamp": object{"type": "string", "format": "date-time"},
			"ack":       object{"type": "boolean", "description": "asks the other side for the event ack"},
		},
		"allOf": known,
	}
	out, err := json.MarshalIndent(s, "", "  ")
	return append(out, '\n'), err
}

// bodySchema describes a body. The failure of a tool may be its bare text.
func bodySchema(t reflect.Type) object {
	s := structSchema(t)
	if t == reflect.TypeFor[client.ToolResult]() {
		if p, ok := s["properties"].(object); ok {
			p["error"] = object{"type": []string{"object", "string"}, "properties": object{"message": object{"type": "string"}}}
		}
	}
	if required, ok := s["required"].([]string); ok {
		slices.Sort(required)
	}
	return s
}
