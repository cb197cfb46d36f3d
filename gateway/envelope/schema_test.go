package envelope_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/troupe-go/troupe/gateway/envelope"
)

// beyondSchema are the faults that a schema has no words for.
var beyondSchema = []envelope.Reason{envelope.SelfAddressed, envelope.DuplicateKey, envelope.MetadataClash, envelope.TooDeep, envelope.LoneSurrogate, envelope.InvalidUTF8}

// agree holds what the schema says of a message against what [envelope.Check] does;
// known is false for a message that is no JSON, or of which a schema can say nothing.
func agree(t *testing.T, schema *jsonschema.Resolved, raw string) (valid, known bool) {
	t.Helper()
	f := envelope.Check([]byte(raw), envelope.Options{})
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil || slices.ContainsFunc(f.Faults, func(r envelope.Remark) bool { return slices.Contains(beyondSchema, r.Reason) }) {
		return false, false
	}
	err := schema.Validate(v)
	if good := !f.Verdict.Refused() && f.Verdict != envelope.Down; good != (err == nil) {
		t.Errorf("%s: verdict %q %v, the schema says %v", raw, f.Verdict, f.Faults, err)
	}
	return err == nil, true
}

// TestSchema holds the schema against the rules: the cases, the examples of the
// document, and each field with each kind of value.
func TestSchema(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(envelope.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases(t) {
		for _, step := range append(c.Sequence, struct{ Raw, Expect, Then string }{Raw: c.Raw}) {
			if step.Raw != "" {
				agree(t, schema, step.Raw)
			}
		}
	}
	page, err := os.ReadFile("../../docs/envelope.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, m := range regexp.MustCompile(`(?s)\{"msg_id".*?\}\n`).FindAllString(string(page), -1) {
		if valid, known := agree(t, schema, m); valid && known {
			shown++
		}
	}
	if shown == 0 {
		t.Error("no example of docs/envelope.md is a message")
	}

	call := `{"name":"read_file","params":{},"request_id":"r-1"}`
	values := []string{
		`""`, `"x"`, `"*"`, `"planner"`, `"task"`, `"tool_call"`, `"result"`, `"Task"`, `"1.0"`, `"1.9"`, `"1.01"`, `"2.0"`, `"1"`, `"-1.0"`, `0`, `-1`, `1.5`, `1790000000000`, `true`, `null`, `[]`, `{}`, `{"a":1}`,
		call, `{"request_id":""}`, `{"request_id":"r-1"}`, `{"request_id":1}`, `{"name":"","params":{},"request_id":"r-1"}`, `{"name":"a","params":[],"request_id":"r-1"}`, `{"name":"a","params":{}}`,
		`{"name":"a","params":{},"request_id":"r-1","proto":"1.2"}`, `{"name":"a","params":{},"request_id":"r-1","proto":"2.0"}`,
	}
	valid, checked := 0, 0
	for _, kind := range []map[string]string{{}, {"type": `"tool_call"`, "payload": call}, {"type": `"result"`, "payload": `{"request_id":"r-1"}`}} {
		for _, field := range []string{"msg_id", "sender", "receiver", "type", "ts", "proto", "payload", "metadata", "further"} {
			for _, value := range values {
				message := maps.Clone(kind)
				message[field] = value
				good, known := agree(t, schema, string(task(t, message)))
				if known {
					checked++
				}
				if good {
					valid++
				}
			}
		}
	}
	if valid < checked/8 || valid > checked*7/8 {
		t.Errorf("%d of %d made messages are valid", valid, checked)
	}
}
