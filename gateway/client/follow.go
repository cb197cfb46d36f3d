package client

import (
	"context"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// follow tells the client of the log, from the fold start on, until ctx ends or
// the server does. The client lags if it is slow: nothing waits for it here.
func (c *conn) follow(ctx context.Context, start fold) {
	for rec, err := range c.h.opts.Sessions.Follow(ctx, c.handle, start.record) {
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.farewell(err)
			return
		case rec.Seq == 0:
			c.live(rec)
		default:
			c.record(rec)
		}
	}
}

// farewell ends the connection because the log cannot be followed any more.
func (c *conn) farewell(err error) {
	e := gateway.ErrorOf(err)
	c.tell(failed(e))
	if e.Code == gateway.StatusUnavailable {
		c.end(websocket.StatusGoingAway, "the server stops")
		return
	}
	c.refuse(gateway.AuditSession, c.trace, err)
	c.end(websocket.StatusInternalError, reasonOf(e.Message))
}

// record tells the client of a record, and takes it in.
func (c *conn) record(rec event.Record) {
	c.out.lock()
	after := c.fold.seq + c.fold.count(rec)
	if after > c.had {
		c.tellRecord(rec)
	}
	c.fold.apply(rec)
	c.out.unlock()
	switch d := rec.Data.(type) {
	case event.ToolReturned:
		c.room.close(callID(rec.Agent, d.CallID))
	case event.ToolFinished:
		c.room.close(callID(rec.Agent, d.CallID))
	default:
	}
	if after > c.had && after == c.then.seq && c.fold.record >= c.then.record {
		c.offer(true)
	}
}

// tellRecord sends the messages of a record that the client has not had; the
// caller holds c.out.
func (c *conn) tellRecord(rec event.Record) {
	list, err := c.fold.messages(rec)
	if err != nil {
		c.h.opts.Logger.Error().Err(err).Str("session", c.session).Int64("seq", rec.Seq).Msg("a record cannot be told")
		c.cut()
		return
	}
	for _, m := range list {
		if m.Seq <= c.had {
			continue
		}
		if call, ok := m.Body.(ToolCall); ok && !c.takes(call, m.Seq) {
			m = Message{ID: m.ID, Seq: m.Seq, TraceID: m.TraceID, Time: m.Time, Body: Event{Event: EventSkipped, Agent: rec.Agent, Turn: rec.Turn}}
		}
		c.write(m)
	}
}

// takes reports whether a call is for this connection: it executes the tool, no
// other one does, and the call was not over before the client came. The caller
// holds c.out.
func (c *conn) takes(call ToolCall, seq int64) bool {
	if !c.executes(call.Name) || seq <= c.then.seq && !c.then.isOpen(call.CallID) {
		return false
	}
	return c.room.claim(call.CallID, c, seq <= c.then.seq)
}

// offer sends the open calls again that nobody executes: back says that the client
// has come back, and had them before.
func (c *conn) offer(back bool) {
	c.out.lock()
	defer c.out.unlock()
	for _, call := range c.fold.calls {
		if back && call.seq > c.had || !c.executes(call.Name) || !c.room.claim(call.id(), c, back) {
			continue
		}
		m := toolCall(call)
		body, _ := m.Body.(ToolCall)
		body.Again = true
		m.Body, m.TraceID = body, c.fold.trace
		c.write(m)
	}
}

// live tells the client of a live record.
func (c *conn) live(rec event.Record) {
	if !c.can.Streaming {
		return
	}
	if m, ok := liveMessage(rec); ok {
		c.out.lock()
		defer c.out.unlock()
		m.TraceID = c.fold.trace
		c.write(m)
	}
}
