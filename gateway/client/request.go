package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// take serves a message of the client. What does not get done in time is refused,
// and may be sent again: meanwhile nothing else of this client is served.
func (c *conn) take(ctx context.Context, m Message) {
	if err := c.room.order(m.Seq); err != nil {
		c.fail(m, gateway.AuditSession, err)
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, serving, errBusy)
	defer cancel()
	switch b := m.Body.(type) {
	case Ping:
		c.answer(m, Message{Body: Pong{}})
	case Pong, Event: // that it was heard is all there is to it
	case Request:
		c.request(ctx, m, b)
	case ToolResult:
		if c.unnamed(m) {
			return
		}
		c.once(ctx, m, func(ctx context.Context) (Message, error) { return Message{}, c.toolResult(ctx, m, b) })
	case Hello:
		c.fail(m, gateway.AuditSession, gateway.NewError(gateway.StatusConflict, "the connection has a session").WithHint("connect again for another one"))
	case Fragment, HelloAck, Resumed, Expired, Response, Chunk, Final, ToolCall:
		c.fail(m, gateway.AuditSession, gateway.NewError(gateway.StatusBad, "a client does not send %q", b.Type()))
	case Unknown:
		c.fail(m, gateway.AuditSession, gateway.NewError(gateway.StatusBad, "there is no type %q", b.Name).WithHint("see troupe schema client"))
	}
	c.acknowledge(m)
}

var errBusy = gateway.NewError(gateway.StatusUnavailable, "the session is busy").WithHint("send the message again, with the same id")

// acknowledge tells the client that a message has come, if it wants to know.
func (c *conn) acknowledge(m Message) {
	if _, isAck := m.Body.(Event); m.Ack && !isAck {
		c.answer(m, Message{Body: Event{Event: EventAck, Of: m.ID}})
	}
}

// request serves a request.
func (c *conn) request(ctx context.Context, m Message, r Request) {
	if c.unnamed(m) {
		return
	}
	switch r.Method {
	case MethodPrompt:
		c.prompt(ctx, m, r)
	case MethodAgents:
		c.read(m, func() (any, error) { return c.h.opts.Sessions.Agents(ctx, c.handle) })
	case MethodHistory:
		c.read(m, func() (any, error) { return c.history(ctx, r.After) })
	case MethodRefresh:
		c.read(m, func() (any, error) { return c.refresh(r.Token) })
	case MethodCancel, MethodSteer, MethodAnswer, MethodApprove:
		c.once(ctx, m, func(ctx context.Context) (Message, error) {
			return result(map[string]bool{"ok": true}), c.command(ctx, m, r)
		})
	default:
		c.fail(m, gateway.AuditSession, gateway.NewError(gateway.StatusBad, "there is no method %q", r.Method).
			WithHint("it is prompt, cancel, steer, answer, approve, agents, history or refresh"))
	}
}

// unnamed refuses a message with an effect that has no id to know it by.
func (c *conn) unnamed(m Message) bool {
	if m.ID != "" {
		return false
	}
	c.fail(m, gateway.AuditSession, gateway.NewError(gateway.StatusBad, "the %s has no id", m.Body.Type()).
		WithHint("give each message an id of its own; one that is sent again keeps it"))
	return true
}

// read answers a request that changes nothing of the session, and so may be served
// again.
func (c *conn) read(m Message, do func() (any, error)) {
	v, err := do()
	if err != nil {
		c.fail(m, gateway.AuditSession, err)
		return
	}
	c.answer(m, result(v))
}

// result is a response with a result.
func result(v any) Message {
	text, err := appendjson.Value(nil, v)
	if err != nil {
		return failed(err)
	}
	return Message{Body: Response{Result: text}}
}

// once serves a message that has an effect. One that comes again gets the same
// answer, and has none. What fails in a way that may pass is forgotten, so that it
// can be sent again.
func (c *conn) once(ctx context.Context, m Message, do func(context.Context) (Message, error)) {
	o, first := c.room.begin(m.ID)
	if !first {
		c.repeat(ctx, m, o)
		return
	}
	defer close(o.ready)
	answer, err := do(ctx)
	if err != nil {
		err = c.timely(ctx, err)
		answer = failed(err)
		if gateway.ErrorOf(err).Retryable {
			c.room.forget(m.ID)
		}
		c.refuse(aboutOf(m), c.traceOf(m), err)
	}
	o.answer = answer
	if answer.Body != nil {
		c.answer(m, answer)
	}
}

// timely words the error of a request that was not served in time.
func (c *conn) timely(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errBusy) {
		return errBusy
	}
	return err
}

// repeat answers a message that came before, on this connection or another one.
func (c *conn) repeat(ctx context.Context, m Message, o *outcome) {
	select {
	case <-o.ready:
	case <-ctx.Done():
		c.fail(m, gateway.AuditSession, errBusy)
		return
	}
	switch {
	case o.answer.Body != nil:
		c.answer(m, o.answer)
	case o.isPrompt:
		c.again(ctx, m)
	}
}

// aboutOf is what the refusal of a message is audited as.
func aboutOf(m Message) gateway.AuditEvent {
	switch b := m.Body.(type) {
	case ToolResult:
		return gateway.AuditToolResult
	case Request:
		if b.Method == MethodApprove {
			return gateway.AuditApproval
		}
	default:
	}
	return gateway.AuditSession
}

// command does what a request asks for.
func (c *conn) command(ctx context.Context, m Message, r Request) error {
	s := c.h.opts.Sessions
	switch r.Method {
	case MethodCancel:
		mode := event.StopNow
		if r.Mode != "" {
			mode = r.Mode
		}
		return s.Stop(ctx, c.handle, r.Agent, mode)
	case MethodSteer:
		text, err := c.textOf(m, r)
		if err == nil {
			err = s.Tell(ctx, c.handle, steerMark+m.ID, r.Agent, text)
		}
		return err
	case MethodAnswer:
		text, err := c.textOf(m, r)
		if err == nil {
			err = s.Answer(ctx, c.handle, r.QuestionID, text)
		}
		return err
	}
	return s.Approve(ctx, c.handle, event.ApprovalDecided{ID: r.ApprovalID, Decision: r.Decision, Rule: r.Rule, Reason: r.Reason})
}

// textOf is the text of a message, those of the files that it refers to included; in
// place of a content without a text stands the field.
func (c *conn) textOf(m Message, r Request) (string, error) {
	text, err := c.h.opts.Files.text(c.user, m.Content)
	if err != nil {
		return "", err
	}
	return cmp.Or(text, r.Text), nil
}

// toolResult brings the team the result of a call.
func (c *conn) toolResult(ctx context.Context, m Message, r ToolResult) error {
	agent, call := cutCall(r.CallID)
	d := event.ToolReturned{CallID: call}
	var err error
	if r.Error != nil {
		d.IsError, d.Result = true, r.Error.Message
	} else if d.Result, err = c.h.opts.Files.text(c.user, m.Content); err != nil {
		return err
	}
	return c.h.opts.Sessions.ToolResult(ctx, c.handle, agent, d)
}

// maxHistory bounds the messages of an answer to history, in number and in bytes.
const (
	maxHistory      = 256
	maxHistoryBytes = 1 << 20
)

// History is the result of history: messages in order, and whether there are more.
type History struct {
	Messages []json.RawMessage `json:"messages"`
	More     bool              `json:"more"`
}

// history is the messages after a number, as for a client with every capability.
func (c *conn) history(ctx context.Context, after int64) (History, error) {
	h := History{Messages: []json.RawMessage{}}
	var f fold
	size := 0
	for rec, err := range c.h.opts.Sessions.Records(ctx, c.handle, 0) {
		if err != nil {
			return h, err
		}
		var list []Message
		if f.seq+f.count(rec) > after {
			if list, err = f.messages(rec); err != nil {
				return h, err
			}
		}
		f.apply(rec)
		for _, m := range list {
			if m.Seq <= after {
				continue
			}
			m.SessionID = c.session
			text, err := m.Encode()
			if err != nil {
				return h, err
			}
			if size += len(text); len(h.Messages) > 0 && (size > maxHistoryBytes || len(h.Messages) == maxHistory) {
				h.More = true
				return h, nil
			}
			h.Messages = append(h.Messages, text)
		}
	}
	return h, nil
}

// Token is the result of refresh.
type Token struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires,omitzero"`
}

// refresh takes a new token, or makes one.
func (c *conn) refresh(token string) (Token, error) {
	if token == "" {
		c.out.lock()
		old := c.token
		c.out.unlock()
		var err error
		if token, _, err = c.h.opts.Auth.Refresh(old); err != nil {
			return Token{}, err
		}
	}
	if err := c.identify(token); err != nil {
		return Token{}, err
	}
	c.pulse.renewed()
	return Token{token, c.expiry().UTC()}, nil
}

// expiring warns that the token ends.
func expiring(end time.Time) Message {
	text, _ := appendjson.Value(nil, map[string]time.Time{"expires": end.UTC()}) // a time of a token has a JSON form
	return Message{Body: Event{Event: EventExpiring, Data: text}}
}
