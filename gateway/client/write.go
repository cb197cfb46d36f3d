package client

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// tell sends a message that is not made from the log.
func (c *conn) tell(m Message) {
	c.out.lock()
	defer c.out.unlock()
	c.write(m)
}

// answer sends what came of the message that asks has as its id.
func (c *conn) answer(asked, m Message) {
	m.ReplyTo, m.Role = asked.ID, roleAssistant
	m.TraceID = c.traceOf(asked)
	c.tell(m)
}

// fail answers a message with an error, and adds that to the audit.
func (c *conn) fail(asked Message, about gateway.AuditEvent, err error) {
	c.refuse(about, c.traceOf(asked), err)
	c.answer(asked, failed(err))
}

func failed(err error) Message { return Message{Body: Response{Error: gateway.ErrorOf(err)}} }

// traceOf is the trace that a message belongs to: the client's own, or that of the
// connection.
func (c *conn) traceOf(m Message) string {
	if isTrace(m.TraceID) {
		return m.TraceID
	}
	return c.trace
}

// write completes a message and writes it; the caller holds c.out. When it cannot be
// written, the connection is at its end.
func (c *conn) write(m Message) {
	if c.closed {
		return
	}
	before := c.seq
	if m.Seq > 0 {
		c.seq = m.Seq
	}
	c.complete(&m)
	text, err := m.encode(true)
	if err != nil {
		c.h.opts.Logger.Error().Err(err).Str("session", c.session).Int64("seq", m.Seq).Msg("a message cannot be written")
		c.cut()
		return
	}
	if len(text) <= c.limit {
		c.send(text)
		return
	}
	if len(text) > maxWhole {
		c.write(tooLarge(m, len(text)))
		return
	}
	c.writeParts(string(text), m, before)
}

// complete fills in what all messages have; the caller holds c.out.
func (c *conn) complete(m *Message) {
	if m.ID == "" {
		m.ID = newID("msg_")
	}
	if m.Seq == 0 {
		m.Seq = c.seq
	}
	m.SessionID = c.session
	if m.TraceID == "" {
		m.TraceID = c.trace
	}
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
}

// tooLarge stands for a message that is too large also for fragments.
func tooLarge(m Message, bytes int) Message {
	err := gateway.NewError(gateway.StatusTooLarge, "a message of %d bytes was left out; at most %d", bytes, maxWhole)
	if _, ok := m.Body.(Response); ok {
		return Message{ID: m.ID, Seq: m.Seq, ReplyTo: m.ReplyTo, TraceID: m.TraceID, Body: Response{Error: err}}
	}
	text, _ := appendjson.Value(nil, err) // it has nothing without a JSON form
	return Message{ID: m.ID, Seq: m.Seq, TraceID: m.TraceID, Time: m.Time, Body: Event{Event: EventSkipped, Data: text}}
}

// writeParts writes a message in fragments, which have the number of the message
// before; the caller holds c.out.
func (c *conn) writeParts(text string, of Message, before int64) {
	data := cutText(text, (c.limit-fragmentFrame)/2) // each of its bytes may need to be escaped
	for i, d := range data {
		m := Message{TraceID: of.TraceID, Body: Fragment{Of: of.ID, Index: i, Count: len(data), Data: d}}
		c.complete(&m)
		m.Seq = before
		part, err := m.encode(true)
		if err != nil {
			c.cut()
			return
		}
		c.send(part)
	}
}

// fragmentFrame is more than a fragment takes beside its data, in bytes.
const fragmentFrame = 1<<9 + maxName

// cutText cuts a text into pieces of at most n bytes, between characters.
func cutText(text string, n int) (list []string) {
	for len(text) > n {
		at := n
		for !utf8.RuneStart(text[at]) {
			at--
		}
		list = append(list, text[:at])
		text = text[at:]
	}
	return append(list, text)
}

// send writes a frame; the caller holds c.out. A client that takes nothing for as
// long as a dead one is silent is given up.
func (c *conn) send(text []byte) {
	if c.closed {
		return
	}
	if err := c.put(text); err != nil {
		c.cut()
	}
}

// cut ends the connection without a word; the caller holds c.out.
func (c *conn) cut() {
	c.closed = true
	_ = c.ws.CloseNow()
}

// reasonOf cuts a text to what a close frame takes.
func reasonOf(text string) string {
	const most = 120
	if len(text) > most {
		text = cutText(text, most)[0]
	}
	return strings.ToValidUTF8(text, "")
}
