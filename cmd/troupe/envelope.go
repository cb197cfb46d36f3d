package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/render"
)

// envelopeCommand is "troupe envelope": messages of the standard envelope, one
// by one as they come.
type envelopeCommand struct {
	*app
	json     bool
	from, to string
	maps     []string

	count, refused int // messages so far
}

func (a *app) envelopeCommand() *cobra.Command {
	e := &envelopeCommand{app: a}
	group := &cobra.Command{
		Use:  "envelope",
		Args: a.subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	check := &cobra.Command{
		Use:  "check [FILE…]",
		RunE: func(cmd *cobra.Command, args []string) error { return e.Check(cmd.Context(), args) },
	}
	explain := &cobra.Command{
		Use:  "explain [FILE…]",
		RunE: func(cmd *cobra.Command, args []string) error { return e.Explain(cmd.Context(), args) },
	}
	convert := &cobra.Command{
		Use:  "convert [FILE…]",
		RunE: func(cmd *cobra.Command, args []string) error { return e.Convert(cmd.Context(), args) },
	}
	a.flags(check).flag(&e.json, "json", "")
	a.flags(explain).flag(&e.json, "json", "")
	f := a.flags(convert)
	f.text(&e.from, "from", "")
	f.text(&e.to, "to", "")
	f.list(&e.maps, "map", "")
	for _, name := range []string{"from", "to"} {
		_ = convert.RegisterFlagCompletionFunc(name, e.completeDialects) // the flag is there
	}
	group.AddCommand(check, convert, explain)
	return group
}

// envelopeRow is what was found in one message, as JSON.
type envelopeRow struct {
	File     string            `json:"file,omitempty"`
	Line     int               `json:"line"`
	Verdict  envelope.Verdict  `json:"verdict"`
	MsgID    string            `json:"msg_id,omitempty"`
	Sender   string            `json:"sender,omitempty"`
	Receiver string            `json:"receiver,omitempty"`
	Type     envelope.Type     `json:"type,omitempty"`
	Faults   []envelope.Remark `json:"faults,omitempty"`
	Notes    []envelope.Remark `json:"notes,omitempty"`
	Walk     []envelope.Look   `json:"walk,omitempty"`
}

func envelopeRowOf(at place, f envelope.Finding) envelopeRow {
	return envelopeRow{
		File: at.file, Line: at.line, Verdict: f.Verdict, MsgID: f.Envelope.MsgID, Sender: f.Envelope.Sender,
		Receiver: f.Envelope.Receiver, Type: f.Envelope.Type, Faults: f.Faults, Notes: f.Notes,
	}
}

// Check prints a line for each message.
func (e *envelopeCommand) Check(ctx context.Context, files []string) error {
	stream := envelope.NewStream(envelope.Options{})
	err := e.each(ctx, files, func(at place, raw []byte) error {
		f := stream.Check(raw)
		e.tally(f.Verdict)
		if e.json {
			return writeJSON(e.Stdout, envelopeRowOf(at, f))
		}
		_, err := io.WriteString(e.Stdout, e.verdict(f.Verdict)+"  "+at.String()+"  "+e.summary(f)+"\n")
		return err
	})
	return e.end(err, "summary")
}

// Explain prints the walk through each message.
func (e *envelopeCommand) Explain(ctx context.Context, files []string) error {
	stream := envelope.NewStream(envelope.Options{})
	err := e.each(ctx, files, func(at place, raw []byte) error {
		f := stream.Check(raw)
		e.tally(f.Verdict)
		walk := envelope.Walk(f)
		if e.json {
			row := envelopeRowOf(at, f)
			row.Faults, row.Notes, row.Walk = nil, nil, walk
			return writeJSON(e.Stdout, row)
		}
		text := e.walk(at, f, walk)
		if e.count > 1 {
			text = "\n" + text
		}
		_, err := io.WriteString(e.Stdout, text)
		return err
	})
	return e.end(err, "summary")
}

// tally counts a message.
func (e *envelopeCommand) tally(v envelope.Verdict) {
	e.count++
	if v.Refused() {
		e.refused++
	}
}

// end says on stderr how many messages there were; refused ones are exit code
// 1.
func (e *envelopeCommand) end(err error, words string) error {
	switch w := e.words.envelope; {
	case err != nil:
		return err
	case e.count == 0:
		e.say(w["none"])
	default:
		e.say(fmt.Sprintf(w[words], e.count, e.refused))
	}
	if e.refused > 0 {
		return &failure{code: exitFailed}
	}
	return nil
}

// place is where a message begins.
type place struct {
	file string // empty for stdin
	line int
}

// String is "FILE:LINE", or the line alone for stdin.
func (p place) String() string {
	if p.file == "" {
		return fmt.Sprint(p.line)
	}
	return fmt.Sprintf("%s:%d", render.CleanLine(p.file), p.line)
}

// each hands over the messages of the files in their order; no file, and "-",
// is stdin.
func (e *envelopeCommand) each(ctx context.Context, files []string, do func(place, []byte) error) error {
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, name := range files {
		if err := e.eachOf(ctx, name, do); err != nil {
			return err
		}
	}
	return nil
}

func (e *envelopeCommand) eachOf(ctx context.Context, name string, do func(place, []byte) error) error {
	at := place{}
	messages := newMessages(e.Stdin, envelope.MaxBytes)
	slow := func() { e.say(e.words.waitingForStdin) }
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return usageError(unpathed(name, err), "")
		}
		defer file.Close()
		at.file, messages = name, newMessages(file, envelope.MaxBytes)
	}
	for {
		var raw []byte
		err := await(ctx, slow, func() (err error) {
			raw, at.line, err = messages.next()
			return err
		})
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case err != nil:
			return usageError(unpathed(name, err), "")
		}
		slow = nil // who has sent one message knows how to go on
		if err := do(at, raw); err != nil {
			return err
		}
	}
}

// unpathed words an error of a file whose name the caller says.
func unpathed(name string, err error) string {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		err = e.Err
	}
	return render.CleanLine(name) + ": " + unpackaged(err)
}

// completeDialects completes the names of dialects.
func (e *envelopeCommand) completeDialects(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	dialects, err := e.dialects()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return dialectNames(dialects), cobra.ShellCompDirectiveNoFileComp
}

func dialectNames(dialects []envelope.Dialect) []string {
	var names []string
	for _, d := range dialects {
		names = append(names, d.Name())
	}
	return names
}

// verdict is the word in its width and colour.
func (e *envelopeCommand) verdict(v envelope.Verdict) string {
	style := render.StyleOK
	switch {
	case v.Refused():
		style = render.StyleError
	case v != envelope.OK:
		style = render.StyleWarn
	}
	word := string(v)
	return e.paint(e.Stdout, style, word) + strings.Repeat(" ", len("missing")-len(word))
}
