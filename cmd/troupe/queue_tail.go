package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"

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

// entryPlace is the id of an entry of a stream.
var entryPlace = regexp.MustCompile(`^[0-9]{1,19}(-[0-9]{1,19})?$`)

// shownEntry is an event with its place, as JSON.
type shownEntry struct {
	ID    string        `json:"id"`
	Event streams.Event `json:"event"`
}

// Run shows the session from its beginning, from a place, or from where a reader
// of that name was, and goes on until Ctrl-C.
func (t *queueTail) Run(ctx context.Context, session string) error {
	if t.from != "" && !entryPlace.MatchString(t.from) {
		return usageError(fmt.Sprintf(t.words.badValue, "from", t.from, "0-0, 1790000000000-0 …"), "")
	}
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

// unreadable warns of an entry that cannot be read; the next one may be better.
func (q *queueCommand) unreadable(e streams.Entry, err error) bool {
	wire, ok := errors.AsType[*streams.WireError](err)
	if ok {
		q.warn(e.ID + ": " + unpackaged(wire))
	}
	return ok
}

func (t *queueTail) print(ctx context.Context, session string, entries iter.Seq2[streams.Entry, error], printer *render.Printer) error {
	shown := newShownSession()
	for e, err := range entries {
		if t.unreadable(e, err) {
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
