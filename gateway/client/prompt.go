package client

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// prompt hands the user's text to the team. The log answers it, with the end of the
// turn.
func (c *conn) prompt(ctx context.Context, m Message, r Request) {
	o, first := c.room.begin(m.ID)
	if !first {
		c.repeat(ctx, m, o)
		return
	}
	defer close(o.ready)
	o.isPrompt = true
	if err := c.submit(ctx, m, r); err != nil {
		err = c.timely(ctx, err)
		o.answer = failed(err) // for a copy that waits
		c.room.forget(m.ID)
		c.fail(m, gateway.AuditSession, err)
	}
}

// submit gives the team a prompt that it may have had, as the log says: then it is
// answered as the first time.
func (c *conn) submit(ctx context.Context, m Message, r Request) error {
	text, err := c.textOf(m, r)
	if err != nil {
		return err
	}
	had, err := c.answered(ctx, m)
	if had || err != nil {
		return err
	}
	settings := map[string]string{gateway.SettingTrace: c.traceOf(m)}
	if c.setting != "" {
		settings[gateway.SettingTools] = c.setting
	}
	if r.Model != "" {
		ref, ok := c.h.opts.ModelOf(r.Model)
		if !ok {
			return gateway.NewError(gateway.StatusNotFound, "there is no model %q", r.Model).WithHint("hello.ack lists the models")
		}
		settings[gateway.SettingModel] = ref
	}
	return c.h.opts.Sessions.Submit(ctx, c.handle, promptMark+m.ID, text, settings)
}

// again answers a prompt that came before.
func (c *conn) again(ctx context.Context, m Message) {
	if _, err := c.answered(ctx, m); err != nil {
		c.fail(m, gateway.AuditSession, err)
	}
}

// answered answers a prompt that the log has an answer to; had says that the log
// has the prompt. One whose turn goes on is answered with its end.
func (c *conn) answered(ctx context.Context, m Message) (had bool, err error) {
	var f fold
	var answer *Message
	for rec, err := range c.h.opts.Sessions.Records(ctx, c.handle, 0) {
		if err != nil {
			return false, err
		}
		if d, ok := rec.Data.(event.MessageSent); ok {
			if id, ok := promptOf(d); ok && id == m.ID {
				had = true
			}
		}
		if ends(rec) && slices.Contains(f.prompts, m.ID) {
			found, err := outcomeOf(rec, m.ID)
			if err != nil {
				return had, err
			}
			answer = &found
		}
		f.apply(rec)
	}
	if answer != nil {
		c.answer(m, *answer)
	}
	return had, nil
}
