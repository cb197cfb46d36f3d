package render

import (
	"strings"
	"time"
)

// Columns of the lines view, wide enough for usual ids. On narrow screens
// nothing is padded, so that more of the text can be seen.
const (
	agentColumn = 6
	idColumn    = 11
	roomy       = 72
)

// line is an entry as one line, without its line break. Messages and steps are
// cut to the width; what went wrong is shown in full.
func (p *Printer) line(at time.Time, e entry) string {
	agent := p.column(short(e.agent), agentColumn)
	purpose := p.column(e.purpose, p.words.column)
	text, st := e.text, e.style
	if e.weight == message {
		text, st = p.messageText(e), StylePlain
	}
	if e.weight != notice {
		room := p.opts.Width - p.width(join("  ", p.clock(at), agent, purpose, ""))
		text = p.cut(text, max(room, p.width(p.ellipsis)), p.ellipsis)
	}
	return strings.TrimRight(join("  ",
		p.paint(StyleDim, p.clock(at)), p.paint(StyleName, agent), p.paint(e.style, purpose), p.paint(st, text)), " ")
}

// messageText is receiver, ids and the beginning of the content.
func (p *Printer) messageText(e entry) string {
	to, re := "", ""
	if e.to != "" {
		to = p.arrow + " " + short(e.to)
	}
	if e.re != "" {
		re = "re " + e.re
	}
	return join("  ", p.column(to, p.width(p.arrow+" ")+agentColumn), p.column(e.id, idColumn), re, e.remark,
		CleanLine(p.beginning(e.text, maxLineText)))
}

// column pads a text on screens that have room for it.
func (p *Printer) column(text string, width int) string {
	if p.opts.Width < roomy {
		return text
	}
	return p.pad(text, width)
}
