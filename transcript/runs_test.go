package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

var (
	day  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	hour = time.Hour
)

// record makes a run with the given records behind the header; each record is
// a minute later than the one before it.
func record(t testing.TB, dir, id string, at time.Time, more ...event.Data) *transcript.Log {
	t.Helper()
	o := transcript.Options{Sync: transcript.SyncOff, Now: func() time.Time {
		defer func() { at = at.Add(time.Minute) }()
		return at
	}}
	l := create(t, filepath.Join(dir, id), o)
	add(t, l, event.RunStarted{RunID: id, TeamName: "signup", Task: "task of " + id})
	for _, d := range more {
		add(t, l, d)
	}
	return l
}

// runsDir has runs in every state.
func runsDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	record(t, dir, "01FINISHED", day, event.Warning{}, event.RunFinished{Answer: strings.Repeat("long ", 100_000)}, event.AgentState{}).Close()
	record(t, dir, "01FAILED", day.Add(2*hour), event.RunFailed{}).Close()
	record(t, dir, "01SUSPENDED", day.Add(4*hour), event.RunFinished{}, event.RunResumed{}, event.RunSuspended{}).Close()
	record(t, dir, "02CRASHED", day.Add(3*hour), event.RunFinished{}, event.RunResumed{}, event.Warning{}).Close()
	record(t, dir, "02RUNNING", day.Add(5*hour), event.Warning{})

	create(t, filepath.Join(dir, "empty"), transcript.Options{}).Close()
	damaged := filepath.Join(dir, "03DAMAGED")
	last := record(t, dir, "03LAST", day.Add(hour)).Path()
	for path, text := range map[string]string{
		filepath.Join(damaged, transcript.FileName): "garbage\n",
		filepath.Join(dir, "notes.txt"):             "not a run",
		last:                                        string(read(t, last)) + "garbage\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	old := day.Add(-hour)
	if err := os.Chtimes(filepath.Join(damaged, transcript.FileName), old, old); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRuns(t *testing.T) {
	dir := runsDir(t)
	got, err := transcript.Runs(dir)
	if err != nil {
		t.Fatal(err)
	}
	run := func(id, status string, hours, records int) transcript.Run {
		at := day.Add(time.Duration(hours) * hour)
		return transcript.Run{
			ID: id, Dir: filepath.Join(dir, id), Path: filepath.Join(dir, id, transcript.FileName),
			Started: at, Updated: at.Add(time.Duration(records-1) * time.Minute),
			Team: "signup", Task: "task of " + id, Status: status, Records: int64(records),
		}
	}
	damaged := run("03DAMAGED", transcript.StatusDamaged, -1, 1)
	damaged.Team, damaged.Task, damaged.Records = "", "", 0
	want := []transcript.Run{
		run("02RUNNING", transcript.StatusRunning, 5, 2),
		run("01SUSPENDED", transcript.StatusSuspended, 4, 4),
		run("02CRASHED", transcript.StatusInterrupted, 3, 4),
		run("01FAILED", transcript.StatusFailed, 2, 2),
		run("03LAST", transcript.StatusDamaged, 1, 1),
		run("01FINISHED", transcript.StatusFinished, 0, 4),
		damaged,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestRunsOfNothing(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if runs, err := transcript.Runs(dir); err != nil || len(runs) > 0 {
			t.Errorf("Runs = %v, %v; want none", runs, err)
		}
	}
}

// A run whose last line is torn, or lacks only its newline, is listed as if it
// had been opened.
func TestRunWithTornEnd(t *testing.T) {
	dir := t.TempDir()
	path := record(t, dir, "01", day, event.Warning{}, event.RunFinished{}).Path()
	text := read(t, path)
	for cut, want := range map[int]transcript.Run{
		1:  {Status: transcript.StatusFinished, Records: 3},
		2:  {Status: transcript.StatusRunning, Records: 2},
		40: {Status: transcript.StatusRunning, Records: 2},
	} {
		if err := os.Truncate(path, int64(len(text)-cut)); err != nil {
			t.Fatal(err)
		}
		got, err := transcript.Find(dir, "01")
		if err != nil || got.Status != want.Status || got.Records != want.Records {
			t.Errorf("%d bytes cut off: %+v, %v; want %s with %d records", cut, got, err, want.Status, want.Records)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := runsDir(t)
	t.Chdir(dir)
	for ref, want := range map[string]string{
		"last":                         "02RUNNING",
		"last~0":                       "02RUNNING",
		"last~1":                       "01SUSPENDED",
		"last~6":                       "03DAMAGED",
		"01FINISHED":                   "01FINISHED",
		"01fi":                         "01FINISHED",
		"02C":                          "02CRASHED",
		"./02CRASHED":                  "02CRASHED",
		"02CRASHED/":                   "02CRASHED",
		"02CRASHED/log.jsonl":          "02CRASHED",
		filepath.Join(dir, "01FAILED"): "01FAILED",
	} {
		if got, err := transcript.Find(dir, ref); err != nil || got.ID != want {
			t.Errorf("Find(%q) = %q, %v; want %q", ref, got.ID, err, want)
		}
	}
	t.Chdir("01FAILED")
	for _, ref := range []string{".", "log.jsonl"} {
		if got, err := transcript.Find(dir, ref); err != nil || got.ID != "01FAILED" {
			t.Errorf("Find(%q) = %q, %v; want 01FAILED", ref, got.ID, err)
		}
	}
}

func TestFindFails(t *testing.T) {
	dir := runsDir(t)
	newest := "\n  02RUNNING  task of 02RUNNING\n  01SUSPENDED  task of 01SUSPENDED\n  02CRASHED  task of 02CRASHED" +
		"\n  01FAILED  task of 01FAILED\n  03LAST  task of 03LAST\n  and 2 more"
	for _, tt := range []struct {
		dir, ref string
		is       error
		want     string
	}{
		{dir, "01F", transcript.ErrAmbiguous, "\n  01FAILED  task of 01FAILED\n  01FINISHED  task of 01FINISHED"},
		{dir, "99", transcript.ErrNoRun, newest},
		{dir, "", transcript.ErrNoRun, newest},
		{dir, "last~7", transcript.ErrNoRun, newest},
		{dir, "last~x", transcript.ErrNoRun, newest},
		{dir, "./99", transcript.ErrNoRun, "nothing is at that path"},
		{dir, dir, transcript.ErrNoRun, "the folder has no log.jsonl"},
		{dir, filepath.Join(dir, "empty"), transcript.ErrEmpty, "empty"},
		{t.TempDir(), "last", transcript.ErrNoRun, "there are none in"},
	} {
		_, err := transcript.Find(tt.dir, tt.ref)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Find(%q) = %v; want %v with %q", tt.ref, err, tt.is, tt.want)
		}
	}
}

// Errors show the beginning of a task only.
func TestLongTaskIsCut(t *testing.T) {
	dir := t.TempDir()
	l := create(t, filepath.Join(dir, "01"), transcript.Options{})
	add(t, l, event.RunStarted{RunID: "01", Task: strings.Repeat("任务", 20) + "\nsecond line"})
	_, err := transcript.Find(dir, "2")
	if want := "\n  01  " + strings.Repeat("任务", 15) + "…"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want one that ends in %q", err, want)
	}
}
