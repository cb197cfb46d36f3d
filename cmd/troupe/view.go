package main

import (
	"cmp"
	"io"
	"strconv"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// viewFlags say how a run is shown.
type viewFlags struct {
	view    string
	ascii   bool
	verbose bool
}

func (v *viewFlags) declare(f flags) {
	f.text(&v.view, "view", "")
	f.flag(&v.ascii, "ascii", "")
	f.flag(&v.verbose, "verbose", "v")
}

// Widths of text for streams that are no terminals.
const (
	plainBubbles = 80
	plainLines   = 200 // there is no edge, and lines are searched
)

// viewOptions puts flags and the team file's wishes together for text on w.
func (a *app) viewOptions(w io.Writer, v viewFlags, d config.Display) (render.Options, error) {
	view := cmp.Or(v.view, d.View, "auto")
	if err := a.oneOf("view", view); err != nil {
		return render.Options{}, err
	}
	if view == "auto" {
		view = string(render.Lines)
		if a.IsTerminal(w) {
			view = string(render.Bubbles)
		}
	}
	o := render.Options{
		Lang: a.words.lang, View: render.View(view), ASCII: v.ascii || d.ASCII, AmbiguousWidth: d.AmbiguousWidth,
		Style: a.style(w), Verbose: v.verbose,
	}
	o.Width = a.width(w, o.View)
	return o, nil
}

// width is the number of columns for text on w.
func (a *app) width(w io.Writer, view render.View) int {
	if width, _ := a.Size(w); width > 0 {
		return width
	}
	if columns, err := strconv.Atoi(a.get("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if view == render.Lines {
		return plainLines
	}
	return plainBubbles
}

// narrator turns the records of a run into what a person reads: what the
// printer shows, and what the leader says to the person, which is no message
// of the log. The last words of a run that finished are the answer and
// stand elsewhere.
type narrator struct {
	printer *render.Printer
	held    *event.Record // words of the leader that may turn out to be the last
}

func newNarrator(o render.Options) *narrator { return &narrator{printer: render.NewPrinter(o)} }

// text is what one record adds.
func (n *narrator) text(rec event.Record) string {
	reply, ok := rec.Data.(event.ModelReplied)
	told, _ := rec.Data.(event.MessageSent)
	said := ok && rec.Agent == event.Leader && reply.Text != "" && reply.Purpose == ""
	switch {
	case said && len(reply.Calls) == 0:
		before := n.release()
		n.held = &rec
		return before + n.printer.Record(rec)
	case said:
		return n.release() + n.printer.Record(rec) + n.spoken(rec)
	case rec.Agent == event.Leader && rec.Type() == event.TypeModelRequested,
		told.From == event.Person && told.To == event.Leader, rec.Type() == event.TypeRunResumed,
		rec.Type() == event.TypeRunSuspended, rec.Type() == event.TypeRunFailed:
		return n.release() + n.printer.Record(rec)
	}
	return n.printer.Record(rec)
}

// skipped takes note of a record that was shown in another process: the answer
// of a run that finished stood elsewhere then.
func (n *narrator) skipped(rec event.Record) {
	if rec.Type() == event.TypeRunFinished {
		n.held = nil
	}
}

// release shows the words that were not the last.
func (n *narrator) release() string {
	if n.held == nil {
		return ""
	}
	rec := *n.held
	n.held = nil
	return n.spoken(rec)
}

// spoken shows a reply of the leader as a message to the person.
func (n *narrator) spoken(rec event.Record) string {
	reply, ok := rec.Data.(event.ModelReplied)
	if !ok {
		return ""
	}
	rec.Data = event.MessageSent{
		Kind: event.Progress, From: event.Leader, FromName: event.LeaderName, To: event.Person, Content: reply.Text,
	}
	rec.Raw = nil
	return n.printer.Record(rec)
}
