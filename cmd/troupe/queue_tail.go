package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/render"
)

// queueTail is "troupe queue tail": what agents say in a session.
type queueTail struct {
	*queueCommand
	viewFlags
	from, reader string
	noFollow     bool
}

func (a *app) queueTailCommand() *cobra.Command {
	t := &queueTail{}
	cmd := &cobra.Command{
		Use: "tail SESSION", Args: a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return t.Run(cmd.Context(), args[0]) },
	}
	var f flags
	t.queueCommand, f = a.queue(cmd)
	f.text(&t.from, "from", "")
	f.text(&t.reader, "reader", "")
	f.flag(&t.noFollow, "no-follow", "")
	t.declare(f)
	return cmd
}

// shownEntry is an event with its place, as JSON.
type shownEntry struct {
	ID    string        `json:"id"`
	Event streams.Event `json:"event"`
}

// Run shows the session from its beginning, from a place, or from where a reader
// of that name was, and goes on until Ctrl-C.
func (t *queueTail) Run(ctx context.Context, session string) error {
	view, err := t.viewOptions(t.Stdout, t.viewFlags, config.Display{})
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.open(ctx); err != nil {
		return err
	}
	from := cmp.Or(t.from, streams.Begin)
	if t.reader != "" && t.from == "" {
		if from, err = t.client.Checkpoint(ctx, session, t.reader); err != nil {
			return err
		}
	}
	entries := t.client.Tail(ctx, session, from)
	if t.noFollow {
		entries = t.client.Read(ctx, session, from)
	}
	return t.print(ctx, session, entries, render.NewPrinter(view))
}

func (t *queueTail) print(ctx context.Context, session string, entries iter.Seq2[streams.Entry, error], printer *render.Printer) error {
	shown := newShownSession()
	for e, err := range entries {
		if wire, ok := errors.AsType[*streams.WireError](err); ok { // the next one may be better
			t.warn(e.ID + ": " + wire.Error())
			continue
		}
		if err != nil {
			return err
		}
		if t.json {
			err = writeJSON(t.Stdout, shownEntry{e.ID, e.Event})
		} else {
			for _, rec := range shown.records(e.Event) {
				_, err = io.WriteString(t.Stdout, printer.Record(rec))
			}
		}
		if err != nil {
			return err
		}
		if t.reader != "" {
			if err := t.client.SaveCheckpoint(ctx, session, t.reader, e.ID); err != nil {
				return err
			}
		}
	}
	if t.json {
		return nil
	}
	for _, rec := range shown.rest() {
		if _, err := io.WriteString(t.Stdout, printer.Record(rec)); err != nil {
			return err
		}
	}
	return nil
}
