package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
)

// prompt replaces the prompt of an agent or of a role.
func (e *editor) prompt(of, text string) (reason string) {
	if strings.TrimSpace(text) == "" {
		return "a prompt cannot be empty"
	}
	for _, rec := range e.records {
		if d, ok := rec.Data.(event.AgentCreated); ok && rec.Agent == of && of != event.Leader {
			d.Prompt = text
			e.set(rec.Seq, d)
			return ""
		}
	}
	old, found := "", false
	reason = e.teams(func(t *leader.Team) string {
		part := &t.Leader.Prompt
		if of != event.Leader {
			i := slices.IndexFunc(t.Roles, func(r leader.Role) bool { return r.ID == of })
			if i < 0 {
				return "the run has no agent and the team no role of that id; roles are " + strings.Join(roleIDs(*t), ", ")
			}
			part = &t.Roles[i].Prompt
		}
		old, found = *part, true
		*part = text
		return ""
	})
	if reason != "" || !found {
		return reason
	}
	return e.rolePrompt(of, old, text)
}

// rolePrompt replaces the role's own part in the prompts of its agents.
func (e *editor) rolePrompt(role, old, text string) (reason string) {
	for _, rec := range e.records {
		d, ok := rec.Data.(event.AgentCreated)
		if !ok || d.Role != role {
			continue
		}
		if old == "" || strings.Count(d.Prompt, old) != 1 {
			return fmt.Sprintf("%s has been created, and the role's own part does not stand out in its prompt; edit the whole, record %d", rec.Agent, rec.Seq)
		}
		d.Prompt = strings.Replace(d.Prompt, old, text, 1)
		e.set(rec.Seq, d)
	}
	return ""
}

// model replaces the model of a role, of the leader, or of everybody.
func (e *editor) model(of, ref string) (reason string) {
	var named leader.Model
	reason = e.teams(func(t *leader.Team) string {
		var err error
		if named, err = modelOf(*t, ref); err != nil {
			return err.Error()
		}
		for i := range t.Roles {
			if of == Everybody || of == t.Roles[i].ID {
				t.Roles[i].Model = named
			}
		}
		switch {
		case of == Everybody:
			t.Model, t.Leader.Model = named, named
		case of == event.Leader:
			t.Leader.Model = named
		case !slices.Contains(roleIDs(*t), of):
			return "the team has no such role; roles are tl, " + strings.Join(roleIDs(*t), ", ")
		}
		return ""
	})
	if reason != "" {
		return reason
	}
	for _, rec := range e.records {
		if d, ok := rec.Data.(event.AgentCreated); ok && (of == Everybody || d.Role == of) {
			d.Model, d.Scripted = named.Name, named.Scripted
			e.set(rec.Seq, d)
		}
	}
	return ""
}

// modelOf finds a model of the team by its name, or makes one of a reference.
func modelOf(t leader.Team, ref string) (leader.Model, error) {
	models := []leader.Model{t.Model, t.Leader.Model}
	for _, r := range t.Roles {
		models = append(models, r.Model)
	}
	for _, m := range models {
		if m.Name == ref {
			return m, nil
		}
	}
	return leader.ModelOf(ref)
}

func roleIDs(t leader.Team) []string {
	var ids []string
	for _, r := range t.Roles {
		ids = append(ids, r.ID)
	}
	return ids
}

// teams changes the team of the header, and those that took its place.
func (e *editor) teams(change func(*leader.Team) (reason string)) (reason string) {
	for _, rec := range e.records {
		switch d := rec.Data.(type) {
		case event.RunStarted:
			if d.Team, reason = changed(d.Team, change); reason != "" {
				return reason
			}
			e.set(rec.Seq, d)
		case event.RunResumed:
			if len(d.Team) == 0 {
				continue
			}
			if d.Team, reason = changed(d.Team, change); reason != "" {
				return reason
			}
			e.set(rec.Seq, d)
		default: // has no team
		}
	}
	return ""
}

// changed is a team of the log with a change.
func changed(raw json.RawMessage, change func(*leader.Team) string) (json.RawMessage, string) {
	var t leader.Team
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, "the team in the header cannot be read: " + err.Error()
	}
	if reason := change(&t); reason != "" {
		return nil, reason
	}
	out, err := json.Marshal(t)
	if err != nil {
		return nil, err.Error()
	}
	return out, ""
}
