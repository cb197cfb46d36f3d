package envelope

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// Fields of the metadata and of a task that the door looks at.
const (
	metaSession  = "session"  // the conversation that the message belongs to
	metaQuestion = "question" // the question of the team that it answers
	taskID       = "task_id"
)

// threads are the parts of a message that say where it belongs.
type threads struct{ session, question, task string }

// threadsOf reads them, as far as they are texts.
func threadsOf(metadata map[string]json.RawMessage, payload json.RawMessage) threads {
	return threads{
		session:  textOf(metadata[metaSession]),
		question: textOf(metadata[metaQuestion]),
		task:     textOf(parse(payload)[taskID]),
	}
}

// textOf is a JSON text; empty for another value.
func textOf(raw json.RawMessage) (text string) {
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text)
	}
	return text
}

// check refuses parts that are there and say nothing.
func (t threads) check(metadata map[string]json.RawMessage) *Error {
	for _, part := range [...]struct{ name, text string }{{metaSession, t.session}, {metaQuestion, t.question}} {
		if _, ok := metadata[part.name]; ok && !goodName(part.text) {
			return &Error{Invalid, []Remark{{Reason: BadField, Field: fieldMetadata + "." + part.name, Offset: -1, Want: WantShortText}}}
		}
	}
	return nil
}

// goodName reports whether a text can name a session.
func goodName(text string) bool {
	return text != "" && len(text) <= maxID && !strings.ContainsFunc(text, unicode.IsControl)
}

// conversation is the session of a message: the one that it names; else one of its
// own for each task, or for each message where there is none.
func (t threads) conversation(sender, msgID string) string {
	if goodName(t.session) {
		return t.session
	}
	key := LogID(sender, msgID)
	if t.task != "" {
		key = LogID(sender, t.task)
	}
	name := "env/" + key
	if !goodName(name) {
		sum := digest(appendjson.String(nil, key))
		name = "env/" + hex.EncodeToString(sum[:16])
	}
	return name
}

// inTeam reports whether a name is the team's or its leader's.
func (d *Door) inTeam(name string) bool {
	return name == d.opts.Team || name == event.Leader || name == event.LeaderName
}

// role is the role that a name means, or of whose agents it names one.
func (d *Door) role(name string) (id string, one, ok bool) {
	base := strings.TrimRight(name, "0123456789")
	base, numbered := strings.CutSuffix(base, "_")
	numbered = numbered && base+"_" != name
	for _, r := range d.opts.Roles {
		switch {
		case name == r.ID || name == r.Name || name == r.Code:
			return r.ID, false, true
		case numbered && (base == r.Name || base == r.Code):
			return r.ID, true, true
		}
	}
	return "", false, false
}

// known reports whether anybody of the team has the name.
func (d *Door) known(name string) bool {
	_, _, ok := d.role(name)
	return ok || d.inTeam(name)
}

// agent is one of a session.
type agent struct {
	ID    string      `json:"id"`
	Name  string      `json:"name"`
	Role  string      `json:"role"`
	State event.State `json:"state"`
}

// agentOf is the agent of a session that a message goes to; empty for the leader.
// known is false when nobody has the name. A role means the newest of its agents,
// of those at work if there are any.
func (d *Door) agentOf(ctx context.Context, session, name string) (id string, known bool, err error) {
	if d.inTeam(name) {
		return "", true, nil
	}
	text, err := d.opts.Sessions.Agents(ctx, session)
	if err != nil {
		return "", false, err
	}
	var list []agent
	if err := json.Unmarshal(text, &list); err != nil {
		return "", false, err
	}
	list = slices.DeleteFunc(list, func(a agent) bool { return a.State == event.Finished || a.ID == event.Leader })
	for _, a := range list {
		if a.ID == name || a.Name == name {
			return a.ID, true, nil
		}
	}
	role, one, ok := d.role(name)
	busy := false
	for _, a := range list {
		if a.Role == role && !one && (!busy || a.State.Busy()) {
			id, busy = a.ID, a.State.Busy()
		}
	}
	return id, ok, nil
}

// old is how long a message may be under way until it is marked.
const old = 10 * time.Minute

// late is the line before a message that was sent long ago; empty for others.
func (d *Door) late(e Envelope) string {
	sent := e.Time()
	ago := d.opts.Now().Sub(sent)
	if sent.IsZero() || ago < old {
		return ""
	}
	return d.opts.Words.SentAt(sent.Format("2006-01-02 15:04 UTC"), strings.TrimSuffix(ago.Round(time.Minute).String(), "0s")) + "\n"
}
