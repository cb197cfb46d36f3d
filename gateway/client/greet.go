package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
)

// maxName bounds the id of a session, in bytes.
const maxName = 256

// maxTries is how many messages may come before one is a good hello.
const maxTries = 5

var errNoHello = errors.New("client: no good hello came")

// greet waits for the hello and opens the session. It returns the fold from where
// on the client is to be told. The timer that ends the connection does not run while a
// hello is served.
func (c *conn) greet(ctx context.Context, late *time.Timer) (start fold, err error) {
	end := time.Now().Add(greetingTimeout)
	for range maxTries {
		m, err := c.receive(ctx)
		if errors.Is(err, errRefused) {
			continue
		}
		if err != nil {
			return start, err
		}
		hello, ok := m.Body.(Hello)
		if !ok {
			c.fail(m, gateway.AuditAuth, gateway.NewError(gateway.StatusUnauthorized, "the first message is %q", m.Body.Type()).WithHint("say hello first"))
			continue
		}
		late.Stop()
		start, err = c.welcome(ctx, m, hello)
		if err == nil {
			return start, nil
		}
		if code, final := farewell(err); final {
			c.end(code, reasonOf(gateway.ErrorOf(err).Message))
			return start, err
		}
		late.Reset(time.Until(end))
	}
	c.end(closeSilent, "no hello came")
	return start, errNoHello
}

// farewell is how a connection ends whose hello was refused; final is false when
// another one may be good.
func farewell(err error) (code websocket.StatusCode, final bool) {
	if errors.Is(err, errExpired) {
		return 0, false
	}
	switch gateway.ErrorOf(err).Code {
	case gateway.StatusUnauthorized, gateway.StatusForbidden:
		return CloseExpired, true
	case gateway.StatusTooMany:
		return websocket.StatusTryAgainLater, true
	case gateway.StatusInternal:
		return websocket.StatusInternalError, true
	default:
		return 0, false
	}
}

// welcome answers a hello.
func (c *conn) welcome(ctx context.Context, m Message, hello Hello) (start fold, err error) {
	ctx, cancel := context.WithTimeout(ctx, greetingTimeout)
	defer cancel()
	about := gateway.AuditAuth
	defer func() {
		if err != nil && !errors.Is(err, errExpired) {
			c.fail(m, about, err)
		}
	}()
	if isTrace(m.TraceID) {
		c.trace = m.TraceID
	}
	if p := hello.Protocol; p != 0 && p != Protocol {
		return start, gateway.NewError(gateway.StatusBad, "protocol %d is not spoken here", p).WithHint(fmt.Sprintf("say protocol %d", Protocol))
	}
	nobody := c.user == ""
	if hello.Token != "" || nobody {
		if err := c.identify(hello.Token); err != nil {
			return start, err
		}
	}
	if nobody { // the hello could not be counted before
		about = gateway.AuditLimit
		if err := c.h.opts.Limits.Message(c.user, 0); err != nil {
			return start, err
		}
	}
	about = gateway.AuditSession
	if err := c.agree(hello); err != nil {
		return start, err
	}
	named, err := c.choose(m.SessionID)
	if err != nil {
		return start, err
	}
	if !named {
		hello.LastSeq = 0 // of another session
	}
	start, end, err := c.open(ctx, hello.LastSeq)
	if err != nil {
		return start, err
	}
	if named && (end.record == 0 && !c.h.has(c.handle) || hello.LastSeq > end.seq) {
		return start, c.expire(m, hello, end)
	}
	c.had, c.then, c.seq, c.fold = hello.LastSeq, end, hello.LastSeq, start
	c.room, _ = c.h.enter(c.handle, c)
	c.start(m, hello, named, end)
	return start, nil
}

// agree settles what both sides can.
func (c *conn) agree(hello Hello) error {
	c.info, c.can = hello.ClientInfo, hello.Capabilities
	if n := c.can.MaxMessageSize; n != 0 {
		if n < minMessage {
			return gateway.NewError(gateway.StatusBad, "max_message_size is %d; at least %d", n, minMessage)
		}
		c.limit = min(c.h.opts.MaxMessage, n)
	}
	c.tools, c.setting = nil, ""
	if !c.can.ToolCallbacks || len(c.can.Tools) == 0 {
		return nil
	}
	c.tools = map[string]bool{}
	for _, t := range c.can.Tools {
		if t.Name == "" || c.tools[t.Name] {
			return gateway.NewError(gateway.StatusBad, "the tool %q has no name, or that of another", t.Name)
		}
		c.tools[t.Name] = true
	}
	text, err := json.Marshal(c.can.Tools)
	if len(c.can.Tools) > maxTools || len(text) > maxToolBytes {
		return gateway.NewError(gateway.StatusTooLarge, "there are %d tools of %d bytes; at most %d of %d", len(c.can.Tools), len(text), maxTools, maxToolBytes)
	}
	c.setting = string(text)
	return err
}

// Bounds of the tools that a client executes: each stands in the log, and in each
// request to a model.
const (
	maxTools     = 128
	maxToolBytes = 64 << 10
)

// choose settles which session is meant; named is false for one that the client
// does not know yet.
func (c *conn) choose(id string) (named bool, err error) {
	switch {
	case c.path != "" && id != "" && c.path != id:
		return false, gateway.NewError(gateway.StatusBad, "the path names the session %q, and session_id %q", c.path, id)
	case c.path != "":
		id = c.path
	}
	named = id != ""
	if !named {
		id = newID("sess_")
	}
	c.session = id
	return named, nil
}

// errExpired says that the session cannot be gone on with.
var errExpired = errors.New("client: the session has expired")

// expire tells the client that it has to begin anew, and why.
func (c *conn) expire(m Message, hello Hello, end fold) error {
	why := "the session is not known here"
	if end.record > 0 {
		why = fmt.Sprintf("the session has %d messages, and message %d was asked for", end.seq, hello.LastSeq)
	}
	c.note(gateway.AuditEntry{Event: gateway.AuditSession, Detail: "expired: " + why})
	c.answer(m, Message{Body: Expired{Reason: why + "; say hello without session_id to begin anew"}})
	c.path, c.session, c.handle = "", "", ""
	return errExpired
}

// start tells the client what holds, and where the session goes on.
func (c *conn) start(m Message, hello Hello, named bool, end fold) {
	can := c.h.opts.Capabilities
	can.Streaming, can.ToolCallbacks = c.can.Streaming, c.can.ToolCallbacks
	can.MaxMessageSize, can.HeartbeatS = c.limit, int(c.h.opts.Heartbeat/time.Second)
	c.note(gateway.AuditEntry{Event: gateway.AuditSession, OK: true, Detail: fmt.Sprintf("opened at %d of %d messages by %s %s", hello.LastSeq, end.seq, c.info.Name, c.info.Version)})
	c.answer(m, Message{Body: HelloAck{Protocol: Protocol, Capabilities: can}})
	if named {
		c.answer(m, Message{Body: Resumed{ClientSeq: c.room.processed(), FirstSeq: hello.LastSeq + 1}})
	}
	c.room.skip(m.Seq)
	c.acknowledge(m)
	if c.then.seq == c.had {
		c.offer(true)
	}
}

// open finds the session. It returns the fold up to the first record of which the
// client lacks a message, and the fold of all.
func (c *conn) open(ctx context.Context, had int64) (start, end fold, err error) {
	sessions := c.h.opts.Sessions
	c.handle, _, err = sessions.Open(ctx, c.user, c.session)
	if err != nil {
		return start, end, err
	}
	if had < 0 {
		return start, end, gateway.NewError(gateway.StatusBad, "last_seq is %d; it counts from 1", had)
	}
	reached := false
	for rec, err := range sessions.Records(ctx, c.handle, 0) {
		if err != nil {
			return start, end, err
		}
		if !reached && end.seq+end.count(rec) > had {
			start, reached = end.clone(), true
		}
		end.apply(rec)
	}
	if !reached {
		start = end.clone()
	}
	return start, end, nil
}

// clone is a copy that shares nothing that changes.
func (f *fold) clone() fold {
	g := *f
	g.prompts, g.calls = slices.Clone(f.prompts), slices.Clone(f.calls)
	return g
}

// isOpen reports whether a call has no result yet.
func (f *fold) isOpen(id string) bool {
	return slices.ContainsFunc(f.calls, func(c openCall) bool { return c.id() == id })
}

// executes reports whether the client executes a tool.
func (c *conn) executes(tool string) bool { return c.can.ToolCallbacks && c.tools[tool] }
