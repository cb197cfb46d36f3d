package transcript_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// TestOldLogs reads a log of each version that was ever written: it opens and
// goes on, the lines stay as they are, and a line written anew is the same. The
// logs of package event have the same records without seals.
func TestOldLogs(t *testing.T) {
	logs, err := filepath.Glob(filepath.Join("testdata", "logs", "v*.jsonl"))
	if err != nil || len(logs) < event.Version {
		t.Fatalf("there are logs of %d versions (%v), want %d", len(logs), err, event.Version)
	}
	for _, name := range logs {
		text := read(t, name)
		recs := collect(t, transcript.ReadFile(t.Context(), name, transcript.ReadOptions{}))
		bare := collect(t, transcript.ReadFile(t.Context(), filepath.Join("..", "event", name), transcript.ReadOptions{}))
		same(t, name, recs, bare)
		var again []byte
		for _, rec := range recs {
			line, err := transcript.Line(rec)
			if err != nil {
				t.Fatalf("%s: record %d: %v", name, rec.Seq, err)
			}
			again = append(again, line...)
		}
		if diff := cmp.Diff(string(text), string(again)); diff != "" {
			t.Errorf("%s: read and written (-want +got):\n%s", name, diff)
		}
		dir := write(t, text)
		l := reopen(t, dir, unforced)
		same(t, "opened "+name, collect(t, l.Records(0)), recs)
		fill(t, l, 1)
		l.Close()
		if got := read(t, l.Path()); !bytes.HasPrefix(got, text) || len(got) == len(text) {
			t.Errorf("%s: after going on the log is\n%s", name, got)
		}
	}
}
