package transcript_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// resultOf appends a result and returns it as the log has it.
func resultOf(t testing.TB, l *transcript.Log, text string) event.ToolFinished {
	t.Helper()
	rec := add(t, l, event.ToolFinished{CallID: "c", Name: "n", Result: text, IsError: true, DurationMS: 7})
	d, ok := rec.Data.(event.ToolFinished)
	if !ok {
		t.Fatalf("appended %T", rec.Data)
	}
	return d
}

// A result that is too long is in a file as a whole; the record that Append
// returns, like the one that is read back, has its two ends and names the file.
func TestLongResultStandsBesideTheLog(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{MaxResult: 100, Omitted: func(n int, file string) string { return fmt.Sprintf("<%d of %s>", n, file) }})
	if d := resultOf(t, l, strings.Repeat("x", 100)); d.File != "" || len(d.Result) != 100 {
		t.Errorf("100 bytes became %+v", d)
	}
	whole := strings.Repeat("页", 20) + strings.Repeat("m", 1000) + strings.Repeat("界", 20)
	d := resultOf(t, l, whole)
	path := filepath.Join(dir, filepath.FromSlash(d.File))
	if got := read(t, path); string(got) != whole || d.Bytes != int64(len(whole)) {
		t.Errorf("the file %s has %d bytes, the record says %d, want %d", d.File, len(got), d.Bytes, len(whole))
	}
	head, rest, _ := strings.Cut(d.Result, "\n<")
	note, tail, _ := strings.Cut(rest, ">\n")
	if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) || len(head) < 72 || len(head) > 75 || len(tail) < 25 || len(tail) > 28 ||
		!utf8.ValidString(d.Result) || note != fmt.Sprintf("%d of %s", len(whole)-len(head)-len(tail), d.File) {
		t.Errorf("the record has %q", d.Result)
	}
	if d.CallID != "c" || d.Name != "n" || !d.IsError || d.DurationMS != 7 {
		t.Errorf("the rest of the record became %+v", d)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode(), err, mode)
		}
	}
	if again := resultOf(t, l, whole); again != d {
		t.Errorf("the same result again became %+v, want %+v", again, d)
	}
	l.Close()
	got := collect(t, transcript.ReadFile(t.Context(), l.Path(), transcript.ReadOptions{After: 1}))
	if got[0].Data != event.Data(d) || got[1].Data != event.Data(d) {
		t.Errorf("read back %+v, want %+v", got[0].Data, d)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v; want one file", files, err)
	}
}

// Secrets are out before the file is written.
func TestLongResultIsMasked(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{MaxResult: 60, Mask: transcript.NewMask("secret-value").WithPatterns()})
	d := resultOf(t, l, strings.Repeat("x ", 40)+"secret-value AKIAIOSFODNN7EXAMPLE "+strings.Repeat("y ", 40))
	text := string(read(t, filepath.Join(dir, d.File)))
	if strings.Contains(text, "secret-value") || strings.Contains(text, "AKIA") || !strings.Contains(text, "[masked] [masked: AWS key]") {
		t.Errorf("the file has %s", text)
	}
}

// The usual bound; no bound; and a log in memory, which has no place beside it.
func TestResultsThatStayWhole(t *testing.T) {
	long := strings.Repeat("x", transcript.DefaultMaxResult+1)
	if d := resultOf(t, create(t, t.TempDir(), transcript.Options{}), long); d.File == "" || !strings.Contains(d.Result, "bytes are left out here") {
		t.Errorf("the record has %d bytes and names the file %q", len(d.Result), d.File)
	}
	if d := resultOf(t, create(t, t.TempDir(), transcript.Options{MaxResult: -1}), long); d.Result != long {
		t.Errorf("without a bound the record has %d bytes", len(d.Result))
	}
	if d := resultOf(t, closing(t, transcript.NewMemory(transcript.Options{MaxResult: 10})), long); d.Result != long {
		t.Errorf("in memory the record has %d bytes", len(d.Result))
	}
}

// Many results at once, some the same.
func TestLongResultsSideBySide(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{MaxResult: 10, Sync: transcript.SyncOff})
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			if _, err := l.Append("uio_1", 1, event.ToolFinished{CallID: "c", Result: strings.Repeat(fmt.Sprint(i%4), 100)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if files, err := os.ReadDir(filepath.Join(dir, transcript.FilesName)); err != nil || len(files) != 4 {
		t.Errorf("the folder has %v, %v; want four files", files, err)
	}
}

// When the file cannot be written, nothing is appended and the log takes no
// more: what it would say is not there.
func TestLongResultThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	l := create(t, dir, transcript.Options{MaxResult: 10})
	fill(t, l, 1)
	if err := os.WriteFile(filepath.Join(dir, transcript.FilesName), nil, 0o600); err != nil { // no folder
		t.Fatal(err)
	}
	_, err := l.Append("uio_1", 1, event.ToolFinished{CallID: "c", Result: strings.Repeat("x", 100)})
	failed, ok := errors.AsType[*transcript.WriteError](err)
	if !ok || failed.Op != "write" || !strings.Contains(failed.Path, transcript.FilesName) {
		t.Errorf("Append = %v, want a *WriteError about the file", err)
	}
	if _, later := l.Append("uio_1", 1, event.Warning{}); !errors.Is(later, err) || l.Len() != 1 {
		t.Errorf("a later Append = %v, Len() = %d; want the same error and one record", later, l.Len())
	}
}

// resultFirst is a file of a log that looks for the files that a line names.
type resultFirst struct {
	transcript.File
	dir  string
	seen int
}

func (f *resultFirst) WriteAt(p []byte, off int64) (int, error) {
	if _, rest, ok := strings.Cut(string(p), `"file":"`); ok {
		name, _, _ := strings.Cut(rest, `"`)
		if _, err := os.Stat(filepath.Join(f.dir, name)); err != nil {
			return 0, err
		}
		f.seen++
	}
	return f.File.WriteAt(p, off)
}

// The file is there before the record is written.
func TestLongResultComesFirst(t *testing.T) {
	f := &resultFirst{dir: t.TempDir()}
	l := create(t, f.dir, transcript.Options{MaxResult: 10}.WithFile(func(under transcript.File) transcript.File {
		f.File = under
		return f
	}))
	for i := range 5 {
		resultOf(t, l, strings.Repeat(fmt.Sprint(i), 100))
	}
	if f.seen != 5 {
		t.Errorf("%d lines named a file, want 5", f.seen)
	}
}
