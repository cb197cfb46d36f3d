package foreign_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay/foreign"
)

// FuzzImport imports anything: it never panics, what comes out is a log that
// keeps the rules, and a line that is no JSON object is counted by a warning.
func FuzzImport(f *testing.F) {
	for _, path := range transcripts(f) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 16<<10 {
			f.Add(text, "")
		}
	}
	f.Add([]byte(`{"type":"user","uuid":"a","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x"}]}}`+"\nno\n{}\n"), "claude-code")
	f.Add([]byte(`{"type":"assistant","isSidechain":true,"uuid":"b","parentUuid":"b","message":{"id":"m","content":"a"}}`), "claude-code")
	f.Add([]byte(`[[{"role":"A (-> B)","content":"x"},{"role":"B (-> A)","content":null}]]`), "openai")
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		o := foreign.ImportOptions{Format: foreign.Format(format)}
		records, err := foreign.Import(o, foreign.Source{Name: "fuzz.jsonl", Reader: bytes.NewReader(text)})
		if err != nil {
			return
		}
		for _, fault := range faults(records) {
			t.Error(fault)
		}
		head, ok := records[0].Data.(event.RunStarted)
		if !ok || head.Import == nil {
			t.Fatalf("the header is %+v", records[0].Data)
		}
		if head.Import.Format == string(foreign.FormatClaudeCode) {
			checkBadLines(t, text, records)
		}
	})
}

// checkBadLines compares the number of lines that are no objects with what the
// warning says.
func checkBadLines(t *testing.T, text []byte, records []event.Record) {
	t.Helper()
	bad := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		var m map[string]json.RawMessage
		if line = bytes.TrimSpace(line); len(line) > 0 && (json.Unmarshal(line, &m) != nil || m == nil) {
			bad++
		}
	}
	const what = "not imported: a line that is no JSON object, "
	said := 0
	for _, rec := range records {
		if w, ok := rec.Data.(event.Warning); ok && strings.HasPrefix(w.Text, what) {
			if said = 1; !strings.HasPrefix(w.Text, what+"at ") {
				_, err := fmt.Sscanf(strings.TrimPrefix(w.Text, what), "%d times", &said)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if said != bad {
		t.Errorf("%d lines are no objects, the warnings count %d", bad, said)
	}
}
