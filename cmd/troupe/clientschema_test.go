package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/client"
)

// protocolExamples are the messages in the document, the examples of its source,
// and those that each record makes.
func protocolExamples(t *testing.T) (list []string) {
	t.Helper()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(read("../../docs/protocol.md"), -1) {
		list = append(list, strings.TrimSpace(m[1]))
	}
	if len(list) < 25 {
		t.Fatalf("docs/protocol.md has %d examples", len(list))
	}
	var examples map[string]json.RawMessage
	if err := json.Unmarshal([]byte(read("../../gateway/client/testdata/examples.json")), &examples); err != nil {
		t.Fatal(err)
	}
	for name, text := range examples {
		if name != "note" {
			list = append(list, string(text))
		}
	}
	return append(list, strings.Split(strings.TrimSpace(read("../../gateway/client/testdata/records.jsonl")), "\n")...)
}

// TestClientSchema holds the schema and the code against every example: each is
// valid and understood, and what is understood is written as the schema says.
func TestClientSchema(t *testing.T) {
	text, err := clientSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[client.Type]bool{}
	for _, example := range protocolExamples(t) {
		m, err := client.Decode([]byte(example))
		if err != nil {
			t.Errorf("%s: %v", example, err)
			continue
		}
		if _, unknown := m.Body.(client.Unknown); unknown {
			t.Errorf("%s: the type is not known", example)
		}
		seen[m.Body.Type()] = true
		again, err := m.Encode()
		if err != nil {
			t.Errorf("%s: %v", example, err)
		}
		for _, form := range []string{example, string(again)} {
			var value map[string]any
			if err := json.Unmarshal([]byte(form), &value); err != nil {
				t.Fatal(err)
			}
			for _, fault := range faults(schema, value, "") {
				t.Errorf("%s: %s", form, fault)
			}
		}
	}
	for _, typ := range client.Types() {
		if !seen[typ] {
			t.Errorf("no example shows %s", typ)
		}
	}
	for _, bad := range []string{`{}`, `{"type":1}`, `{"type":"request"}`, `{"type":"event"}`, `{"type":"tool.call"}`, `{"type":"hello","protocol":"one"}`, `{"type":"fragment","of":1,"index":0,"count":1,"data":""}`} {
		var value map[string]any
		if err := json.Unmarshal([]byte(bad), &value); err != nil {
			t.Fatal(err)
		}
		if len(faults(schema, value, "")) == 0 {
			t.Errorf("%s is valid", bad)
		}
	}
}
