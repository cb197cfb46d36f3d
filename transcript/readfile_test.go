package transcript_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

func TestReadFileAfter(t *testing.T) {
	text, recs := sample(t, 6)
	path := filepath.Join(write(t, text), transcript.FileName)
	for after := range int64(8) {
		got := collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{After: after}))
		same(t, "records", got, recs[min(after, 6):])
	}
	for _, err := range transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

func TestReadFileFails(t *testing.T) {
	_, err := failure(transcript.ReadFile(t.Context(), filepath.Join(t.TempDir(), "none.jsonl"), transcript.ReadOptions{}))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ReadFile = %v, want os.ErrNotExist", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	text, _ := sample(t, 6)
	path := filepath.Join(write(t, text), transcript.FileName)
	n := 0
	for _, last := range transcript.ReadFile(ctx, path, transcript.ReadOptions{}) {
		if n++; n == 3 {
			cancel(cause)
		}
		err = last
	}
	if !errors.Is(err, cause) || n != 4 {
		t.Errorf("ended with %v after %d steps, want %v after 4", err, n, cause)
	}
}

// A follower of a file sees what another writer appends, in whole lines only,
// also when that writer dies in the middle of a line and another goes on.
func TestReadFileFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, _ := sample(t, 4)
		lines := strings.SplitAfter(string(text), "\n")
		path := filepath.Join(write(t, nil), transcript.FileName)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		var seen []int64
		var end error
		go func() {
			for rec, err := range transcript.ReadFile(ctx, path, transcript.ReadOptions{Follow: true}) {
				if end = err; err == nil {
					seen = append(seen, rec.Seq)
				}
			}
		}()
		step := func(what, text string, want int) {
			t.Helper()
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if len(seen) != want {
				t.Errorf("%s: %d records seen, want %d", what, len(seen), want)
			}
		}
		step("nothing", "", 0)
		step("a line", lines[0], 1)
		step("half a line", lines[1][:20], 1)
		step("the other half", lines[1][20:], 2)
		step("all but the newline", strings.TrimSuffix(lines[2], "\n"), 2)
		step("newline and more", "\n"+lines[3][:9], 3)
		if err := os.Truncate(path, int64(len(lines[0]+lines[1]+lines[2]))); err != nil {
			t.Fatal(err)
		}
		step("torn line dropped, another in its place", lines[3], 4)
		cause := errors.New("enough")
		cancel(cause)
		synctest.Wait()
		if !errors.Is(end, cause) {
			t.Errorf("ended with %v, want %v", end, cause)
		}
	})
}

func TestReadFileFollowDamage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text, _ := sample(t, 4)
		path := filepath.Join(write(t, text), transcript.FileName)
		var end error
		go func() {
			for _, err := range transcript.ReadFile(t.Context(), path, transcript.ReadOptions{Follow: true}) {
				end = err
			}
		}()
		synctest.Wait()
		if err := os.Truncate(path, int64(len(text)/2)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if damage, ok := errors.AsType[*transcript.DamageError](end); !ok || damage.Line != 5 {
			t.Errorf("ended with %v, want damage of line 5", end)
		}
	})
}

// A file that is much larger than the memory allowed can be read.
func TestReadFileNeedsLittleMemory(t *testing.T) {
	const records, result, allowed = 256, 64 << 10, 4 << 20 // 16 MiB in all
	dir := write(t, nil)
	path := filepath.Join(dir, transcript.FileName)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	rec := event.Record{V: 1, Data: event.ToolFinished{Result: strings.Repeat("0123456789abcdef", result/16)}}
	for rec.Seq = 1; rec.Seq <= records; rec.Seq++ {
		line, err := rec.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var n int64
	for _, err := range transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		runtime.ReadMemStats(&now)
		if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > allowed {
			t.Fatalf("at record %d the heap has grown by %d KiB", n, grown>>10)
		}
	}
	if n != records {
		t.Errorf("read %d records, want %d", n, records)
	}
}

func TestHeader(t *testing.T) {
	text, recs := sample(t, 2)
	first, _, _ := strings.Cut(string(text), "\n")
	for _, text := range []string{string(text), first + "\n", first, first + "\ngarbage\n"} {
		head, rec, err := transcript.Header(filepath.Join(write(t, []byte(text)), transcript.FileName))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "record", []event.Record{rec}, recs[:1])
		if head.RunID != started.RunID {
			t.Errorf("run id %q, want %q", head.RunID, started.RunID)
		}
	}
	for text, want := range map[string]string{
		"":             "the log has no records",
		first[:30]:     "the log has no records",
		"garbage\n":    ":1: event: record: invalid character 'g'",
		warning + "\n": ":1: a record of type warning stands where the header belongs",
	} {
		_, _, err := transcript.Header(filepath.Join(write(t, []byte(text)), transcript.FileName))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Header of %q: %v, want %q", text, err, want)
		}
	}
	if _, _, err := transcript.Header(t.TempDir() + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Header = %v, want os.ErrNotExist", err)
	}
}

const warning = `{"v":1,"seq":1,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t"}}`

// A torn last line is told of, once, with its length; a whole one is not.
func TestTornIsTold(t *testing.T) {
	text, recs := sample(t, 3)
	for _, tt := range []struct {
		name string
		text string
		want []int64
	}{
		{"whole", string(text), nil},
		{"without its newline", strings.TrimSuffix(string(text), "\n"), nil},
		{"torn", string(text) + `{"v":1,`, []int64{7}},
	} {
		var told []int64
		path := filepath.Join(write(t, []byte(tt.text)), transcript.FileName)
		o := transcript.ReadOptions{Torn: func(n int64) { told = append(told, n) }}
		same(t, tt.name, collect(t, transcript.ReadFile(t.Context(), path, o)), recs)
		if !slices.Equal(told, tt.want) {
			t.Errorf("%s: told %v, want %v", tt.name, told, tt.want)
		}
	}
}
