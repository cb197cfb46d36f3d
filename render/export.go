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
		if err != nil {
			return fmt.Errorf("render: transcript: %w", err)
		}
		p.markdown(out, rec)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("render: transcript: %w", err)
	}
	return nil
}

// markdown writes one record. The writer keeps its first error.
func (p *Printer) markdown(out *bufio.Writer, rec event.Record) {
	p.cast.apply(rec)
	e := p.describe(rec)
	p.cast.forget(rec)
	switch d := rec.Data.(type) {
	case event.RunStarted:
		fmt.Fprintf(out, "# %s %s\n\n", p.words.transcript, code(p.cast.runID))
		if p.cast.scripted {
			fmt.Fprintf(out, "%s\n\n", p.script())
		}
		fmt.Fprintf(out, "## %s\n\n%s\n", p.words.task, codeBlock(d.Task))
		return
	case event.RunFinished:
		fmt.Fprintf(out, "- %s %s %s\n\n## %s\n\n%s\n", p.clock(rec.Time), e.purpose, code(e.text), p.words.answer, codeBlock(d.Answer))
		return
	default: // one of many
	}
	switch {
	case !p.shows(e):
	case e.weight == message:
		title := p.clock(rec.Time) + " " + code(p.cast.name(e.agent)) + " " + e.purpose
		if p.cast.isScripted(e.agent) {
			title += " " + p.script()
		}
		fmt.Fprintf(out, "\n### %s\n\n%s\n\n%s\n", title, code(p.reference(e)), codeBlock(e.text))
	default:
		fmt.Fprintf(out, "- %s %s\n", p.clock(rec.Time), join(" ", code(short(e.agent)), e.purpose, code(e.text)))
	}
}

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
