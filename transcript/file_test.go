package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// faulty is a file with faults.
type faulty struct {
	transcript.File
	room     int64         // bytes that fit into the file; 0 is no bound
	quiet    bool          // a write that does not fit is short without an error
	truncate error         // what Truncate fails with
	sync     error         // what Sync fails with
	closing  error         // what Close fails with
	syncs    atomic.Int64  // calls of Sync that ended
	gate     chan struct{} // what each Sync waits for, if not nil
	waiting  atomic.Int64  // calls of Sync that wait or ended
}

func (f *faulty) WriteAt(p []byte, off int64) (int, error) {
	if f.room == 0 || off+int64(len(p)) <= f.room {
		return f.File.WriteAt(p, off)
	}
	n, err := f.File.WriteAt(p[:max(0, f.room-off)], off)
	if err == nil && !f.quiet {
		err = &os.PathError{Op: "write", Path: "log.jsonl", Err: syscall.ENOSPC}
	}
	return n, err
}

func (f *faulty) Truncate(size int64) error {
	if f.truncate != nil {
		return f.truncate
	}
	return f.File.Truncate(size)
}

func (f *faulty) Sync() error {
	f.waiting.Add(1)
	if f.gate != nil {
		<-f.gate
	}
	defer f.syncs.Add(1)
	return f.sync
}

func (f *faulty) Close() error { return errors.Join(f.File.Close(), f.closing) }

// faults makes a log whose file goes through f.
func faults(t testing.TB, o transcript.Options, f *faulty) (l *transcript.Log, dir string) {
	t.Helper()
	dir = t.TempDir()
	return create(t, dir, o.WithFile(func(under transcript.File) transcript.File {
		f.File = under
		return f
	})), dir
}

// At every place where the disk can become full, what was logged stays, the
// log says why it takes no more, and goes on when there is room again.
func TestDiskFull(t *testing.T) {
	o := transcript.Options{Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
	whole := create(t, t.TempDir(), o)
	fill(t, whole, 4)
	text, err := os.ReadFile(whole.Path())
	if err != nil {
		t.Fatal(err)
	}
	for room := 1; room < len(text); room += 5 {
		testDiskFull(t, o, &faulty{room: int64(room)})
		testDiskFull(t, o, &faulty{room: int64(room), quiet: true})
		// What cannot be taken off stays, and is a whole record when only its
		// newline did not fit.
		if text[room] != '\n' {
			testDiskFull(t, o, &faulty{room: int64(room), truncate: errors.New("cannot truncate")})
		}
	}
}

func testDiskFull(t *testing.T, o transcript.Options, f *faulty) {
	t.Helper()
	l, dir := faults(t, o, f)
	var want []event.Record
	var first error
	for i := range 5 {
		rec, err := l.Append("uio_1", 1, event.Warning{Code: "test", Text: fmt.Sprint(i + 1)})
		if err == nil && first == nil {
			want = append(want, rec)
			continue
		}
		if first == nil {
			first = err
		}
		if !errors.Is(err, first) {
			t.Fatalf("room for %d bytes: later error %v, want the first one, %v", f.room, err, first)
		}
	}
	failed, ok := errors.AsType[*transcript.WriteError](first)
	if !ok || failed.Op != "write" || failed.Path != l.Path() || failed.Hint == "" {
		t.Fatalf("room for %d bytes: error %#v, want a *WriteError", f.room, first)
	}
	if !f.quiet && !errors.Is(first, syscall.ENOSPC) {
		t.Errorf("room for %d bytes: error %v, want ENOSPC", f.room, first)
	}
	if l.Len() != int64(len(want)) {
		t.Errorf("room for %d bytes: Len() = %d, want %d", f.room, l.Len(), len(want))
	}
	same(t, "read after the failure", collect(t, l.Records(0)), want)
	same(t, "file after the failure", collect(t, transcript.ReadFile(t.Context(), l.Path(), transcript.ReadOptions{})), want)
	if err := l.Close(); !errors.Is(err, first) {
		t.Errorf("Close = %v, want %v", err, first)
	}
	if err := l.Close(); !errors.Is(err, first) {
		t.Errorf("second Close = %v, want %v", err, first)
	}

	again := reopen(t, dir, o)
	dropped := int64(0) // the log has taken off what was written of the line
	if f.truncate != nil {
		dropped = f.room - fileEnd(t, dir)
	}
	if int64(again.Dropped()) != dropped {
		t.Errorf("room for %d bytes: Dropped() = %d, want %d", f.room, again.Dropped(), dropped)
	}
	want = append(want, fill(t, again, 1)...)
	same(t, "after going on", collect(t, again.Records(0)), want)
}

func fileEnd(t testing.TB, dir string) int64 {
	t.Helper()
	info, err := os.Stat(dir + "/" + transcript.FileName)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestSyncModes(t *testing.T) {
	forced := []event.Data{
		event.RunStarted{},
		event.RunSuspended{},
		event.RunResumed{},
		event.RunFinished{},
		event.RunFailed{},
		event.MessageSent{},
		event.MessageDelivered{},
		event.MessageReturned{},
		event.QuestionOpened{},
		event.QuestionClosed{},
		event.ToolFinished{},
		event.ToolReturned{},
		event.ApprovalRequested{},
		event.ApprovalDecided{},
	}
	others := []event.Data{
		event.AgentCreated{},
		event.AgentState{},
		event.AgentStopping{},
		event.TurnEnded{},
		event.RoleCreated{},
		event.ModelRequested{},
		event.ModelReplied{},
		event.ModelRetried{},
		event.ModelFailed{},
		event.ModelProfile{},
		event.HistoryCompacted{},
		event.ToolStarted{},
		event.ToolHanded{},
		event.ArtifactCreated{},
		event.LimitWarned{},
		event.LimitReached{},
		event.Warning{},
		event.Unknown{Name: "x.y", JSON: []byte("{}")},
	}
	for _, tt := range []struct {
		mode           transcript.SyncMode
		forced, others int64 // syncs per record
		end            int64 // syncs at Close, when a record of others was the last
	}{
		{"", 1, 0, 1},
		{transcript.SyncNormal, 1, 0, 1},
		{transcript.SyncAlways, 1, 1, 0},
		{transcript.SyncOff, 0, 0, 1},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			var f faulty
			l, _ := faults(t, transcript.Options{Sync: tt.mode}, &f)
			check := func(d event.Data, want int64) {
				t.Helper()
				before := f.syncs.Load()
				add(t, l, d)
				if got := f.syncs.Load() - before; got != want {
					t.Errorf("%s made %d syncs, want %d", d.Type(), got, want)
				}
			}
			for _, d := range forced {
				check(d, tt.forced)
			}
			for _, d := range others {
				check(d, tt.others)
			}
			before := f.syncs.Load()
			l.Close()
			if got := f.syncs.Load() - before; got != tt.end {
				t.Errorf("Close made %d syncs, want %d", got, tt.end)
			}
		})
	}
	if got, want := len(forced)+len(others), len(event.Types())-3+1; got != want {
		t.Errorf("tested %d types, want %d: all but the live ones", got, want)
	}
}

// While one sync runs, records go on being appended and read; those that must
// be on the disk share the next sync.
func TestSyncIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const writers = 50
		f := faulty{gate: make(chan struct{})}
		l, _ := faults(t, transcript.Options{}, &f)
		var ended atomic.Int64
		var wg sync.WaitGroup
		message := func() {
			wg.Go(func() {
				if _, err := l.Append("uio_1", 1, event.MessageSent{ID: "m"}); err != nil {
					t.Error(err)
				}
				ended.Add(1)
			})
		}
		message()
		synctest.Wait() // it syncs
		for range writers {
			message()
		}
		synctest.Wait()
		fill(t, l, 10) // needs no sync, so it is not held up
		if got := len(collect(t, l.Records(0))); got != 1+writers+10 {
			t.Errorf("%d records can be read during a sync, want %d", got, 1+writers+10)
		}
		if got := ended.Load(); got != 0 {
			t.Errorf("%d appends ended before their sync", got)
		}
		f.gate <- struct{}{}
		synctest.Wait()
		if got := ended.Load(); got != 1 {
			t.Errorf("%d appends ended with the first sync, want 1", got)
		}
		f.gate <- struct{}{}
		wg.Wait()
		if got := f.syncs.Load(); got != 2 {
			t.Errorf("%d messages made %d syncs, want 2", 1+writers, got)
		}
		fill(t, l, 1)
		close(f.gate)
	})
}

// Close waits for the sync that runs, and those who wait for it get their
// records forced.
func TestCloseDuringSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faulty{gate: make(chan struct{})}
		l, _ := faults(t, transcript.Options{}, &f)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := l.Append("uio_1", 1, event.MessageSent{ID: "m"}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		wg.Go(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(f.gate)
		wg.Wait()
	})
}

// A record that was written is forced, and its Append succeeds, although a
// later one could not be written.
func TestForcedAfterFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faulty{gate: make(chan struct{})}
		l, _ := faults(t, transcript.Options{}, &f)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := l.Append("uio_1", 1, event.MessageSent{ID: "m"}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		f.room = 1
		if _, err := l.Append("uio_1", 1, event.Warning{}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Append = %v, want ENOSPC", err)
		}
		close(f.gate)
		wg.Wait()
		if got := f.syncs.Load(); got != 2 {
			t.Errorf("%d syncs, want 2", got)
		}
	})
}

func TestSyncFails(t *testing.T) {
	broken := errors.New("input/output error")
	f := faulty{}
	l, dir := faults(t, transcript.Options{}, &f)
	want := fill(t, l, 2)
	f.sync = broken
	_, err := l.Append("uio_1", 1, event.MessageSent{ID: "m"})
	if failed, ok := errors.AsType[*transcript.WriteError](err); !ok || failed.Op != "sync" || !errors.Is(err, broken) {
		t.Fatalf("Append = %v, want a *WriteError of the sync", err)
	}
	f.sync = nil // a second sync may succeed without having written anything
	if _, again := l.Append("uio_1", 1, event.Warning{}); !errors.Is(again, err) {
		t.Errorf("the next Append = %v, want the same error", again)
	}
	if got := l.Close(); !errors.Is(got, err) {
		t.Errorf("Close = %v, want the same error", got)
	}
	same(t, "records", collect(t, reopen(t, dir, transcript.Options{}).Records(0))[:2], want)
}

func TestCloseFails(t *testing.T) {
	broken := errors.New("input/output error")
	for _, tt := range []struct {
		op string
		f  *faulty
	}{{"sync", &faulty{sync: broken}}, {"close", &faulty{closing: broken}}} {
		l, dir := faults(t, transcript.Options{Sync: transcript.SyncOff}, tt.f)
		fill(t, l, 1)
		err := l.Close()
		if failed, ok := errors.AsType[*transcript.WriteError](err); !ok || failed.Op != tt.op || !errors.Is(err, broken) {
			t.Errorf("Close = %v, want a *WriteError of %s", err, tt.op)
		}
		reopen(t, dir, transcript.Options{}) // the lock is gone all the same
	}
}

func TestTooLargeRecord(t *testing.T) {
	l := create(t, t.TempDir(), transcript.Options{Sync: transcript.SyncOff, MaxResult: -1})
	want := fill(t, l, 1)
	huge := event.ModelReplied{Text: strings.Repeat("x", 64<<20)}
	if _, err := l.Append("uio_1", 1, huge); !errors.Is(err, transcript.ErrTooLarge) {
		t.Errorf("Append = %v, want ErrTooLarge", err)
	}
	want = append(want, fill(t, l, 1)...)
	same(t, "the log goes on", collect(t, l.Records(0)), want)
}

// Lines that are longer than any buffer, and pages that are full by size.
func TestLargeRecords(t *testing.T) {
	dir := t.TempDir()
	o := transcript.Options{Sync: transcript.SyncOff, TailRecords: 1}
	l := create(t, dir, o)
	var want []event.Record
	for i := range 8 {
		want = append(want, add(t, l, event.ToolFinished{Result: strings.Repeat("x", i*100<<10)}))
		want = append(want, fill(t, l, 1)...)
	}
	same(t, "records", collect(t, l.Records(0)), want)
	l.Close()
	same(t, "opened again", collect(t, reopen(t, dir, o).Records(0)), want)
}

// A file that others changed under the log is an error of the reader.
func TestFileChangedUnderTheLog(t *testing.T) {
	l := create(t, t.TempDir(), transcript.Options{Sync: transcript.SyncOff, TailRecords: 1})
	fill(t, l, 300)
	text, err := os.ReadFile(l.Path())
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(text, '\n') + 1
	for _, tt := range []struct {
		name, text string
		records    int
		want       string
	}{
		{"cut", string(text[:first]), 1, ":2: the file is shorter than it was"},
		{"cut in a line", string(text[:first+5]), 1, ":2: the file is shorter than it was"},
		{"damaged", string(text[:first]) + "x" + string(text[first+1:]), 1, ":2: event: record: invalid character 'x'"},
		{"empty", "", 0, ":1: the file is shorter than it was"},
	} {
		if err := os.WriteFile(l.Path(), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for what, seq := range map[string]iter.Seq2[event.Record, error]{"Records": l.Records(0), "Follow": l.Follow(t.Context(), 0)} {
			got, err := failure(seq)
			if len(got) != tt.records || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: %d records, then %v; want %d, then %q", tt.name, what, len(got), err, tt.records, tt.want)
			}
		}
	}
	if err := os.Remove(l.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := failure(l.Records(0)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed: %v, want os.ErrNotExist", err)
	}
}

// Errors for people say what, where, why and what to do next.
func TestErrorTexts(t *testing.T) {
	broken := errors.New("input/output error")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{
			&transcript.WriteError{Op: "write", Path: "/runs/1/log.jsonl", Err: broken, Hint: "check the disk"},
			"transcript: write /runs/1/log.jsonl: input/output error (check the disk)",
		},
		{
			&transcript.DamageError{Path: "/runs/1/log.jsonl", Line: 7, Err: broken, Hint: "repair it"},
			"transcript: /runs/1/log.jsonl:7: input/output error (repair it)",
		},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if !errors.Is(tt.err, broken) {
			t.Errorf("%v does not wrap its cause", tt.err)
		}
	}
}
