package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
)

// errRefused says that a message was refused and that the connection goes on.
var errRefused = errors.New("client: the message was refused")

// receive waits for a message, which may come in fragments.
func (c *conn) receive(ctx context.Context) (Message, error) {
	for {
		text, err := c.frame(ctx)
		if err != nil {
			return Message{}, err
		}
		m, err := Decode(text)
		if err != nil {
			c.refused(m, gateway.AuditSession, err)
			return m, errRefused
		}
		f, ok := m.Body.(Fragment)
		if !ok || c.room == nil { // nothing is put together for who has not said hello
			return m, nil
		}
		c.passed(m)
		whole, err := c.parts.add(f)
		switch {
		case errors.Is(err, errEndless):
			c.fail(m, gateway.AuditLimit, tooMuch())
			c.end(websocket.StatusMessageTooBig, errEndless.Error())
			return m, errEndless
		case err != nil:
			c.fail(m, gateway.AuditSession, err)
			return m, errRefused
		case whole == "":
			c.acknowledge(m)
			continue
		}
		inner, err := Decode([]byte(whole))
		if _, again := inner.Body.(Fragment); err == nil && again {
			err = gateway.NewError(gateway.StatusBad, "a fragment in fragments")
		}
		if err != nil {
			c.refused(inner, gateway.AuditSession, err)
			return inner, errRefused
		}
		return inner, nil
	}
}

// refused answers a message that is not served, whose number counts all the same.
func (c *conn) refused(m Message, about gateway.AuditEvent, err error) {
	c.passed(m)
	c.fail(m, about, err)
}

// passed takes the number of a message that no request is served for.
func (c *conn) passed(m Message) {
	if c.room != nil {
		_ = c.room.order(m.Seq) // a gap before it shows with the next request
	}
}

// tooMuch refuses more in fragments than may be.
func tooMuch() error {
	return gateway.NewError(gateway.StatusTooLarge, "fragments hold more than %d bytes", maxWhole).
		WithHint("send a file with POST /files, and a part {\"type\":\"file\",\"ref\":…}")
}

// frame reads one frame of the protocol, and counts it.
func (c *conn) frame(ctx context.Context) ([]byte, error) {
	typ, r, err := c.ws.Reader(ctx)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	n, err := io.Copy(&buf, io.LimitReader(r, int64(c.h.opts.MaxMessage)))
	if err != nil {
		return nil, err
	}
	more, err := io.Copy(io.Discard, r)
	if errors.Is(err, websocket.ErrMessageTooBig) { // SetReadLimit has closed the connection
		c.refuse(gateway.AuditLimit, c.trace, gateway.NewError(gateway.StatusTooLarge, "a message of more than %d bytes", maxWhole))
	}
	if err != nil {
		return nil, err
	}
	c.heard.Store(int64(time.Since(c.born)))
	head := buf.Bytes()
	if c.user != "" {
		if err := c.h.opts.Limits.Message(c.user, int(n+more)); err != nil {
			return nil, c.tooFast(head, err)
		}
	}
	switch {
	case typ != websocket.MessageText:
		c.fail(Message{}, gateway.AuditSession, gateway.NewError(gateway.StatusBad, "the frame is binary").WithHint("send JSON in text frames"))
		return nil, errRefused
	case more > 0:
		c.refused(beginning(head), gateway.AuditLimit, gateway.NewError(gateway.StatusTooLarge,
			"the message has %d bytes; at most %d", n+more, c.h.opts.MaxMessage).WithHint(
			`send it in messages of the type "fragment", or send a file with POST /files and refer to it`))
		return nil, errRefused
	}
	return head, nil
}

// tooFast refuses a message because there are too many; who goes on regardless is
// sent away.
func (c *conn) tooFast(head []byte, err error) error {
	c.fail(beginning(head), gateway.AuditLimit, err)
	if c.h.opts.Limits.Abusive(c.user) {
		c.end(websocket.StatusPolicyViolation, "too many messages, although they were refused")
		return err
	}
	return errRefused
}

// beginning finds the id and the number of a message of which only the beginning is
// there.
func beginning(head []byte) (m Message) {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return m
	}
	for {
		key, err := d.Token()
		if err != nil {
			return m
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return m
		}
		switch key {
		case "id":
			if json.Unmarshal(value, &m.ID) != nil || len(m.ID) > maxID {
				m.ID = ""
			}
		case "seq":
			if json.Unmarshal(value, &m.Seq) != nil || m.Seq < 0 {
				m.Seq = 0
			}
		}
	}
}

// fragments are the messages of which not all fragments have come.
type fragments struct {
	open  map[string]*assembly
	bytes int // of all
}

// assembly is a message that comes in fragments, in order.
type assembly struct {
	text  strings.Builder
	next  int
	count int
}

// maxOpen bounds the messages that come in fragments at the same time.
const maxOpen = 4

var errEndless = fmt.Errorf("fragments hold more than %d bytes", maxWhole)

// add takes a fragment in, and returns the whole text with the last one.
func (p *fragments) add(f Fragment) (whole string, err error) {
	bad := func(format string, args ...any) (string, error) {
		p.drop(f.Of)
		return "", gateway.NewError(gateway.StatusBad, format, args...).WithHint("send all fragments of the message again, from index 0, in order")
	}
	a := p.open[f.Of]
	switch {
	case f.Of == "" || f.Count < 1 || f.Count > maxWhole || f.Index < 0 || f.Index >= f.Count:
		return bad("a fragment has of, and index from 0 to below count")
	case f.Data == "":
		return bad("fragment %d of %s is empty", f.Index, f.Of)
	case a == nil && f.Index > 0:
		return bad("fragment %d of %s came, and not the one before", f.Index, f.Of)
	case a == nil && len(p.open) >= maxOpen:
		return bad("%d messages come in fragments already", maxOpen)
	case a == nil || f.Index == 0: // anew
		p.drop(f.Of)
		a = &assembly{count: f.Count}
	case f.Index < a.next:
		return "", nil // it came again
	case f.Index > a.next || f.Count != a.count:
		return bad("fragment %d of %s came as one of %d; %d of %d is next", f.Index, f.Of, f.Count, a.next, a.count)
	}
	if p.bytes += len(f.Data); p.bytes > maxWhole {
		p.open = nil
		return "", errEndless
	}
	a.text.WriteString(f.Data)
	if a.next++; a.next == a.count {
		p.bytes -= a.text.Len()
		delete(p.open, f.Of)
		return a.text.String(), nil
	}
	if p.open == nil {
		p.open = map[string]*assembly{}
	}
	p.open[f.Of] = a
	return "", nil
}

// drop forgets what came of a message.
func (p *fragments) drop(of string) {
	if a := p.open[of]; a != nil {
		p.bytes -= a.text.Len()
		delete(p.open, of)
	}
}
