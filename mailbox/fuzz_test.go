package mailbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// maxSeed keeps the seeds small enough to be mutated well.
const maxSeed = 4 << 10

// addTexts seeds f with whole texts: examples, hostile cases, raw cases.
func addTexts(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/protocol/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	for _, c := range rawCases(f) {
		f.Add(c.Raw)
	}
	for _, c := range hostileCases(f) {
		if text, err := mailbox.Format(c.message()); err == nil && len(text) <= maxSeed {
			f.Add(text)
			f.Add(text + "\n\n" + mustFormat(f, ordinary("msg_tl_001")))
		}
	}
}

// FuzzParse: whatever text is accepted gives a message that can be written,
// and that reads back as itself.
func FuzzParse(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := mailbox.Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*mailbox.ParseError](err); !ok || m != (mailbox.Message{}) {
				t.Fatalf("Parse = %+v, %v, want no message and a *ParseError", m, err)
			}
			return
		}
		checkRoundTrip(t, m)
		if all, err := mailbox.ParseAll(text); err != nil || len(all) != 1 || all[0] != m {
			t.Fatalf("ParseAll = %+v, %v, want %+v alone", all, err, m)
		}
	})
}

// FuzzRoundTrip: any message is refused with a field or comes back as it was,
// alone and in a batch.
func FuzzRoundTrip(f *testing.F) {
	kinds := append(event.Kinds(), "unknown")
	for _, c := range hostileCases(f) {
		m := c.message()
		if len(m.Content) > maxSeed {
			continue
		}
		for i, k := range kinds {
			if k == m.Kind {
				f.Add(uint8(i), m.From, m.ID, m.QuestionID, m.Content)
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, from, id, questionID, content string) {
		m := mailbox.Message{
			ID: id, Kind: kinds[int(kind)%len(kinds)], From: from, QuestionID: questionID, Content: content,
		}
		if _, err := mailbox.Format(m); err != nil {
			if fault, ok := errors.AsType[*mailbox.FormatError](err); !ok || fault.Field == "" || fault.Reason == "" {
				t.Fatalf("Format: %v, want a *FormatError with field and reason", err)
			}
			return
		}
		checkRoundTrip(t, m)
		if got, want := written(t, from, content), escapedSlowly(frameTag(from), content); got != want {
			t.Fatalf("content %q from %q is written as\n%q, want\n%q", content, from, got, want)
		}
	})
}

// FuzzParseAll: whatever batch is accepted gives messages that, written and
// joined again, are read as the same messages.
func FuzzParseAll(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text string) {
		want, err := mailbox.ParseAll(text)
		if err != nil {
			if _, ok := errors.AsType[*mailbox.ParseError](err); !ok || want != nil {
				t.Fatalf("ParseAll = %+v, %v, want no messages and a *ParseError", want, err)
			}
			return
		}
		got, err := mailbox.ParseAll(mustFormat(t, want...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the batch differs (-want +got):\n%s", diff)
		}
	})
}

// FuzzBatch: three messages from two agents stay three, whatever they say.
func FuzzBatch(f *testing.F) {
	cases := hostileCases(f)
	for i, c := range cases {
		next := cases[(i+1)%len(cases)]
		a, b := c.message(), next.message()
		if len(a.Content)+len(b.Content) <= maxSeed && mailbox.ValidName(a.From) == nil && mailbox.ValidName(b.From) == nil {
			f.Add(a.From, b.From, a.Content, b.Content, c.Why)
		}
	}
	f.Fuzz(func(t *testing.T, nameA, nameB, first, second, third string) {
		want := []mailbox.Message{
			{ID: "out_a_001", Kind: mailbox.Completion, From: nameA, Content: first},
			{ID: "ans_b_001", Kind: mailbox.Answer, From: nameB, QuestionID: "ask_a_001", Content: second},
			{ID: "ask_a_001", Kind: mailbox.Question, From: nameA, Content: third},
		}
		for _, m := range want {
			if _, err := mailbox.Format(m); err != nil {
				return
			}
		}
		text := mustFormat(t, want...)
		got, err := mailbox.ParseAll(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the batch differs (-want +got):\n%s", diff)
		}
		if n := carelessHeaders(text); n != len(want) {
			t.Fatalf("a careless reader finds %d headers, want %d\n%q", n, len(want), text)
		}
	})
}
