package client

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
)

// Codes with which a connection is closed, beside those of WebSocket.
const (
	CloseExpired = websocket.StatusCode(4401) // the token is not good, or no longer
	closeSilent  = websocket.StatusCode(4408) // no word in time
)

// conn is one connection. One goroutine reads what the client sends and serves it,
// another one follows the log; whoever writes holds out.
type conn struct {
	h       *Handler
	ws      *websocket.Conn
	remote  string
	path    string // the session that the path names
	user    string
	release func() // what Limits counts
	pulse   *pulse
	put     func(text []byte) error // writes a frame, in bounded time

	session string // as the user calls it
	handle  string // as gateway.Sessions calls it
	room    *room
	info    Info
	can     Abilities
	tools   map[string]bool // that it executes
	setting string          // the same for gateway.SettingTools
	limit   int             // of a message, in bytes
	had     int64           // newest message that the client had when it came
	then    fold            // the log as it was then
	parts   fragments
	trace   string
	born    time.Time
	heard   atomic.Int64 // when the client was heard last, in nanoseconds since born

	out     latch // guards all below, and is held while something is written
	token   string
	expires time.Time
	seq     int64 // of the newest message that was sent
	fold    fold  // up to the newest record that was told
	closed  bool
}

// serve greets the client and serves it until one of both has enough.
func (c *conn) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var follower sync.WaitGroup
	defer follower.Wait()
	defer cancel()
	c.limit = c.h.opts.MaxMessage
	c.put = func(text []byte) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*c.h.opts.Heartbeat)
		defer cancel()
		return c.ws.Write(ctx, websocket.MessageText, text)
	}
	start, err := c.greetUnless(ctx, c.h.opts.Closing)
	if err != nil {
		return
	}
	c.pulse = newPulse(c)
	defer c.pulse.stop()
	follower.Go(func() { c.follow(ctx, start) })
	for {
		m, err := c.receive(ctx)
		switch {
		case err == nil:
			c.take(ctx, m)
		case errors.Is(err, errRefused): // and the client was told
		default:
			return
		}
	}
}

// greetUnless greets the client, unless the server stops before that is done, or the
// client takes too long. A read that ends with its context would end the connection
// without a word.
func (c *conn) greetUnless(ctx context.Context, stopping <-chan struct{}) (fold, error) {
	var watch sync.WaitGroup
	defer watch.Wait()
	done := make(chan struct{})
	defer close(done)
	late := time.NewTimer(greetingTimeout)
	defer late.Stop()
	watch.Go(func() {
		select {
		case <-stopping:
			c.end(websocket.StatusGoingAway, "the server stops")
		case <-late.C:
			c.end(closeSilent, "no hello came")
		case <-done:
		}
	})
	return c.greet(ctx, late)
}

// leave lets go of what the connection holds.
func (c *conn) leave() {
	if c.room != nil {
		c.room.leave(c)
	}
	if c.release != nil {
		c.release()
	}
}

// identify finds out whose the connection is, and counts it. Until then it was
// counted among those who have not said.
func (c *conn) identify(token string) error {
	id, err := c.h.opts.Auth.Check(token)
	if err != nil {
		return err
	}
	if c.user != "" && id.User != c.user {
		return gateway.NewError(gateway.StatusForbidden, "the token is that of another user")
	}
	if c.user == "" {
		release, err := c.h.opts.Limits.Connect(id.User)
		if err != nil {
			return err
		}
		if c.release != nil {
			c.release()
		}
		c.release, c.user = release, id.User
	}
	c.note(gateway.AuditEntry{Event: gateway.AuditAuth, OK: true})
	c.out.lock()
	defer c.out.unlock()
	c.token, c.expires = token, id.Expires
	return nil
}

// end says why and closes the connection.
func (c *conn) end(code websocket.StatusCode, why string) {
	c.out.lock()
	c.closed = true
	c.out.unlock()
	_ = c.ws.Close(code, why) // who has gone hears nothing
}

// note adds an entry to the audit.
func (c *conn) note(e gateway.AuditEntry) { c.h.opts.Note(c.entry(e)) }

// entry is an entry of the audit about this connection.
func (c *conn) entry(e gateway.AuditEntry) gateway.AuditEntry {
	e.User, e.Session, e.Protocol, e.Remote = c.user, c.session, "client", c.remote
	if e.TraceID == "" {
		e.TraceID = c.trace
	}
	return e
}

// refuse adds to the audit that something was refused, and tells operators of what
// was a fault of the server.
func (c *conn) refuse(about gateway.AuditEvent, trace string, err error) {
	c.h.opts.NoteRefusal(c.entry(gateway.AuditEntry{Event: about, TraceID: trace, Detail: gateway.ErrorOf(err).Error()}))
	if cause := errors.Unwrap(gateway.ErrorOf(err)); cause != nil && gateway.ErrorOf(err).Code == gateway.StatusInternal {
		c.h.opts.Logger.Error().Err(cause).Str("session", c.session).Msg("a client's request failed")
	}
}
