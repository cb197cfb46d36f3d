package render

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// Printer shows records one after the other. It folds what it needs (names,
// roles, who asked) from the records themselves, so it must see all of them,
// in order. It is not safe for concurrent use.
type Printer struct {
	style
	cast     *cast
	failures map[string]string // the last failure of a model call, by agent

	agents, ids int // widths of columns in the lines view
}

// NewPrinter makes a printer for one run.
func NewPrinter(o Options) *Printer {
	return &Printer{style: newStyle(o), cast: newCast(), failures: map[string]string{}, agents: agentColumn, ids: idColumn}
}

// Record is the text for one record: whole lines, the last one with its line
// break, or "" when this view shows nothing for it. Records of unknown types
// and live records are safe.
func (p *Printer) Record(rec event.Record) string {
	p.cast.apply(rec)
	e := p.describe(rec)
	p.cast.forget(rec)
	if !p.shows(e) {
		return ""
	}
	switch {
	case p.opts.View == Lines:
		return p.line(rec.Time, e) + "\n"
	case e.weight == message:
		return p.bubble(e)
	}
	return p.aside(e)
}

// shows reports whether the view shows the entry.
func (p *Printer) shows(e entry) bool {
	least := step
	switch {
	case p.opts.Verbose:
		least = detail
	case p.opts.View == Lines:
		least = fact
	}
	if e.weight < least {
		return false
	}
	ofRun := e.agent == "" && e.to == ""
	return len(p.opts.Only) == 0 || ofRun || p.cast.matches(p.opts.Only, e.agent, e.to)
}

// script is the label of what a script says.
func (s style) script() string { return s.open + s.words.script + s.close }

// join joins the parts that are not empty.
func join(sep string, parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(part)
	}
	return b.String()
}
