package render

import (
	"strings"
	"time"
)

// View is a way to show a run.
type View string

// The two views.
const (
	Bubbles View = "bubbles" // a box a message; for a terminal
	Lines   View = "lines"   // a line a record; for a pipe, a file, or grep
)

// Style is what a piece of text means. A caller maps it to a colour or to
// nothing; the text says the same without.
type Style int

// The styles.
const (
	StylePlain Style = iota // no meaning of its own; never passed to Options.Style
	StyleTitle              // the title line of a bubble
	StyleName               // the name or id of an agent
	StyleKind               // what happens: the purpose of a message, the phase of an agent
	StyleDim                // less important: times, ids, tool calls
	StyleOK                 // it went well
	StyleWarn               // retries, warnings, limits that are near
	StyleError              // failures, limits that were reached
)

// The bounds of a bubble. Wider boxes are hard to read, narrower ones cannot
// hold a title.
const (
	minWidth     = 24
	maxBoxWidth  = 120
	defaultWidth = 80
	maxBoxLines  = 40
)

// Options says how text is shown. The zero value shows English bubbles, 80
// columns wide, without colour, in local time.
type Options struct {
	// Width is the number of columns; 0 means 80, less than 24 means 24. No
	// line of a bubble or a status row is wider; boxes are at most 120 wide.
	Width int
	// Lang is the language of our own words: Chinese when it begins with
	// "zh", English otherwise. What agents say is never translated.
	Lang string
	// View is Bubbles (also when empty) or Lines.
	View View
	// ASCII draws boxes, arrows and marks in ASCII.
	ASCII bool
	// AmbiguousWidth is the number of columns of characters that Unicode calls
	// ambiguous: 2, or 1 for any other value. The locale has no say.
	AmbiguousWidth int
	// Style colours text by its meaning; the text has no line breaks. It must
	// not change the display width. Nil shows plain text.
	Style func(Style, string) string
	// Verbose also shows states, deliveries and model calls, and the model in
	// status rows.
	Verbose bool
	// Location is the time zone of shown times; nil means local time.
	Location *time.Location
	// Only restricts records to those of some agents, named by instance
	// ("uio_1"), role code ("uio") or display name; empty shows all. Records
	// of the run as a whole are always shown.
	Only []string
}

// style is a copy of the options with the choices made.
type style struct {
	opts Options
	metric
	glyphs
	words *words
}

func newStyle(o Options) style {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = max(o.Width, minWidth)
	if o.Location == nil {
		o.Location = time.Local
	}
	s := style{opts: o, metric: newMetric(o.AmbiguousWidth), glyphs: unicodeGlyphs, words: &english}
	if o.ASCII {
		s.glyphs = asciiGlyphs
	}
	if strings.HasPrefix(strings.ToLower(o.Lang), "zh") {
		s.words = &chinese
	}
	return s
}

// paint colours text; empty text stays empty.
func (s style) paint(st Style, text string) string {
	if s.opts.Style == nil || st == StylePlain || text == "" {
		return text
	}
	return s.opts.Style(st, text)
}

// clock is the time of day, HH:MM:SS.
func (s style) clock(t time.Time) string { return t.In(s.opts.Location).Format(time.TimeOnly) }

// glyphs are the characters that are not letters.
type glyphs struct {
	topLeft, topRight, bottomLeft, bottomRight, dash, bar string
	arrow, ellipsis, none, busy, rest                     string
	open, close                                           string // around the label of a script
	yuan, euro                                            string // before an amount
}

var (
	unicodeGlyphs = glyphs{
		topLeft: "┌", topRight: "┐", bottomLeft: "└", bottomRight: "┘", dash: "─", bar: "│",
		arrow: "→", ellipsis: "…", none: "—", busy: "●", rest: "○", open: "〔", close: "〕", yuan: "¥", euro: "€",
	}
	asciiGlyphs = glyphs{
		topLeft: "+", topRight: "+", bottomLeft: "+", bottomRight: "+", dash: "-", bar: "|",
		arrow: "->", ellipsis: "...", none: "-", busy: "*", rest: "o", open: "[", close: "]", yuan: "CNY ", euro: "EUR ",
	}
)
