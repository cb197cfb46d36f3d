package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// names lists what is in a folder; nothing when it is not there.
func names(dir string) []string {
	var list []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// littered makes a run with everything that can stand beside its log.
func littered(t *testing.T, dir string) {
	t.Helper()
	l := create(t, dir, transcript.Options{MaxResult: 10, Sync: transcript.SyncOff})
	add(t, l, started)
	add(t, l, event.ToolFinished{Result: strings.Repeat("x", 100)})
	l.Close()
	text := append(read(t, l.Path()), "bad\n{torn"...)
	if err := os.WriteFile(l.Path(), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := transcript.Repair(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Path(), append(read(t, l.Path()), "{torn"...), 0o600); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir, unforced).Close()
	if got := names(dir); len(got) != 5 {
		t.Fatalf("the folder has %v", got)
	}
}

// All that belongs to a run goes, and nothing else.
func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	littered(t, dir)
	if err := transcript.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder has %v, %v; want no folder", names(dir), err)
	}
	if err := transcript.Remove(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Remove of nothing = %v", err)
	}
	littered(t, dir)
	for _, name := range []string{"notes.md", "files/report.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := transcript.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if got := append(names(dir), names(filepath.Join(dir, "files"))...); !slices.Equal(got, []string{"files", "notes.md", "report.txt"}) {
		t.Errorf("%v is left, want what was somebody else's", got)
	}
}

// A log that is being written stays whole.
func TestRemoveWhileWritten(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, unforced)
	want := fill(t, l, 2)
	if err := transcript.Remove(dir); !errors.Is(err, transcript.ErrLocked) {
		t.Errorf("Remove = %v, want ErrLocked", err)
	}
	same(t, "still there", collect(t, transcript.ReadFile(t.Context(), l.Path(), transcript.ReadOptions{})), want)
}

// Old are the runs of which nothing was logged for long; a file that was only
// touched is looked at.
func TestOld(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	at := func(id string, age, touched time.Duration) *transcript.Log {
		l := create(t, filepath.Join(dir, id), transcript.Options{Sync: transcript.SyncOff, Now: func() time.Time { return now.Add(-age) }})
		add(t, l, event.RunStarted{RunID: id})
		add(t, l, event.RunFinished{})
		if err := os.Chtimes(l.Path(), time.Time{}, now.Add(-touched)); err != nil {
			t.Fatal(err)
		}
		return l
	}
	const day = 24 * time.Hour
	at("fresh", 0, 0).Close()
	at("old", 40*day, 40*day).Close()
	at("older", 50*day, 50*day).Close()
	at("copied", 0, 50*day).Close()
	at("touched", 50*day, 0).Close()
	live := at("live", 50*day, 50*day)
	defer live.Close()
	runs, err := transcript.Old(dir, now.Add(-30*day))
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	if err != nil || !slices.Equal(ids, []string{"old", "older"}) {
		t.Errorf("Old = %v, %v; want old, older", ids, err)
	}
	if runs, err := transcript.Old(filepath.Join(dir, "none"), now); err != nil || len(runs) > 0 {
		t.Errorf("Old of no folder = %v, %v", runs, err)
	}
}
