package main

import (
	"context"
	"io"
	"iter"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/transcript"
)

// maskedSessions are sessions whose records leave the machine: every secret in
// them is hidden once more, also in the calls that a model made.
type maskedSessions struct {
	gateway.Sessions
	mask *transcript.Mask
}

func (m maskedSessions) Records(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return m.mask.Records(m.Sessions.Records(ctx, session, after))
}

func (m maskedSessions) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return m.mask.Records(m.Sessions.Follow(ctx, session, after))
}

// watch writes into the audit what a record of a session calls for.
func (sv *server) watch(user, session, trace string, rec event.Record) {
	if e, ok := gateway.AuditOf(rec); ok {
		e.User, e.Session, e.TraceID = user, session, trace
		sv.Note(e)
	}
}

// maskedWriter hides secrets in what is written, which is one text at a time.
type maskedWriter struct {
	w    io.Writer
	mask *transcript.Mask
}

func (m maskedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(m.w, m.mask.Text(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
