package event_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

// TestOldLogs reads a log of each version that was ever written, and writes it
// again byte for byte. The lines of a file never change once its version was
// released; types that are new are put at the end of the newest one.
func TestOldLogs(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join("testdata", "logs", "v*.jsonl"))
	if err != nil || len(logs) < event.Version {
		t.Fatalf("there are logs of %d versions (%v), want %d", len(logs), err, event.Version)
	}
	seen := map[event.Type]bool{}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var raw, unknown int
		for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
			rec := decode(t, line)
			if rec.Seq != int64(i)+1 || rec.Time.IsZero() {
				t.Errorf("%s:%d: record %d of %v", name, i+1, rec.Seq, rec.Time)
			}
			if diff := cmp.Diff(string(line), string(encode(t, rec))); diff != "" {
				t.Errorf("%s:%d: read and written (-want +got):\n%s", name, i+1, diff)
			}
			seen[rec.Type()] = true
			if rec.Raw != nil {
				raw++
			}
			if _, ok := rec.Data.(event.Unknown); ok {
				unknown++
			}
		}
		if raw < 3 || unknown < 1 {
			t.Errorf("%s has %d records with unknown fields and %d of an unknown type", name, raw, unknown)
		}
	}
	for _, typ := range types() {
		if !typ.Live() && !seen[typ] {
			t.Errorf("%s has no record of type %s; put one at its end", logs[len(logs)-1], typ)
		}
	}
}
