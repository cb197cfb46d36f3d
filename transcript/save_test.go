package transcript_test

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// TestSave saves what a log has and reads it back: numbers, times and fields of
// a newer version are as they were, and the log goes on.
func TestSave(t *testing.T) {
	from := filepath.Join(t.TempDir(), transcript.FileName)
	const newer = `{"v":1,"seq":2,"ts":"2026-03-01T12:00:00.25Z","type":"warning","agent":"a_1","data":{"code":"c","text":"x","later":true}}`
	text := `{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":"run.started","data":{"run_id":"r","task":"t","model_kind":"real"}}` +
		"\n" + newer + "\n" + `{"v":1,"seq":3,"ts":"2026-03-01T12:00:01Z","type":"of.tomorrow","data":{"a":[1]}}` + "\n"
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	records := transcript.ReadFile(t.Context(), from, transcript.ReadOptions{})
	dir := filepath.Join(t.TempDir(), "a", "run")
	if err := transcript.Save(dir, records); err != nil {
		t.Fatal(err)
	}
	var want, got []event.Record
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, rec)
	}
	for rec, err := range transcript.ReadFile(t.Context(), filepath.Join(dir, transcript.FileName), transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rec)
	}
	if diff := cmp.Diff(want, got); diff != "" || string(got[1].Raw) != newer {
		t.Errorf("records (-saved +read):\n%s", diff)
	}
	log, err := transcript.Open(dir, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := log.Append("", 0, event.RunSuspended{Cause: "interrupt"})
	if err != nil || rec.Seq != 4 {
		t.Errorf("the next record has seq %d, %v", rec.Seq, err)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if err := transcript.Save(dir, records); !errors.Is(err, transcript.ErrExists) {
		t.Errorf("saved a second time: %v", err)
	}
}

// TestSaveAllOrNothing saves what cannot be saved and looks for what is left.
func TestSaveAllOrNothing(t *testing.T) {
	torn := errors.New("no more")
	head := event.Record{V: 1, Seq: 1, Data: event.RunStarted{RunID: "r"}}
	for name, records := range map[string]iter.Seq2[event.Record, error]{
		"none":     func(func(event.Record, error) bool) {},
		"an error": func(yield func(event.Record, error) bool) { _ = yield(head, nil) && yield(event.Record{}, torn) },
		"a gap": func(yield func(event.Record, error) bool) {
			gap := head
			gap.Seq = 3
			_ = yield(head, nil) && yield(gap, nil)
		},
		"no data": func(yield func(event.Record, error) bool) { yield(event.Record{V: 1, Seq: 1}, nil) },
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := transcript.Save(dir, records); err == nil || name == "an error" && !errors.Is(err, torn) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
}
