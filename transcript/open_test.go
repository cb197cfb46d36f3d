package transcript_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// write makes a folder whose log has the given text.
func write(t testing.TB, text []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, transcript.FileName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// unforced makes a log that never waits for the disk.
var unforced = transcript.Options{Sync: transcript.SyncOff}.WithFile(func(f transcript.File) transcript.File {
	return &faulty{File: f}
})

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// sample returns a log as text, and its n records.
func sample(t testing.TB, n int) ([]byte, []event.Record) {
	t.Helper()
	return sampleOf(t, n, 16)
}

// sampleOf returns the same with texts of that many lines.
func sampleOf(t testing.TB, n, lines int) ([]byte, []event.Record) {
	t.Helper()
	l := create(t, t.TempDir(), transcript.Options{Sync: transcript.SyncOff})
	recs := []event.Record{add(t, l, started)}
	for len(recs) < n {
		recs = append(recs, add(t, l, event.MessageSent{ID: "msg_tl_001", Content: strings.Repeat("页面 \"x\"\n{}", lines)}))
	}
	l.Close()
	return read(t, l.Path()), recs
}

var started = event.RunStarted{RunID: "01JNRZ7Q9W", TeamName: "signup", Task: "design a page", ModelKind: event.ModelScripted}

// Cut at any byte, a log opens with all records that are whole, and goes on;
// what is dropped is kept beside it.
func TestCutAtEveryByte(t *testing.T) {
	text, recs := sampleOf(t, 6, 60)
	from := len(text) - 4<<10
	dir := write(t, text)
	path := filepath.Join(dir, transcript.FileName)
	for cut := from; cut <= len(text); cut++ {
		if err := errors.Join(os.Remove(path), os.WriteFile(path, text[:cut], 0o600)); err != nil {
			t.Fatal(err)
		}
		whole := bytes.Count(text[:cut], []byte("\n"))
		end := bytes.LastIndexByte(text[:cut], '\n') + 1
		dropped := cut - end
		if cut < len(text) && text[cut] == '\n' {
			whole, dropped = whole+1, 0 // it lacks nothing but the newline
		}
		read := collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
		l, err := transcript.Open(dir, unforced)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		next := fill(t, l, 1)[0]
		if l.Len() != int64(whole)+1 || next.Seq != l.Len() || len(read) != whole || l.Dropped() != dropped {
			t.Fatalf("cut at %d: opened with %d records, read %d, dropped %d bytes; want %d, %d",
				cut, l.Len()-1, len(read), l.Dropped(), whole, dropped)
		}
		l.Close()
		if cut%16 > 0 && cut < len(text)-10 {
			continue
		}
		got := collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
		if len(got) != whole+1 || got[whole].Data != next.Data {
			t.Fatalf("cut at %d: after going on there are %d records, want %d", cut, len(got), whole+1)
		}
	}
	same(t, "uncut", collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))[:6], recs)
}

// Torn lines are kept, one after the other.
func TestTornLineIsKept(t *testing.T) {
	text, _ := sample(t, 3)
	dir := write(t, append(bytes.Clone(text), `{"v":1,"se`...))
	path := filepath.Join(dir, transcript.FileName)
	l := reopen(t, dir, transcript.Options{})
	if l.Dropped() != 10 {
		t.Errorf("Dropped() = %d, want 10", l.Dropped())
	}
	l.Close()
	if got := read(t, path); !bytes.Equal(got, text) {
		t.Errorf("the log is now %q, want %q", got, text)
	}
	if err := os.WriteFile(path, append(bytes.Clone(text), make([]byte, 5000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := reopen(t, dir, transcript.Options{}); l.Dropped() != 5000 {
		t.Errorf("Dropped() = %d, want 5000", l.Dropped())
	}
	want := `{"v":1,"se` + "\n" + string(make([]byte, 5000)) + "\n"
	if got := read(t, filepath.Join(dir, "log.torn")); string(got) != want {
		t.Errorf("log.torn has %q", got)
	}
}

// Damage that no crash leaves is an error that names the line, and nothing is
// changed.
func TestDamage(t *testing.T) {
	text, _ := sample(t, 5)
	lines := strings.SplitAfter(string(text), "\n")[:5]
	tests := []struct {
		name string
		text string
		line int64
		want string
	}{
		{"flipped byte", lines[0] + lines[1] + strings.Replace(lines[2], `"ts"`, `"t"s`, 1) + lines[3] + lines[4], 3, "invalid character 's'"},
		{"damaged last line", lines[0] + lines[1] + "{}\n", 3, "without a type"},
		{"lost line", lines[0] + lines[2], 2, "record 3 stands where record 2 belongs"},
		{"line twice", lines[0] + lines[1] + lines[1], 3, "record 2 stands where record 3 belongs"},
		{"empty line", lines[0] + lines[1] + "\n" + lines[2], 3, "unexpected end of JSON"},
		{"joined lines", lines[0] + strings.TrimSuffix(lines[1], "\n") + lines[2], 2, "after top-level value"},
		{"live record", lines[0] + `{"v":1,"seq":0,"ts":"2026-03-01T12:00:00Z","type":"model.delta","data":{}}` + "\n", 2, "record 0 stands"},
		{"not a log", "hello\nworld\n", 1, "invalid character 'h'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, []byte(tt.text))
			path := filepath.Join(dir, transcript.FileName)
			_, open := transcript.Open(dir, transcript.Options{})
			recs, read := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
			for _, err := range []error{open, read} {
				damage, ok := errors.AsType[*transcript.DamageError](err)
				if !ok || damage.Path != path || damage.Line != tt.line || damage.Hint == "" || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want a *DamageError of line %d with %q", err, tt.line, tt.want)
				}
			}
			if len(recs) != int(tt.line)-1 {
				t.Errorf("read %d records before line %d", len(recs), tt.line)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != tt.text {
				t.Errorf("the file was changed (%v)", err)
			}
			if _, err := transcript.Open(dir, transcript.Options{}); errors.Is(err, transcript.ErrLocked) {
				t.Error("the lock was left behind")
			}
		})
	}
}

// A byte flipped anywhere is found, and the lines before it are not lost.
func TestFlippedByte(t *testing.T) {
	text, recs := sample(t, 5)
	dir := write(t, text)
	path := filepath.Join(dir, transcript.FileName)
	for i := range text {
		bad := bytes.Clone(text)
		bad[i] ^= 0x10
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		line := bytes.Count(text[:i], []byte("\n"))
		got, err := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
		if damage, ok := errors.AsType[*transcript.DamageError](err); err != nil && (!ok || damage.Line != int64(line+1)) {
			t.Fatalf("byte %d flipped: %v, want damage of line %d or none", i, err, line+1)
		}
		torn := i == len(text)-1 // then the last line ends without a newline
		if err == nil && !torn {
			t.Fatalf("byte %d flipped: %d records and no error", i, len(got))
		}
		for n := range line {
			if got[n].Seq != recs[n].Seq || n > 0 && got[n].Data != recs[n].Data {
				t.Fatalf("byte %d flipped: record %d is %v", i, n+1, got[n])
			}
		}
	}
}

// A line that is too long is damage, or torn when no newline ends it.
func TestLongLine(t *testing.T) {
	const length = 64<<20 + 1
	text, recs := sample(t, 2)
	dir := write(t, text)
	path := filepath.Join(dir, transcript.FileName)
	if err := os.Truncate(path, int64(len(text))+length); err != nil {
		t.Fatal(err)
	}
	l := reopen(t, dir, transcript.Options{})
	if l.Dropped() != length {
		t.Errorf("Dropped() = %d, want %d", l.Dropped(), length)
	}
	same(t, "opened", collect(t, l.Records(0)), recs)
	l.Close()

	long := append(bytes.Repeat([]byte("x"), length), '\n')
	if err := os.WriteFile(path, append(text, long...), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
	if damage, ok := errors.AsType[*transcript.DamageError](err); !ok || damage.Line != 3 {
		t.Errorf("ReadFile = %v, want damage of line 3", err)
	}
	same(t, "read", got, recs)
}

func TestOpenEmptyLog(t *testing.T) {
	for _, text := range []string{"", "{\"v\""} {
		l := reopen(t, write(t, []byte(text)), transcript.Options{})
		if l.Len() != 0 || l.Dropped() != len(text) {
			t.Errorf("%q: Len() = %d, Dropped() = %d", text, l.Len(), l.Dropped())
		}
		if rec := add(t, l, started); rec.Seq != 1 {
			t.Errorf("%q: the first record has seq %d", text, rec.Seq)
		}
	}
}

// A log that a later version went on with is read, and never written.
func TestOpenRefusesALaterVersion(t *testing.T) {
	text, recs := sample(t, 2)
	recs = append(recs, event.Record{V: event.Version + 1, Seq: 3, Data: event.Unknown{Name: "new", JSON: []byte("{}")}})
	line, err := recs[2].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	text = append(append(bytes.Clone(text), line...), '\n')
	dir := write(t, append(bytes.Clone(text), "torn"...))
	if _, err := transcript.Open(dir, transcript.Options{}); !errors.Is(err, transcript.ErrNewer) {
		t.Errorf("Open = %v, want ErrNewer", err)
	}
	path := filepath.Join(dir, transcript.FileName)
	if got := read(t, path); string(got) != string(text)+"torn" {
		t.Errorf("the log was changed: %q", got)
	}
	if got, err := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{})); err != nil || len(got) != 3 {
		t.Errorf("ReadFile = %d records, %v", len(got), err)
	}
}

// Whatever stands behind good lines: they are never lost, and never changed.
func FuzzRecovery(f *testing.F) {
	text, recs := sample(f, 3)
	for _, seed := range []string{
		"", "\n", "\x00\x00\x00", "{", `{"v":1`, "garbage\n", "\n\n", string(text), string(text[:50]),
		`{"v":1,"seq":4,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{}}`,
		`{"v":1,"seq":4,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{}}` + "\n",
		`{"v":1,"seq":4,"ts":"2026-03-01T12:00:00Z","type":"x.y","data":{}}` + "\n{",
		`{"v":1,"seq":4,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{}}` + " \t\r",
	} {
		f.Add([]byte(seed))
	}
	dir := write(f, text)
	path := filepath.Join(dir, transcript.FileName)
	f.Fuzz(func(t *testing.T, more []byte) {
		all := append(bytes.Clone(text), more...)
		if err := errors.Join(os.Remove(path), os.WriteFile(path, all, 0o600)); err != nil {
			t.Fatal(err)
		}
		before, readErr := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
		same(t, "read", before[:len(recs)], recs)

		l, err := transcript.Open(dir, unforced)
		if (err == nil) != (readErr == nil) {
			t.Fatalf("Open: %v, ReadFile: %v", err, readErr)
		}
		if err != nil {
			if _, ok := errors.AsType[*transcript.DamageError](err); !ok {
				t.Fatalf("Open = %v, want a *DamageError", err)
			}
			if !bytes.Equal(read(t, path), all) {
				t.Fatal("a damaged file was changed")
			}
			return
		}
		defer l.Close()
		same(t, "opened", collect(t, l.Records(0)), before)
		want := append(before, fill(t, l, 1)...)
		same(t, "went on", collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{})), want)
	})
}
