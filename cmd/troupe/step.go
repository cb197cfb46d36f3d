package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// eraseLine takes the line away that the cursor stands on.
const eraseLine = "\r\x1b[K"

// stepper shows a run entry by entry, as a person presses keys.
type stepper struct {
	*replayCommand
	tape     *tape
	keys     *keyboard
	searched string
	past     int64 // the last record of the span, when it was read; else 0
}

// stepThrough shows a run entry by entry.
func (r *replayCommand) stepThrough(ctx context.Context, open func() iter.Seq2[event.Record, error]) error {
	s := &stepper{
		replayCommand: r,
		keys:          &keyboard{in: r.Stdin, raw: r.Raw},
		tape:          &tape{open: open, text: r.stepText, make: func() *narrator { return newNarrator(r.options) }},
	}
	s.tape.watch = func(rec event.Record) {
		if s.past == 0 && s.span.begun(rec) && s.span.over(rec) {
			s.past = rec.Seq
		}
	}
	defer s.tape.close()
	s.tape.rewind()
	if r.span.from != nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	for {
		k, err := s.press(ctx)
		if err != nil {
			return err
		}
		done, err := s.do(ctx, k)
		if err != nil || done {
			return err
		}
	}
}

// stepText is the entry of a record. The answer, which a replay shows at its
// end, is part of the record that has it.
func (r *replayCommand) stepText(n *narrator, rec event.Record) string {
	text := r.text(n, rec)
	if d, ok := rec.Data.(event.RunFinished); ok && d.Answer != "" && r.filter.wantsType(rec) {
		text += strings.TrimSuffix(render.Clean(d.Answer), "\n") + "\n"
	}
	return text
}

// begin shows the entry that --from names.
func (s *stepper) begin() error {
	text, ok, err := s.tape.seekPoint(s.span.from)
	switch {
	case err != nil:
		return err
	case !ok:
		return s.span.from.missing(s.words, s.span.last)
	}
	return s.show(text)
}

// press waits for a key below the line that lists them.
func (s *stepper) press(ctx context.Context) (key, error) {
	line := fmt.Sprintf("%6d  %s", s.tape.at, s.words.stepHelp)
	if width, _ := s.Size(s.Stderr); width > 0 {
		line = render.Cut(line, width-1, 1)
	}
	s.put(s.paint(s.Stderr, render.StyleDim, line))
	k, err := s.keys.press(ctx)
	s.put(eraseLine)
	return k, err
}

func (s *stepper) put(text string) { _, _ = io.WriteString(s.Stderr, text) }

// do does what a key asks for; done says that there is no more to do.
func (s *stepper) do(ctx context.Context, k key) (done bool, err error) {
	switch k {
	case keyQuit:
		return true, nil
	case keyInterrupt:
		return true, &failure{code: exitInterrupted}
	case keyBack:
		return false, s.shown(s.tape.back())
	case keyGo:
		return false, s.goTo(ctx)
	case keySearch:
		what, err := s.ask(ctx, s.words.stepSearch)
		if err != nil || what == "" {
			return false, err
		}
		s.searched = what
		return false, s.search()
	case keyAgain:
		return false, s.search()
	case keyNext:
	}
	return s.next()
}

// next shows the next entry.
func (s *stepper) next() (done bool, err error) {
	text, more, err := s.tape.next()
	if err != nil {
		return true, err
	}
	if !more || s.past > 0 && s.tape.at > s.past {
		s.say(s.words.stepEnd)
		return true, s.check()
	}
	return false, s.show(text)
}

// goTo asks for a number or an id and shows the entry there.
func (s *stepper) goTo(ctx context.Context) error {
	where, err := s.ask(ctx, s.words.stepGo)
	if err != nil || where == "" {
		return err
	}
	if seq, err := strconv.ParseInt(where, 10, 64); err == nil {
		return s.shown(s.tape.to(max(1, seq)))
	}
	p := newPoint(where)
	here := s.tape.at
	s.tape.rewind()
	text, ok, err := s.tape.seekPoint(p)
	if err != nil || ok {
		return s.shown(text, ok, err)
	}
	s.say(fmt.Sprintf(s.words.noID, where))
	_, _, err = s.tape.to(here)
	return err
}

// search shows the next entry with the text that was asked for.
func (s *stepper) search() error {
	if s.searched == "" {
		return nil
	}
	return s.shown(s.tape.seek(contains(s.searched)))
}

// ask reads a line below a prompt.
func (s *stepper) ask(ctx context.Context, prompt string) (string, error) {
	s.put(prompt + " ")
	line, err := readLine(ctx, s.keys)
	return strings.TrimSpace(line), err
}

// shown shows an entry that was looked for, or says that there is none.
func (s *stepper) shown(text string, ok bool, err error) error {
	if err != nil {
		return err
	}
	if !ok {
		s.say(s.words.stepNone)
		return nil
	}
	return s.show(text)
}

func (s *stepper) show(text string) error {
	_, err := io.WriteString(s.Stdout, text)
	return err
}
