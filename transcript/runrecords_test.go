package transcript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// TestRunRecords takes what is about the run out of a log, also where a message
// speaks of it, and leaves a torn end out.
func TestRunRecords(t *testing.T) {
	dir := t.TempDir()
	log, err := transcript.Create(dir, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []event.Data{
		event.RunStarted{RunID: "r"},
		event.MessageSent{ID: "m", Content: `{"type":"run.resumed"}`},
		event.ModelReplied{Extra: `{"type":"run.finished"}`},
		event.RunSuspended{Cause: "interrupt"},
		event.RunResumed{Task: "more"},
		event.RunFinished{Answer: "a"},
	} {
		if _, err := log.Append("", 0, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, transcript.FileName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"v":1,"seq":7,"ts":"2026-03-01T12:00:00Z","type":"run.resu`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var got []event.Type
	for rec, err := range transcript.RunRecords(path) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rec.Type())
	}
	want := []event.Type{event.TypeRunStarted, event.TypeRunSuspended, event.TypeRunResumed, event.TypeRunFinished}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, err := range transcript.RunRecords(filepath.Join(dir, "none")) {
		if err == nil {
			t.Error("a file that is not there has records")
		}
	}
}
