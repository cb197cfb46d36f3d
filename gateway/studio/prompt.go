package studio

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/gateway"
)

// prompt is a user-input that may come in, with what it asks for.
type prompt struct {
	text     string
	settings map[string]string
	notes    []string // to its sender
}

// admit checks the first message of a connection and opens the session that it
// names. release gives back what the connection then holds.
func (c *connection) admit(ctx context.Context, text []byte) (p prompt, release func(), err error) {
	in, err := parseInput(text)
	if err != nil {
		return p, nil, err
	}
	g := c.h.opts.Ground
	who, err := g.Auth.Check(in.APIKey)
	if err != nil {
		return p, nil, err
	}
	c.user = who.User
	c.audit(gateway.AuditEntry{Event: gateway.AuditAuth, OK: true})
	disconnect, err := g.Limits.Connect(c.user)
	if err != nil {
		return p, nil, err
	}
	leave := func() {}
	defer func() {
		if err != nil {
			disconnect()
		}
	}()
	if err := g.Limits.Message(c.user, len(text)); err != nil {
		return p, nil, err
	}
	if p, err = c.read(in); err != nil {
		return p, nil, err
	}
	if c.session, _, err = g.Sessions.Open(ctx, c.user, c.orRandom(in.SessionID)); err != nil {
		return p, nil, err
	}
	if leave, err = c.h.enter(c.session); err != nil {
		return p, nil, err
	}
	c.named = in.SessionID
	c.log = c.log.With().Str("session", c.session).Logger()
	c.audit(gateway.AuditEntry{Event: gateway.AuditSession, OK: true})
	return p, func() { leave(); disconnect() }, nil
}

// read turns a user-input into a prompt.
func (c *connection) read(in UserInput) (p prompt, err error) {
	if err := in.check(); err != nil {
		return p, err
	}
	p = prompt{text: in.UserInput, settings: map[string]string{}}
	if in.WorkDir != "" {
		if p.settings[gateway.SettingWorkDir], err = c.h.opts.Workspace.Dir(in.WorkDir); err != nil {
			return p, err
		}
	}
	if in.ProjectID != "" {
		p.settings[gateway.SettingProject] = in.ProjectID
	}
	if in.PreferredModel != "" {
		ref, ok := c.h.opts.ModelOf(in.PreferredModel)
		if ok {
			p.settings[gateway.SettingModel] = ref
		} else {
			p.notes = append(p.notes, fmt.Sprintf("The model %q is not known here; the team works with its own.", shown(in.PreferredModel)))
		}
	}
	return p, nil
}

// maxShown bounds what is repeated of a client's words, in bytes.
const maxShown = 200

func shown(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := maxShown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// submit gives a prompt to the session: as the answer when the team has asked the
// person something, else to the leader. over says that the response ends because
// the session did not take it.
func (c *connection) submit(ctx context.Context, p prompt) (over bool, err error) {
	sessions := c.h.opts.Sessions
	if question := c.question.Load(); question != nil {
		over, err = c.give(*question, func() error { return sessions.Answer(ctx, c.session, *question, p.text) })
		if code := gateway.ErrorOf(err); code == nil || over || code.Code != gateway.StatusConflict && code.Code != gateway.StatusNotFound {
			return over, err
		}
		// Somebody else has answered it.
	}
	c.commands++
	command := fmt.Sprintf("%s-%s-%d", Protocol, c.id, c.commands)
	return c.give(command, func() error { return sessions.Submit(ctx, c.session, command, p.text, p.settings) })
}

// give gives a command to the session.
func (c *connection) give(command string, do func() error) (over bool, err error) {
	if !c.prompts.send(command) {
		return true, nil
	}
	if err := do(); err != nil {
		return c.prompts.drop(command), err
	}
	return false, nil
}

// wait is a time in milliseconds as people read it: seconds, rounded up.
func wait(ms int64) string {
	return (time.Duration(ms)*time.Millisecond + time.Second - 1).Truncate(time.Second).String()
}
