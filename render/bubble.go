package render

import (
	"fmt"
	"strings"
)

// bubble is a message: a box with who, what for, and the content, and below it
// the ids. An empty line ends it.
func (p *Printer) bubble(e entry) string {
	title := p.cast.name(e.agent) + "  " + e.purpose
	if p.cast.isScripted(e.agent) {
		title += "  " + p.script()
	}
	box := newBox(p.style)
	content := p.wrap(Clean(e.text), box.inner)
	more := len(content) - maxBoxLines
	content = content[:min(len(content), maxBoxLines)]

	var b strings.Builder
	box.border(&b, p.topLeft, p.topRight)
	for _, line := range p.wrap(title, box.inner) {
		box.line(&b, line, StyleTitle)
	}
	box.line(&b, "", StylePlain)
	for _, line := range content {
		box.line(&b, line, StylePlain)
	}
	box.border(&b, p.bottomLeft, p.bottomRight)
	if more > 0 {
		p.outside(&b, p.ellipsis+" "+join(" ", fmt.Sprintf(p.words.moreLines, more), p.cast.runID))
	}
	p.outside(&b, p.reference(e))
	b.WriteString("\n")
	return b.String()
}

// reference names the message, its receiver, and what it answers.
func (p *Printer) reference(e entry) string {
	to, re := "", ""
	if e.to != "" {
		to = p.arrow + " " + p.cast.name(e.to)
	}
	if e.re != "" {
		re = "re " + e.re
	}
	return join("  ", join(" ", e.id, to), re, e.remark)
}

// outside writes one dim line beside a box; nothing for an empty text.
func (s style) outside(b *strings.Builder, text string) {
	if text != "" {
		b.WriteString(s.paint(StyleDim, s.cut("  "+text, s.opts.Width, s.ellipsis)) + "\n")
	}
}

// aside is an entry among bubbles that is no message.
func (p *Printer) aside(e entry) string {
	who := ""
	if e.agent != "" {
		who = p.cast.name(e.agent)
	}
	text := join("  ", who, e.purpose, e.text)
	var b strings.Builder
	if e.weight != notice {
		p.outside(&b, text)
		return b.String()
	}
	for i, line := range p.wrap(text, p.opts.Width-4) {
		indent := "  "
		if i > 0 {
			indent = "    "
		}
		b.WriteString(indent + p.paint(e.style, line) + "\n")
	}
	return b.String()
}

// box draws lines of one width.
type box struct {
	style
	inner  int // columns of text
	dashes int // in a border
}

func newBox(s style) box {
	// With ambiguous characters of two columns, so are the lines of the box.
	dash, bar := s.width(s.dash), s.width(s.bar)
	dashes := (min(s.opts.Width, maxBoxWidth) - 2*bar) / dash
	return box{style: s, inner: dashes*dash - 2, dashes: dashes}
}

func (x box) border(b *strings.Builder, left, right string) {
	b.WriteString(left + strings.Repeat(x.dash, x.dashes) + right + "\n")
}

func (x box) line(b *strings.Builder, text string, st Style) {
	// Measured with its neighbours: a mark without a letter joins the space
	// before it.
	fill := strings.Repeat(" ", max(0, x.inner+2-x.width(" "+text+" ")))
	b.WriteString(x.bar + " " + x.paint(st, text) + fill + " " + x.bar + "\n")
}
