package render

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// cast is who takes part in a run, folded from the records.
type cast struct {
	runID     string
	scripted  bool // the whole run is
	agents    map[string]member
	questions map[string]question // that are open, by id
	tools     map[string]string   // "name argument" of running calls, by call id
}

// question is who asked whom.
type question struct{ from, to string }

type member struct {
	name, code string
	scripted   bool
}

func newCast() *cast {
	return &cast{
		agents: map[string]member{
			event.Leader:  {name: event.LeaderName, code: event.Leader},
			event.Person:  {name: event.PersonName, code: event.Person},
			event.Runtime: {name: event.RuntimeName, code: event.Runtime},
		},
		questions: map[string]question{},
		tools:     map[string]string{},
	}
}

// apply folds a record. What a call was is kept until [cast.forget].
func (c *cast) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		c.runID, c.scripted = CleanLine(d.RunID), d.ModelKind == event.ModelScripted
	case event.AgentCreated:
		c.agents[rec.Agent] = member{name: CleanLine(d.Name), code: d.Code, scripted: d.Scripted}
	case event.MessageSent:
		if _, ok := c.agents[d.From]; !ok {
			c.agents[d.From] = member{name: CleanLine(d.FromName)}
		}
	case event.QuestionOpened:
		c.questions[d.ID] = question{from: d.From, to: d.To}
	case event.ToolStarted:
		c.tools[d.CallID] = callText(d.Name, d.Arguments)
	default: // tells nothing of who is who
	}
}

// forget drops what is not needed after a record was shown.
func (c *cast) forget(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.QuestionClosed:
		delete(c.questions, d.ID)
	case event.ToolFinished:
		delete(c.tools, d.CallID)
	default: // was not kept
	}
}

// name is the display name of an agent, or its id when it is unknown.
func (c *cast) name(id string) string {
	if m, ok := c.agents[id]; ok && m.name != "" {
		return m.name
	}
	return CleanLine(id)
}

// short is the id as lines show it.
func short(id string) string {
	switch id {
	case event.Leader:
		return "leader"
	case event.Runtime:
		return "troupe"
	case "":
		return "run"
	}
	return CleanLine(id)
}

// isScripted reports whether a script speaks for the agent; nobody speaks for
// the person.
func (c *cast) isScripted(id string) bool {
	return id != event.Person && (c.scripted || c.agents[id].scripted)
}

// matches reports whether one of the ids is meant by one of the names. An id
// is meant by itself, its role code, its display name, and as lines show it.
func (c *cast) matches(names []string, ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		m := c.agents[id]
		return id != "" && slices.ContainsFunc(names, func(n string) bool {
			return n == id || n == m.code && n != "" || strings.EqualFold(n, m.name) || n == short(id)
		})
	})
}
