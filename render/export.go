package render

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// Markdown writes a run as a transcript to read: a head, one section a
// message, one item for all else that [Printer.Record] would show as a line.
// What agents said stands in code blocks, exactly as it was but for characters
// that are unsafe to print (see [Clean]), so nothing of it is taken for markup.
// Of the options, Lang, Verbose, Location, Only and ASCII count. It ends at the
// first error of the records or of w.
func Markdown(records iter.Seq2[event.Record, error], w io.Writer, o Options) error {
	o.View, o.Style, o.Width = Lines, nil, 0
	p := NewPrinter(o)
	out := bufio.NewWriter(w)
	for rec, err := range records {
		if err == nil {
			_, err = out.WriteString(p.markdown(rec))
		}
		if err != nil {
			return fmt.Errorf("render: transcript: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("render: transcript: %w", err)
	}
	return nil
}

// markdown is the text for one record.
func (p *Printer) markdown(rec event.Record) string {
	p.cast.apply(rec)
	e := p.describe(rec)
	p.cast.forget(rec)
	switch d := rec.Data.(type) {
	case event.RunStarted:
		title := join(" ", "# "+p.words.transcript, code(p.cast.runID))
		if p.cast.scripted {
			title += " " + p.script()
		}
		return title + "\n\n" + section(p.words.task, d.Task) + "\n"
	case event.RunFinished:
		return p.item(rec, e) + "\n" + section(p.words.answer, d.Answer)
	default: // one of many
	}
	switch {
	case !p.shows(e):
		return ""
	case e.weight != message:
		return p.item(rec, e)
	}
	title := join(" ", p.clock(rec.Time), code(p.cast.name(e.agent)), e.purpose)
	if p.cast.isScripted(e.agent) {
		title += " " + p.script()
	}
	return "\n### " + title + "\n\n" + code(p.reference(e)) + "\n\n" + codeBlock(e.text) + "\n"
}

// item is an entry that is no message.
func (p *Printer) item(rec event.Record, e entry) string {
	return "- " + join(" ", p.clock(rec.Time), code(short(e.agent)), e.purpose, code(e.text)) + "\n"
}

func section(title, text string) string { return "## " + title + "\n\n" + codeBlock(text) }

// code is one line as Markdown code.
func code(text string) string {
	if text == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// codeBlock is a text as a Markdown code block, with a fence that the text
// cannot close.
func codeBlock(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "text\n" + strings.TrimSuffix(Clean(text), "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest row of backquotes.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
