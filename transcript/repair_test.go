package transcript_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// repair mends the log in dir and returns what it did and the records after
// it. The log must then open and go on.
func repair(t testing.TB, dir string) (transcript.Repaired, []event.Record) {
	t.Helper()
	done, err := transcript.Repair(dir)
	if err != nil {
		t.Fatal(err)
	}
	recs := collect(t, transcript.ReadFile(t.Context(), done.Path, transcript.ReadOptions{}))
	l := reopen(t, dir, unforced)
	fill(t, l, 1)
	l.Close()
	if _, _, err := transcript.Header(done.Path); err != nil {
		t.Error(err)
	}
	return done, recs
}

// isLost reports whether rec stands for a record that was lost.
func isLost(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.Warning:
		return d.Code == transcript.CodeRecordLost
	case event.RunStarted:
		return d.Program == transcript.CodeRecordLost
	}
	return false
}

// Whatever is wrong in the middle, what is whole is kept with its number, and
// the log as it was is kept too.
func TestRepair(t *testing.T) {
	text, recs := sample(t, 5)
	l := strings.SplitAfter(string(text), "\n")[:5]
	flip := func(line string) string { return strings.Replace(line, `"seq":`, `"seq",`, 1) }
	for _, tt := range []struct {
		name    string
		text    string
		dropped []int64 // lines
		lost    []int64 // numbers
	}{
		{"a flipped byte", l[0] + l[1] + flip(l[2]) + l[3] + l[4], []int64{3}, []int64{3}},
		{"two in a row", l[0] + flip(l[1]) + flip(l[2]) + l[3] + l[4], []int64{2, 3}, []int64{2, 3}},
		{"the header", flip(l[0]) + l[1] + l[2] + l[3] + l[4], []int64{1}, []int64{1}},
		{"no header", l[1] + l[2] + l[3] + l[4], nil, []int64{1}},
		{"the last line", l[0] + l[1] + l[2] + l[3] + flip(l[4]), []int64{5}, nil},
		{"joined lines", l[0] + l[1] + strings.TrimSuffix(l[2], "\n") + l[3] + l[4], []int64{3}, []int64{3, 4}},
		{"a split line", l[0] + l[1] + l[2][:30] + "\n" + l[2][30:] + l[3] + l[4], []int64{3, 4}, []int64{3}},
		{"lost lines", l[0] + l[3] + l[4], nil, []int64{2, 3}},
		{"a line twice", l[0] + l[1] + l[1] + l[2] + l[3] + l[4], []int64{3}, nil},
		{"an old line again", l[0] + l[1] + l[2] + l[3] + l[1] + l[4], []int64{5}, nil},
		{"swapped lines", l[0] + l[2] + l[1] + l[3] + l[4], []int64{2}, []int64{3}},
		{"foreign lines", l[0] + "# hello\n" + l[1] + "\n" + l[2] + "{}\n" + l[3] + l[4], []int64{2, 4, 6}, nil},
		{"a number far ahead", l[0] + l[1] + l[2] + l[3] + `{"v":1,"seq":900000000000,"ts":"2026-03-01T12:00:00Z","type":"warning","data":{"code":"c","text":"t"}}` + "\n", []int64{5}, nil},
		{"damage and a torn line", l[0] + flip(l[1]) + l[2] + l[3] + l[4][:20], []int64{2, 5}, []int64{2}},
		{"damage and no newline at the end", l[0] + flip(l[1]) + l[2] + l[3] + strings.TrimSuffix(l[4], "\n"), []int64{2}, []int64{2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, []byte(tt.text))
			done, got := repair(t, dir)
			var dropped []int64
			for _, d := range done.Dropped {
				dropped = append(dropped, d.Line)
				if d.Err == nil {
					t.Errorf("line %d was dropped for no reason", d.Line)
				}
			}
			if !slices.Equal(dropped, tt.dropped) || !slices.Equal(done.Lost, tt.lost) {
				t.Errorf("dropped %v, lost %v; want %v, %v", dropped, done.Lost, tt.dropped, tt.lost)
			}
			if kept := read(t, done.Damaged); string(kept) != tt.text || filepath.Dir(done.Damaged) != dir {
				t.Errorf("%s has %q, want the log as it was", done.Damaged, kept)
			}
			whole := int64(0)
			for i, rec := range got {
				if isLost(rec) != slices.Contains(done.Lost, int64(i)+1) {
					t.Errorf("record %d is %+v", i+1, rec)
				}
				if !isLost(rec) {
					whole++
					same(t, "kept", []event.Record{rec}, []event.Record{recs[i]})
				}
			}
			if whole != done.Kept {
				t.Errorf("kept %d, says %d", whole, done.Kept)
			}
		})
	}
}

// A log without damage stays as it is; so does one whose last line is torn,
// which opening deals with.
func TestNothingToRepair(t *testing.T) {
	text, _ := sample(t, 3)
	for name, text := range map[string][]byte{"whole": text, "torn": append(bytes.Clone(text), `{"v":1`...), "no newline": bytes.TrimSuffix(text, []byte("\n"))} {
		dir := write(t, text)
		done, err := transcript.Repair(dir)
		if err != nil || done.Damaged != "" || done.Kept != 3 || len(done.Dropped) > 0 || len(done.Lost) > 0 {
			t.Errorf("%s: Repair = %+v, %v", name, done, err)
		}
		if got := read(t, done.Path); !bytes.Equal(got, text) {
			t.Errorf("%s: the log was changed to %q", name, got)
		}
	}
}

func TestRepairFails(t *testing.T) {
	text, _ := sample(t, 3)
	dir := write(t, append([]byte("x\n"), text...))
	held := create(t, t.TempDir(), unforced)
	fill(t, held, 1)
	for _, tt := range []struct {
		name, dir string
		want      error
	}{
		{"being written", filepath.Dir(held.Path()), transcript.ErrLocked},
		{"no log at all", write(t, []byte("hello\nworld\n")), transcript.ErrEmpty},
		{"no file", t.TempDir(), os.ErrNotExist},
	} {
		if _, err := transcript.Repair(tt.dir); !errors.Is(err, tt.want) {
			t.Errorf("%s: Repair = %v, want %v", tt.name, err, tt.want)
		}
	}
	for n, want := range []string{"log.jsonl.damaged", "log.jsonl.damaged-2"} {
		done, _ := repair(t, dir)
		if filepath.Base(done.Damaged) != want {
			t.Errorf("repair %d keeps the log as %s, want %s", n+1, done.Damaged, want)
		}
		if err := os.WriteFile(done.Path, append([]byte("x\n"), text...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What stands for a lost record names the file that has it, also after an
// earlier repair.
func TestLostRecordNamesTheOldLog(t *testing.T) {
	text, _ := sample(t, 3)
	l := strings.SplitAfter(string(text), "\n")
	gap := l[0] + l[2]
	dir := write(t, []byte(gap))
	for range 3 {
		done, recs := repair(t, dir)
		lost, ok := recs[1].Data.(event.Warning)
		if !ok || !strings.HasSuffix(lost.Text, " is in "+filepath.Base(done.Damaged)) {
			t.Errorf("the log as it was is in %s, record 2 is %+v", done.Damaged, recs[1])
		}
		if err := os.WriteFile(done.Path, []byte(gap), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// However bytes change, what comes out opens, and every record in it is one of
// those that were there.
func TestRepairOfRandomDamage(t *testing.T) {
	text, recs := sampleOf(t, 12, 1)
	rng := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		bad := bytes.Clone(text)
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(bad))
			switch rng.IntN(4) {
			case 0:
				bad[at] ^= byte(1 + rng.IntN(255))
			case 1:
				bad = slices.Delete(bad, at, min(len(bad), at+rng.IntN(300)))
			case 2:
				bad = slices.Insert(bad, at, bad[at:min(len(bad), at+rng.IntN(300))]...)
			case 3:
				clear(bad[at:min(len(bad), at+rng.IntN(100))])
			}
		}
		dir := write(t, bad)
		if _, err := transcript.Repair(dir); errors.Is(err, transcript.ErrEmpty) {
			continue
		}
		_, got := repair(t, dir)
		for i, rec := range got {
			if !isLost(rec) {
				same(t, "kept", []event.Record{rec}, []event.Record{recs[i]})
			}
		}
	}
}
