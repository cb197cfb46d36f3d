package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/nearest"
	"github.com/troupe-go/troupe/render"
)

// queueSend is "troupe queue send": a task for an agent type.
type queueSend struct {
	*queueCommand
	viewFlags
	session, user, message string
	extra                  string
	anyway, follow         bool
}

func (a *app) queueSendCommand() *cobra.Command {
	s := &queueSend{}
	cmd := &cobra.Command{
		Use: "send TYPE [TEXT…]", Args: a.args(1, maxWords),
		RunE: func(cmd *cobra.Command, args []string) error { return s.Run(cmd.Context(), args[0], args[1:]) },
	}
	var f flags
	s.queueCommand, f = a.queue(cmd)
	f.text(&s.session, "session", "s")
	f.text(&s.user, "user", "u")
	f.text(&s.message, "message-id", "")
	f.text(&s.extra, "extra", "")
	f.flag(&s.anyway, "queue-anyway", "")
	f.flag(&s.follow, "follow", "")
	s.declare(f)
	return cmd
}

// Run sends the task, and with --follow shows it to its end.
func (s *queueSend) Run(ctx context.Context, agentType string, args []string) error {
	text, err := s.given(ctx, args)
	if err != nil {
		return err
	}
	if blank(text) {
		return usageError(s.words.emptyTask, "troupe queue send TYPE TEXT")
	}
	extra, err := s.values("extra", s.extra)
	if err != nil {
		return err
	}
	view, err := s.viewOptions(s.Stderr, s.viewFlags, config.Display{})
	if err != nil {
		return err
	}
	if s.session == "" {
		if s.session, err = newSessionName(); err != nil {
			return err
		}
	}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return err
	}
	policy := streams.FailFast
	if s.anyway {
		policy = streams.SendAnyway
	}
	from, err := s.client.Cursor(ctx, s.session)
	if err != nil {
		return err
	}
	sent, err := s.client.Send(ctx, streams.Request{
		AgentType: agentType, SessionID: s.session, Content: streams.TextContent(text), MessageID: s.message,
		UserCode: s.user, UserName: s.user, Extra: extra, Policy: policy,
	})
	if err != nil {
		return s.refusal(ctx, err, agentType)
	}
	if sent.Known {
		s.say(s.words.queue["known"])
		from = streams.Begin // it may have ended
	}
	if s.follow {
		return s.show(ctx, sent, from, view)
	}
	return s.report(sent)
}

// newSessionName makes the name of a session that nobody named.
func newSessionName() (string, error) {
	digits := make([]byte, 4)
	if _, err := rand.Read(digits); err != nil {
		return "", err
	}
	return "sess-" + hex.EncodeToString(digits), nil
}

// sentTask is a task that was sent, as JSON.
type sentTask struct {
	MessageID string `json:"message_id"`
	SessionID string `json:"session_id"`
	AgentType string `json:"agent_type"`
	TraceID   string `json:"trace_id"`
	EntryID   string `json:"entry_id,omitempty"`
	Known     bool   `json:"known,omitempty"`
}

// report prints what was sent: the id of the message on stdout, and how to go on.
func (s *queueSend) report(sent streams.Sent) error {
	if s.json {
		return writeJSON(s.Stdout, sentTask{
			MessageID: sent.MessageID, SessionID: s.session, AgentType: sent.AgentType, TraceID: sent.TraceID, EntryID: sent.EntryID, Known: sent.Known,
		})
	}
	_, err := io.WriteString(s.Stdout, render.CleanLine(sent.MessageID)+"\n")
	s.say("  → troupe queue tail " + shellWord(s.session))
	return err
}

// show shows the task on stderr until it ends or waits for its user, and prints
// the answer.
func (s *queueSend) show(ctx context.Context, sent streams.Sent, from string, view render.Options) error {
	printer, shown := render.NewPrinter(view), newShownSession()
	answer, asks := "", ""
	for e, err := range s.client.Follow(ctx, s.session, sent.MessageID, from) {
		if s.unreadable(e, err) {
			continue
		}
		if err != nil {
			return err
		}
		if s.json {
			if err := s.writeEntry(e); err != nil {
				return err
			}
		}
		if e.Event.Kind() == streams.KindAnswer && e.Event.MessageID == sent.MessageID {
			answer = e.Event.Text()
			shown.whole(e.Event, answer)
		} else {
			for _, rec := range shown.records(e.Event) {
				_, _ = io.WriteString(s.Stderr, printer.Record(rec))
			}
		}
		if e.Event.Kind() == streams.KindQuestion && !s.answered(ctx, sent, e.Event) {
			asks = e.Event.MessageID // it may be a task below
			break
		}
	}
	rec, err := s.client.Record(ctx, s.session, sent.MessageID)
	if err != nil {
		return err
	}
	switch {
	case asks != "":
		return &failure{
			code: exitWaiting, text: fmt.Sprintf(s.words.queue["waits"], render.CleanLine(asks)),
			hint: "troupe queue resume " + shellWord(s.session) + " " + shellWord(asks) + " TEXT",
		}
	case rec.Status != streams.Completed:
		return &failure{code: exitFailed, text: strings.TrimSpace(string(rec.Status) + " " + rec.ErrorMessage + rec.CancelReason)}
	case s.json:
		return nil
	}
	_, err = io.WriteString(s.Stdout, strings.TrimRight(answer, "\n")+"\n")
	return err
}

// answered reports whether a question that a task asked earlier, when it was sent the
// first time, has been answered since.
func (s *queueSend) answered(ctx context.Context, sent streams.Sent, question streams.Event) bool {
	if !sent.Known {
		return false
	}
	rec, err := s.client.Record(ctx, s.session, question.MessageID)
	return err == nil && rec.State() != streams.StateSuspended
}

// whoIsThere names the agent types that somebody works for, and the way out.
func (q *queueCommand) whoIsThere(ctx context.Context, agentType string) string {
	types, err := q.client.OnlineTypes(ctx)
	if err != nil {
		return ""
	}
	hint := "troupe worker --agent-type " + shellWord(agentType)
	if len(types) > 0 {
		hint = fmt.Sprintf(q.words.queue["online"], strings.Join(types, ", "))
	}
	if near := nearest.Of(agentType, types); near != "" {
		hint = fmt.Sprintf(q.words.didYouMean, near) + "\n" + hint
	}
	return hint + "\n" + q.words.queue["anyway"]
}
