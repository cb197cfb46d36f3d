package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/render"
)

// chatTerminal is a chat with a person at a terminal: a line to type in, below
// the rows of the agents while they work.
type chatTerminal struct {
	*chatCommand
	keys   chan []byte // what was typed; closed at its end
	editor lineEditor
	rest   []byte // typed, not yet taken
}

func newChatTerminal(c *chatCommand) *chatTerminal {
	return &chatTerminal{chatCommand: c, keys: make(chan []byte)}
}

// run talks until the person leaves. All the while the terminal gives each key
// at once, so that none is lost between a line and a turn.
func (c *chatTerminal) run(ctx context.Context) error {
	restore, err := c.Raw()
	if err != nil {
		return err
	}
	env := c.Env
	c.Env = rawEnv(env)
	_, _ = io.WriteString(c.Stderr, pasteOn)
	defer func() {
		_, _ = io.WriteString(c.Stderr, pasteOff)
		c.Env = env
		_ = restore()
	}()
	go c.read(ctx, env.Stdin)
	c.typed = c.keys
	if !c.quiet {
		c.say(c.paint(c.Stderr, render.StyleDim, c.words.chatHint))
	}
	for {
		line, left, err := c.prompt(ctx)
		if left || err != nil {
			return err
		}
		c.say(c.sign() + render.Clean(line))
		if leave, err := c.line(ctx, line, c); leave || err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// rawEnv is env with a terminal that gives each key at once, and so does not
// return the cursor at the end of a line by itself.
func rawEnv(env Env) Env {
	raw := env
	raw.Stderr, raw.Stdout = returning{env.Stderr}, returning{env.Stdout}
	raw.IsTerminal = func(s any) bool {
		if w, ok := s.(returning); ok {
			s = w.Writer
		}
		return env.IsTerminal(s)
	}
	raw.Size = func(w io.Writer) (width, height int) {
		if r, ok := w.(returning); ok {
			w = r.Writer
		}
		return env.Size(w)
	}
	raw.Raw = func() (func() error, error) { return func() error { return nil }, nil }
	if !env.IsTerminal(env.Stdout) {
		raw.Stdout = env.Stdout
	}
	return raw
}

// returning returns the cursor at the end of each line.
type returning struct{ io.Writer }

func (w returning) Write(b []byte) (int, error) {
	text := bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	if _, err := w.Writer.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// read hands over what is typed, for all prompts and turns. Its last read ends
// with the process.
func (c *chatTerminal) read(ctx context.Context, in io.Reader) {
	defer close(c.keys)
	for {
		buf := make([]byte, 1024)
		n, err := in.Read(buf)
		if n > 0 {
			select {
			case c.keys <- buf[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// prompt lets the person type a message; left says that there will be none.
func (c *chatTerminal) prompt(ctx context.Context) (line string, left bool, err error) {
	l := startLive(c.Env, c.view, render.Total{})
	defer l.close()
	var restore func() error
	if err := l.under(c.rows, true, func() (err error) { restore, err = c.Raw(); return err }); err != nil {
		return "", false, err
	}
	defer func() { _ = l.under(nil, false, restore) }()
	for {
		keys := c.rest
		if len(keys) == 0 {
			var open bool
			select {
			case keys, open = <-c.keys:
				if !open {
					return "", true, nil
				}
			case <-ctx.Done():
				return "", false, context.Cause(ctx)
			}
		}
		var did typed
		l.change(func() { did, c.rest = c.editor.typeAll(keys) })
		switch did {
		case typedLine:
			l.change(func() { line = c.editor.take() })
			if line != "" {
				return line, false, nil
			}
		case typedInterrupt:
			l.change(func() { c.editor.remove(0, len(c.editor.text)) })
			l.add(event.Record{}, c.words.chatHint+"\n")
		case typedEnd:
			return "", true, nil
		case typedText:
		}
		l.redraw()
	}
}

// rows draw what the person types.
func (c *chatTerminal) rows(width, height int) []string {
	cursor := "▏"
	if c.view.ASCII {
		cursor = "_"
	}
	return c.editor.rows(c.sign(), cursor, max(8, width), max(1, c.view.AmbiguousWidth), max(1, height/2))
}

// listen takes lines while the team works and nothing waits for the person:
// commands, and messages to the leader.
func (c *chatTerminal) listen(ctx context.Context, run *leader.Run, l *live, look <-chan time.Time) {
	var restore func() error
	if l.under(c.rows, true, func() (err error) { restore, err = c.Raw(); return err }) != nil {
		return
	}
	defer func() { _ = l.under(nil, false, restore) }()
	for {
		select {
		case <-look:
			if len(run.Pending()) > 0 {
				return
			}
			continue
		case <-ctx.Done():
			return
		case keys, open := <-c.keys:
			if !open {
				return
			}
			l.change(func() { c.rest = append(c.rest, keys...) })
		}
		for len(c.rest) > 0 {
			c.obey(ctx, run, l)
		}
		l.redraw()
	}
}

// obey takes what was typed up to the end of a line, and does what that says.
func (c *chatTerminal) obey(ctx context.Context, run *leader.Run, l *live) {
	var did typed
	line := ""
	l.change(func() {
		if did, c.rest = c.editor.typeAll(c.rest); did == typedLine {
			line = c.editor.take()
		}
	})
	if did == typedInterrupt {
		c.stop.interrupt()
	}
	if line != "" {
		l.add(event.Record{}, c.sign()+render.Clean(line)+"\n"+c.during(ctx, run, line))
	}
}

// during does what a line asks for while the team works, and returns what to
// show.
func (c *chatTerminal) during(ctx context.Context, run *leader.Run, line string) string {
	if !strings.HasPrefix(line, "/") {
		line = "/tell " + event.Leader + " " + line
	}
	leave, text := c.command(ctx, line, run)
	if leave {
		return c.words.stopFirst + "\n"
	}
	return text
}
