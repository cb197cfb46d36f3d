package render_test

import (
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/render"
)

// sequence yields the records, and then err when there is one.
func sequence(records []event.Record, err error) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
		if err != nil {
			yield(event.Record{}, err)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		var b strings.Builder
		if err := render.Markdown(sequence(story(t), nil), &b, render.Options{Lang: lang, Location: time.UTC}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/transcript-"+lang+".md", []byte(b.String()))
		b.Reset()
		if err := render.HTML(sequence(story(t), nil), &b, render.Options{Lang: lang, Location: time.UTC}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "testdata/transcript-"+lang+".html", []byte(b.String()))
	}
}

func TestMarkdownCannotBeBrokenOutOf(t *testing.T) {
	var b strings.Builder
	if err := render.Markdown(sequence([]event.Record{note("a\n````\n# forged\n<script>")}, nil), &b, render.Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "`````text\na\n````\n# forged\n<script>\n`````\n"; !strings.Contains(b.String(), want) {
		t.Errorf("transcript has no fence of five around the text:\n%s", b.String())
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestMarkdownErrors(t *testing.T) {
	cause := errors.New("torn")
	if err := render.Markdown(sequence(story(t), cause), &strings.Builder{}, render.Options{}); !errors.Is(err, cause) {
		t.Errorf("error of the records: got %v, want %v", err, cause)
	}
	if err := render.Markdown(sequence(story(t), nil), brokenWriter{cause}, render.Options{}); !errors.Is(err, cause) {
		t.Errorf("error of the writer: got %v, want %v", err, cause)
	}
}

// TestMarkdownOfARunThatBrokeOff: a log may end anywhere, and be taken up.
func TestMarkdownOfARunThatBrokeOff(t *testing.T) {
	for name, end := range map[string]event.Data{
		"reply": nil, "turn": event.TurnEnded{Reason: event.EndNatural}, "state": event.AgentState{From: event.Working, To: event.Idle},
		"failed": event.RunFailed{Failure: event.Failure{Code: "server"}},
	} {
		s := &storyteller{}
		s.add(0, "", 0, event.RunStarted{RunID: "r_1", Task: "count"})
		s.add(0, "tl", 0, event.AgentCreated{Name: "Team Leader", Code: "tl"})
		s.add(1, "tl", 1, event.ModelFailed{Step: 1, Usage: event.Usage{Input: 900, Output: 40}})
		s.add(10, "", 0, event.RunSuspended{})
		s.add(50, "", 0, event.RunResumed{})
		s.add(52, "tl", 2, event.ModelReplied{Step: 2, Text: "last words", Usage: event.Usage{Input: 50, Output: 10}})
		if end != nil {
			s.add(52, "tl", 2, end)
		}
		var b strings.Builder
		if err := render.Markdown(sequence(s.records, nil), &b, render.Options{Lang: "en", Location: time.UTC}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "last words"); n != 1 {
			t.Errorf("%s: the last words stand %d times in\n%s", name, n, b.String())
		}
		// The tokens of the table by agent, and the time that the run took.
		for _, want := range []string{"`in 950 (cached 0) out 50`", "`1.0k`", "`00:12`"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
}
