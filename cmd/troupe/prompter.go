package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
)

// calm is how long a prompt stands before it takes keys: what was typed before
// a person could read it answers nothing.
const calm = 100 * time.Millisecond

// prompter puts what waits for the person to them, one at a time, below the
// rows of the agents, while the run goes on above.
type prompter struct {
	*app
	run     *leader.Run
	live    *live
	options render.Options
	keys    chan []byte   // what was typed
	listen  listener      // while nothing is asked; may be nil
	done    chan struct{} // closed when nothing is asked any more
	reading sync.Once

	// What is drawn; it is changed by live.change.
	shown  leader.Pending
	count  int // of all that waits
	armed  bool
	help   bool
	notice string
	editor editor
}

// listener takes what a person types while the team works and nothing waits for
// them, until something does or ctx ends.
type listener func(ctx context.Context, run *leader.Run, l *live, look <-chan time.Time)

func newPrompter(a *app, run *leader.Run, l *live, o render.Options) *prompter {
	return &prompter{
		app: a, run: run, live: l, options: o,
		keys: make(chan []byte), done: make(chan struct{}),
	}
}

// serve asks until ctx ends. It looks as often as the rows are drawn whether
// somebody asks: a record of the log is seen before the run has taken it in, so
// records are no news of that.
func (p *prompter) serve(ctx context.Context) {
	defer close(p.done)
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	for {
		switch pending := p.run.Pending(); {
		case len(pending) > 0:
			p.ask(ctx, pending[0], ticker.C)
		case p.listen != nil:
			p.listen(ctx, p.run, p.live, ticker.C)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// ask puts one thing to the person, until it is answered or waits no more.
func (p *prompter) ask(ctx context.Context, what leader.Pending, look <-chan time.Time) {
	p.begin(what)
	var restore func() error
	err := p.live.under(p.rows, true, func() (err error) { restore, err = p.Raw(); return err })
	if err != nil { // no person can type here
		<-ctx.Done()
		return
	}
	defer func() { _ = p.live.under(nil, false, restore) }()
	p.reading.Do(func() { go p.read() })
	calmed := time.After(calm)
	for {
		select {
		case <-calmed:
			p.live.change(func() { p.armed = true })
		case typed := <-p.keys:
			if p.take(typed) {
				return
			}
		case <-look:
			if !p.waits() {
				return
			}
		case <-ctx.Done():
			return
		}
		p.live.redraw()
	}
}

// begin shows another thing.
func (p *prompter) begin(what leader.Pending) {
	count := len(p.run.Pending())
	p.live.change(func() {
		p.shown, p.count, p.armed, p.help, p.notice, p.editor = what, count, false, false, "", editor{}
	})
}

// waits reports whether what is shown still waits.
func (p *prompter) waits() bool {
	pending := p.run.Pending()
	p.live.change(func() { p.count = len(pending) })
	return slices.ContainsFunc(pending, func(other leader.Pending) bool { return other.ID == p.shown.ID })
}

// read hands over what is typed. The last read ends with the process.
func (p *prompter) read() {
	for {
		buf := make([]byte, 256)
		n, err := p.Stdin.Read(buf)
		if n > 0 {
			select {
			case p.keys <- buf[:n]:
			case <-p.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// take takes what was typed, and reports whether it answered.
func (p *prompter) take(keys []byte) bool {
	for _, b := range keys {
		did, line := typedText, ""
		p.live.change(func() {
			if p.armed || b == ctrlC {
				did = p.editor.key(b)
			}
			if did == typedLine {
				line = strings.TrimSpace(p.editor.take())
			}
		})
		switch {
		case did == typedInterrupt:
			p.stop.interrupt()
		case did == typedLine && p.answer(line):
			return true // what was typed after it is about nothing that was seen
		}
	}
	return false
}

// answer does what a line says, and reports whether that answered.
func (p *prompter) answer(line string) bool {
	var err error
	d, ok := decision(line)
	switch approval := p.shown.IsApproval(); {
	case line == "":
		return false
	case line == "?", approval && !ok && d.Allow: // yes, and something more
		p.live.change(func() { p.help, p.notice = true, "" })
		return false
	case !approval:
		err = p.run.Reply(p.shown.ID, line)
	case d.Always && p.shown.Rule == "":
		p.live.change(func() { p.notice = p.words.noAlways })
		return false
	case ok:
		err = p.run.Approve(p.shown.ID, d)
	default:
		err = p.run.Approve(p.shown.ID, leader.Decision{Reason: line})
	}
	if err != nil {
		p.live.change(func() { p.notice = fmt.Sprintf(p.words.notTaken, unpackaged(err)) })
	}
	return err == nil
}

// rows draw what is asked and the line that is typed.
func (p *prompter) rows(width, height int) []string {
	o := p.options
	o.Width = width
	w := p.words
	title, text, prompt := fmt.Sprintf(w.askTitle, p.shown.Name), p.shown.Text, w.answerPrompt
	help := []string{w.answerHelp}
	if p.shown.IsApproval() {
		title, text = fmt.Sprintf(w.approveTitle, p.shown.Name, p.shown.Tool), readable(p.shown.Arguments)
		prompt, help = w.decisionPrompt, strings.Split(w.decisionHelp, "\n")
		if p.shown.Rule != "" {
			help = append(help, fmt.Sprintf(w.alwaysHelp, p.shown.Rule))
		}
	}
	if p.count > 1 {
		title = fmt.Sprintf(w.promptCount, title, p.count)
	}
	rows := render.Box(p.shown.ID+" "+title, text, o, max(3, height/3))
	if p.help {
		for _, line := range help {
			rows = append(rows, render.Wrap(render.CleanLine(line), width, o.AmbiguousWidth)...)
		}
	}
	if p.notice != "" {
		rows = append(rows, render.Cut(render.CleanLine(p.notice), width, o.AmbiguousWidth))
	}
	if !p.armed {
		return append(rows, prompt)
	}
	return append(rows, p.inputRow(prompt, width))
}

// inputRow is the end of the line that is typed, with the cursor behind it.
func (p *prompter) inputRow(prompt string, width int) string {
	sign, cursor := " › ", "▏"
	if p.options.ASCII {
		sign, cursor = " > ", "_"
	}
	line := p.editor.line
	for len(line) > 0 && render.Width(prompt+sign+render.CleanLine(string(line))+cursor, p.options.AmbiguousWidth) >= width {
		line = line[1:]
	}
	return prompt + sign + render.Clean(string(line)) + cursor
}

// readable is the JSON of arguments in lines. It stays JSON, so that no text in
// it can pass for an argument.
func readable(arguments string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(arguments), "", "  ") != nil {
		return arguments
	}
	return b.String()
}
