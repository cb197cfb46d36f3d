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
