package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// show is all that a printer says of the records.
func show(records []event.Record, o render.Options) string {
	o.Location = time.UTC
	p := render.NewPrinter(o)
	var b strings.Builder
	for _, rec := range records {
		b.WriteString(p.Record(rec))
	}
	return b.String()
}

func TestGoldenViews(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		for _, view := range []render.View{render.Bubbles, render.Lines} {
			for _, width := range []int{40, 64, 100} {
				name := fmt.Sprintf("%s-%s-%d.txt", view, lang, width)
				t.Run(name, func(t *testing.T) {
					golden(t, name, show(story(t), render.Options{Width: width, Lang: lang, View: view}))
				})
			}
		}
	}
}
