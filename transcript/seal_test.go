package transcript_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// Whichever byte of a line changes, its newline included, and to whatever,
// reading and opening fail at that line.
func TestEveryFlippedByteIsFound(t *testing.T) {
	text, _ := sampleOf(t, 5, 2)
	lines := bytes.SplitAfter(text, []byte("\n"))
	start := len(lines[0]) + len(lines[1])
	dir := write(t, text)
	path := filepath.Join(dir, transcript.FileName)
	for at := start; at < start+len(lines[2]); at++ {
		for _, flip := range []byte{0x01, 0x20, 0x80, text[at] ^ '\n', text[at] ^ '"', text[at] ^ '0'} {
			if flip == 0 {
				continue
			}
			bad := bytes.Clone(text)
			bad[at] ^= flip
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			recs, err := failure(transcript.ReadFile(t.Context(), path, transcript.ReadOptions{}))
			_, opened := transcript.Open(dir, unforced)
			for _, err := range []error{err, opened} {
				if damage, ok := errors.AsType[*transcript.DamageError](err); !ok || damage.Line != 3 || len(recs) != 2 {
					t.Fatalf("byte %d became %q: %d records, then %v; want 2 and a *DamageError of line 3\n%s", at, bad[at], len(recs), err, bad)
				}
			}
		}
	}
}

// A line is the record's JSON and a seal; lines without one are read too, and
// nobody gets to see it.
func TestSeal(t *testing.T) {
	text, recs := sample(t, 3)
	line := regexp.MustCompile(`,"crc":"[0-9a-f]{8}"}\n`)
	if n := len(line.FindAll(text, -1)); n != 3 {
		t.Fatalf("%d lines of 3 have a seal:\n%s", n, text)
	}
	bare := line.ReplaceAll(text, []byte("}\n"))
	want, err := recs[1].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Split(bare, []byte("\n"))[1]; !bytes.Equal(got, want) {
		t.Errorf("without its seal the line is\n%s\nwant the JSON form of the record\n%s", got, want)
	}
	for name, text := range map[string][]byte{"sealed": text, "bare": bare} {
		dir := write(t, text)
		path := filepath.Join(dir, transcript.FileName)
		same(t, name, collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{})), recs)
		l := reopen(t, dir, unforced)
		fill(t, l, 1)
		l.Close()
		if got := collect(t, transcript.ReadFile(t.Context(), path, transcript.ReadOptions{})); len(got) != 4 {
			t.Errorf("%s: after going on there are %d records, want 4", name, len(got))
		}
		for _, rec := range collect(t, l.Records(0)) {
			if rec.Raw != nil {
				t.Errorf("%s: record %d has kept its line: %s", name, rec.Seq, rec.Raw)
			}
		}
	}
}

// What was changed on purpose says how to go on.
func TestEditedLine(t *testing.T) {
	text, _ := sample(t, 3)
	edited := strings.Replace(string(text), "design a page", "design a pool", 1)
	dir := write(t, []byte(edited))
	_, err := transcript.Open(dir, unforced)
	if err == nil || !strings.Contains(err.Error(), "take its field crc out") {
		t.Errorf("Open = %v", err)
	}
	edited = regexp.MustCompile(`,"crc":"[0-9a-f]{8}"}`).ReplaceAllString(edited, "}")
	l := reopen(t, write(t, []byte(edited)), unforced)
	for _, rec := range collect(t, l.Records(0)) {
		if d, ok := rec.Data.(event.RunStarted); ok && d.Task != "design a pool" {
			t.Errorf("the task is %q", d.Task)
		}
	}
}
