package studio

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/gateway"
)

// steer takes what comes from the client during a response: more words of the
// person, for the leader. What is refused is told, and the response goes on. It
// returns the cause when the response ends.
func (c *connection) steer(ctx context.Context, f frame) (cause error) {
	p, err := c.addition(f)
	over := false
	if err == nil {
		over, err = c.submit(ctx, p)
	}
	if err != nil && ctx.Err() == nil {
		c.note(err)
		c.refusals++
		c.send(ctx, []Message{{ID: fmt.Sprintf("%s-e%d", c.id, c.refusals), Type: TypeError, Event: EventError, Content: words(err)}})
		if c.h.opts.Limits.Abusive(c.user) {
			return errAbuse
		}
	}
	if over {
		return errOver
	}
	return nil
}

// addition checks what the person adds.
func (c *connection) addition(f frame) (p prompt, err error) {
	if err := c.h.opts.Limits.Message(c.user, f.size); err != nil {
		return p, err
	}
	if f.err != nil {
		return p, f.err
	}
	in, err := parseInput(f.text)
	if err != nil {
		return p, err
	}
	who, err := c.h.opts.Auth.Check(in.APIKey)
	switch {
	case err != nil:
		return p, err
	case who.User != c.user, in.SessionID != c.named && in.SessionID != "":
		return p, gateway.NewError(gateway.StatusConflict, "this connection is for another session").WithHint("make a connection for each")
	}
	return c.read(in)
}
