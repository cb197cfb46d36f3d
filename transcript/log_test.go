package transcript_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// kinds are the two kinds of logs; what both must do is tested on both. The
// file keeps as little as it can in memory, so that reading back is tested.
var kinds = []struct {
	name string
	make func(t testing.TB, o transcript.Options) *transcript.Log
}{
	{"memory", func(t testing.TB, o transcript.Options) *transcript.Log {
		t.Helper()
		return closing(t, transcript.NewMemory(o))
	}},
	{"file", func(t testing.TB, o transcript.Options) *transcript.Log {
		t.Helper()
		o.TailRecords = 1
		return create(t, t.TempDir(), o)
	}},
}

func forBoth(t *testing.T, test func(t *testing.T, open func(o transcript.Options) *transcript.Log)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			test(t, func(o transcript.Options) *transcript.Log { return k.make(t, o) })
		})
	}
}

func create(t testing.TB, dir string, o transcript.Options) *transcript.Log {
	t.Helper()
	l, err := transcript.Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, l)
}

func reopen(t testing.TB, dir string, o transcript.Options) *transcript.Log {
	t.Helper()
	l, err := transcript.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, l)
}

func closing(t testing.TB, l *transcript.Log) *transcript.Log {
	t.Helper()
	t.Cleanup(func() { l.Close() })
	return l
}

func add(t testing.TB, l *transcript.Log, d event.Data) event.Record {
	t.Helper()
	rec, err := l.Append("uio_1", 1, d)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// fill appends n records whose text is their number.
func fill(t testing.TB, l *transcript.Log, n int) []event.Record {
	t.Helper()
	var recs []event.Record
	for i := range n {
		recs = append(recs, add(t, l, event.Warning{Code: "test", Text: fmt.Sprint(i + 1)}))
	}
	return recs
}

func collect(t testing.TB, seq iter.Seq2[event.Record, error]) []event.Record {
	t.Helper()
	var recs []event.Record
	for rec, err := range seq {
		if err != nil {
			t.Fatalf("after %d records: %v", len(recs), err)
		}
		recs = append(recs, rec)
	}
	return recs
}

// failure is the error that seq ends with.
func failure(seq iter.Seq2[event.Record, error]) (recs []event.Record, err error) {
	for rec, err := range seq {
		if err != nil {
			return recs, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

func same(t testing.TB, what string, got, want []event.Record) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAppendThenRead(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.FixedZone("CST", 8*3600))
		l := open(transcript.Options{Now: func() time.Time { return at }})
		got, err := l.Append("tl", 2, event.Warning{Code: "odd", Text: "<&> 世界"})
		if err != nil {
			t.Fatal(err)
		}
		want := event.Record{
			V: event.Version, Seq: 1, Time: at.UTC(), Agent: "tl", Turn: 2,
			Data: event.Warning{Code: "odd", Text: "<&> 世界"},
		}
		same(t, "returned", []event.Record{got}, []event.Record{want})
		same(t, "read", collect(t, l.Records(0)), []event.Record{want})
		if l.Len() != 1 {
			t.Errorf("Len() = %d, want 1", l.Len())
		}
	})
}

// Reading from every place gives the rest, across pages, in memory and file.
func TestRecordsAfter(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		const n = 700 // some pages, the last one not full
		l := open(transcript.Options{Sync: transcript.SyncOff})
		want := fill(t, l, n)
		for after := int64(-1); after <= n+1; after += 9 {
			next := max(after, 0) + 1
			for _, rec := range collect(t, l.Records(after)) {
				if rec.Seq != next {
					t.Fatalf("after %d: record %d where %d belongs", after, rec.Seq, next)
				}
				next++
			}
			if next != max(after, n)+1 {
				t.Fatalf("after %d: ended before record %d", after, next)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		same(t, "after Close", collect(t, l.Records(0)), want)
	})
}

// Records ends at what was the end when it began, also when the loop appends.
func TestRecordsEndsAtItsBeginning(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		l := open(transcript.Options{})
		fill(t, l, 300)
		n := 0
		for _, err := range l.Records(0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			fill(t, l, 1)
		}
		if n != 300 {
			t.Errorf("got %d records, want 300", n)
		}
	})
}

func TestAppendRefuses(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		nan := 0.0
		nan /= nan
		for _, tt := range []struct {
			name string
			data event.Data
			want string
		}{
			{"live type", event.ModelDelta{Text: "x"}, "live only"},
			{"nil", nil, "<nil> is no data"},
			{"pointer", &event.Warning{}, "*event.Warning is no data of a record"},
			{"not a number", event.RunFinished{Cost: &event.Cost{Amount: nan}}, "NaN"},
			{"year", event.QuestionOpened{Deadline: time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)}, "year 12345"},
			{"bad raw value", event.RunStarted{Team: []byte(`{"a":`)}, "unexpected end of JSON"},
			{"unknown without name", event.Unknown{JSON: []byte(`{}`)}, "without a type"},
			{"unknown that is known", event.Unknown{Name: "warning", JSON: []byte(`{}`)}, "type is known"},
			{"unknown that is a list", event.Unknown{Name: "x.y", JSON: []byte(`[]`)}, "no JSON object"},
			{"unknown without data", event.Unknown{Name: "x.y"}, "no JSON object"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				l := open(transcript.Options{})
				if rec, err := l.Append("", 0, tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Append = %v, %v; want an error with %q", rec, err, tt.want)
				}
				if rec := add(t, l, event.Warning{}); rec.Seq != 1 {
					t.Errorf("the next record has seq %d, want 1", rec.Seq)
				}
			})
		}
	})
}

func TestClose(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		l := open(transcript.Options{})
		fill(t, l, 1)
		for range 2 {
			if err := l.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}
		if _, err := l.Append("", 0, event.Warning{}); !errors.Is(err, transcript.ErrClosed) {
			t.Errorf("Append after Close = %v, want ErrClosed", err)
		}
		l.Live("", 0, event.ToolOutput{})
	})
}

func TestCreateMakesPrivateFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "one")
	l := create(t, dir, transcript.Options{})
	fill(t, l, 1)
	if want := filepath.Join(dir, transcript.FileName); l.Path() != want {
		t.Errorf("Path() = %q, want %q", l.Path(), want)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, l.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s is %o, want %o", path, got, want)
		}
	}
	if got := transcript.NewMemory(transcript.Options{}).Path(); got != "" {
		t.Errorf("Path() in memory = %q, want none", got)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	create(t, dir, transcript.Options{}).Close()
	if _, err := transcript.Create(dir, transcript.Options{}); !errors.Is(err, transcript.ErrExists) {
		t.Errorf("Create again = %v, want ErrExists", err)
	}
	if _, err := transcript.Create(t.TempDir(), transcript.Options{Sync: "sometimes"}); err == nil {
		t.Error("Create takes an unknown sync mode")
	}
}

func TestOpenGoesOn(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{})
	want := fill(t, l, 300)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = reopen(t, dir, transcript.Options{TailRecords: 1})
	if l.Dropped() != 0 {
		t.Errorf("Dropped() = %d, want 0", l.Dropped())
	}
	want = append(want, fill(t, l, 200)...)
	same(t, "records", collect(t, l.Records(0)), want)
	for i, rec := range want {
		if rec.Seq != int64(i+1) {
			t.Fatalf("record %d has seq %d", i+1, rec.Seq)
		}
	}
}

func TestOpenWithoutLog(t *testing.T) {
	if _, err := transcript.Open(t.TempDir(), transcript.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open = %v, want os.ErrNotExist", err)
	}
}

// A log in a file keeps a bounded number of records in memory, also when it is
// opened again.
func TestTailIsBounded(t *testing.T) {
	const page = 128
	for _, tt := range []struct{ tail, want int }{{500, 500}, {0, 1024}} {
		o, dir := unforced, t.TempDir()
		o.TailRecords = tt.tail
		l := create(t, dir, o)
		check := func(what string, l *transcript.Log) {
			t.Helper()
			if got := l.InMemory(); got < tt.want || got >= tt.want+page {
				t.Errorf("TailRecords %d, %s: %d of %d records in memory, want %d or a few more", tt.tail, what, got, l.Len(), tt.want)
			}
		}
		fill(t, l, 6000)
		check("written", l)
		l.Close()
		check("opened", reopen(t, dir, o))
	}
}

// When records are large, about 32 MiB of them stay in memory.
func TestTailIsBoundedInBytes(t *testing.T) {
	for size, want := range map[int64]int64{200 << 10: 32 << 20, 5 << 20: 32 << 20, 64 << 20: 64 << 20} {
		got := int64(transcript.TailKeeps(1000, size, 4096)) * size
		if page := 1<<20 + size; got < want-page || got > want+page {
			t.Errorf("of records of %d KiB, %d KiB are in memory, want about %d", size>>10, got>>10, want>>10)
		}
	}
}
