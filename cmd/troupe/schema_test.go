package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
)

// TestRecordSchema holds the schema of records against the golden records of
// package event: each is valid, and each fault that is put into one is found.
func TestRecordSchema(t *testing.T) {
	schema := readSchema(t)
	files, err := filepath.Glob("../../event/testdata/records/*.json")
	if err != nil || len(files) < len(event.Types())-1 {
		t.Fatalf("%d golden records for %d types, error %v", len(files), len(event.Types()), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var rec map[string]any
			if err := json.Unmarshal(text, &rec); err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults(schema, rec, "") {
				t.Error(fault)
			}
			rec["data"] = "no object"
			if len(faults(schema, rec, "")) == 0 {
				t.Error("a record whose data is a text is valid")
			}
		})
	}
}

// TestRecordSchemaKnowsEveryType looks for a part of the schema for each type.
func TestRecordSchemaKnowsEveryType(t *testing.T) {
	schema := readSchema(t)
	for _, typ := range event.Types() {
		rec := map[string]any{"v": 1.0, "seq": 1.0, "ts": time.Time{}.Format(time.RFC3339), "type": string(typ)}
		rec["data"] = map[string]any{
			"id": 1.0, "name": 1.0, "text": 1.0, "task": 1.0, "cause": 1.0, "answer": 1.0, "from": 1.0,
			"failure": 1.0, "summary": 1.0, "limit": 1.0, "step": "x", "attempt": "x", "call": 1.0, "path": 1.0, "reason": 1.0, "endpoint": 1.0,
		}
		if len(faults(schema, rec, "")) == 0 {
			t.Errorf("%s: nothing is wrong with numbers in place of texts", typ)
		}
	}
}

func readSchema(t *testing.T) map[string]any {
	t.Helper()
	text, err := recordSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// faults checks a value against the few words of JSON Schema that ours use.
func faults(schema map[string]any, value any, at string) (found []string) {
	if kind, ok := schema["type"]; ok && !isOf(kind, value) {
		return []string{fmt.Sprintf("%s: %v is no %v", at, value, kind)}
	}
	if want, ok := schema["const"]; ok && want != value {
		found = append(found, fmt.Sprintf("%s: %v, want %v", at, value, want))
	}
	object, _ := value.(map[string]any)
	for _, name := range list(schema["required"]) {
		if _, ok := object[name.(string)]; !ok && object != nil {
			found = append(found, fmt.Sprintf("%s: %v is missing", at, name))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, part := range properties {
		if v, ok := object[name]; ok {
			found = append(found, faults(part.(map[string]any), v, at+"."+name)...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		for i, v := range list(value) {
			found = append(found, faults(items, v, fmt.Sprintf("%s[%d]", at, i))...)
		}
	}
	for _, part := range list(schema["allOf"]) {
		part := part.(map[string]any)
		if len(faults(part["if"].(map[string]any), value, at)) == 0 {
			found = append(found, faults(part["then"].(map[string]any), value, at)...)
		}
	}
	return found
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// isOf reports whether value has the type, or one of the types, of that name.
func isOf(kind, value any) bool {
	if kinds, ok := kind.([]any); ok {
		return slices.ContainsFunc(kinds, func(k any) bool { return isOf(k, value) })
	}
	switch v := value.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int64(v))
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}
