package render

import (
	"strings"
	"time"
)

// Columns of the lines view. They begin wide enough for usual ids and grow with
// those that are longer, up to a bound, so that the lines below stay aligned. On
// narrow screens nothing is padded, so that more of the text can be seen.
const (
	agentColumn, maxAgentColumn = 6, 16
	idColumn, maxIDColumn       = 11, 20

	roomy = 72
)

// grow makes a column as wide as text needs.
func (p *Printer) grow(column *int, text string, most int) {
	*column = max(*column, min(p.width(text), most))
}

// line is an entry as one line, without its line break. Messages and steps are
// cut to the width; what went wrong is shown in full.
func (p *Printer) line(at time.Time, e entry) string {
	p.grow(&p.agents, short(e.agent), maxAgentColumn)
	p.grow(&p.agents, short(e.to), maxAgentColumn)
	p.grow(&p.ids, e.id, maxIDColumn)
	agent := p.column(short(e.agent), p.agents)
	purpose := p.column(e.purpose, p.words.column)
	text, st := e.text, e.style
	if e.weight == message {
		text, st = p.messageText(e), StylePlain
	}
	if e.weight != notice {
		room := p.opts.Width - p.width(join("  ", p.clock(at), agent, purpose)+"  ")
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
	return join("  ", p.column(to, p.width(p.arrow+" ")+p.agents), p.column(e.id, p.ids), re, e.remark,
		CleanLine(p.beginning(e.text, maxLineText)))
}

// column pads a text on screens that have room for it.
func (p *Printer) column(text string, width int) string {
	if p.opts.Width < roomy {
		return text
	}
	return p.pad(text, width)
}
