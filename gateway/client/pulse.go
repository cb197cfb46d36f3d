package client

import (
	"time"

	"github.com/troupe-go/troupe/gateway"
)

// warnBefore is how long before its end a client is told that its token ends.
const warnBefore = time.Minute

// pulse looks after a connection while nothing happens on it: it asks whether the
// client lives, and ends what is dead or whose token has expired.
type pulse struct {
	c *conn

	act     latch // guards all below, and is held while it acts, so that stop waits
	timer   *time.Timer
	warned  time.Time // the end of the token of which the client was told
	stopped bool
}

func newPulse(c *conn) *pulse {
	p := &pulse{c: c, act: newLatch()}
	p.act.lock()
	defer p.act.unlock()
	p.timer = time.AfterFunc(p.wait(), p.beat)
	return p
}

// stop ends it; it does nothing any more.
func (p *pulse) stop() {
	p.act.lock()
	defer p.act.unlock()
	p.stopped = true
	p.timer.Stop()
}

// renewed looks again when it has to act, because the token is another one.
func (p *pulse) renewed() {
	p.act.lock()
	defer p.act.unlock()
	if !p.stopped {
		p.timer.Reset(p.wait())
	}
}

// wait is how long nothing is to be done: until the client is silent for another
// heartbeat, or its token asks for something. The caller holds p.act.
func (p *pulse) wait() time.Duration {
	wait := p.c.h.opts.Heartbeat - p.c.silence()%p.c.h.opts.Heartbeat
	if end := p.c.expiry(); !end.IsZero() {
		due := end
		if p.warned != end {
			due = end.Add(-warnBefore)
		}
		wait = min(wait, time.Until(due))
	}
	return max(wait, 0)
}

// beat does what is due.
func (p *pulse) beat() {
	p.act.lock()
	defer p.act.unlock()
	if p.stopped {
		return
	}
	c, end := p.c, p.c.expiry()
	silent := c.silence()
	switch {
	case silent >= 2*c.h.opts.Heartbeat:
		p.stopped = true
		c.note(gateway.AuditEntry{Event: gateway.AuditSession, Detail: "the client is silent"})
		_ = c.ws.CloseNow() // nobody is there who would hear why
		return
	case !end.IsZero() && !time.Now().Before(end):
		p.stopped = true
		err := gateway.NewError(gateway.StatusUnauthorized, "the token has expired").WithHint("connect again with a new one; the session goes on")
		c.refuse(gateway.AuditAuth, c.trace, err)
		c.tell(Message{Body: Response{Error: err}})
		c.end(CloseExpired, "the token has expired")
		return
	case !end.IsZero() && p.warned != end && time.Until(end) <= warnBefore:
		p.warned = end
		c.tell(expiring(end))
	}
	if silent >= c.h.opts.Heartbeat {
		c.tell(Message{Body: Ping{}})
	}
	p.timer.Reset(p.wait())
}

// silence is how long the client was not heard.
func (c *conn) silence() time.Duration { return time.Since(c.born) - time.Duration(c.heard.Load()) }

// expiry is when the token ends; zero if it does not.
func (c *conn) expiry() time.Time {
	c.out.lock()
	defer c.out.unlock()
	return c.expires
}
