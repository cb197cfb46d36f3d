package leader

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/tools"
)

// ClientTool is a tool that the person's client executes, such as a page in a
// browser. All agents have it, but roles that list their tools and not this one.
// Its calls need leave as the permissions say, then stand in the log as
// [event.ToolHanded] and wait for [Run.ToolResult], as long as
// [Limits.ToolTimeout] allows; also when the run is resumed meanwhile.
type ClientTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the arguments: an object with properties.
	// Empty means that there are none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// WithClientTools adds tools that the person's client executes to those of the
// team; one with the name of another replaces it. A run that is resumed has those
// that it had, too. Agents keep the tools with which they were created.
func WithClientTools(list ...ClientTool) Option {
	return func(o *options) { o.clientTools = append(o.clientTools, list...) }
}

// addClientTools are the client's tools of a team with those of the options.
func (t *Team) addClientTools(list []ClientTool) {
	t.ClientTools = slices.Clone(t.ClientTools)
	for _, c := range list {
		at := slices.IndexFunc(t.ClientTools, func(o ClientTool) bool { return o.Name == c.Name })
		if at < 0 {
			t.ClientTools = append(t.ClientTools, c)
			continue
		}
		t.ClientTools[at] = c
	}
}

// clientTools are the client's tools as agents call them. Without a run they can
// only be looked at.
func (t *Team) clientTools(r *Run) []tools.Tool {
	list := make([]tools.Tool, len(t.ClientTools))
	for i, c := range t.ClientTools {
		list[i] = clientTool{c, r}
	}
	return list
}

// clientTool is a tool of the client in a run.
type clientTool struct {
	ClientTool
	run *Run
}

// Spec is what the client says of the tool. A call may be handed over again: the
// client knows it by its id.
func (t clientTool) Spec() tools.Spec {
	schema := t.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return tools.Spec{
		Name: t.Name, Description: cmp.Or(t.Description, t.Name), Schema: bytes.Clone(schema), Effect: tools.Idempotent, Waits: true,
	}
}

// Run hands the call to the client, and waits for what comes of it.
func (t clientTool) Run(ctx context.Context, call tools.Call) (string, error) {
	if len(bytes.TrimSpace(call.Arguments)) == 0 {
		call.Arguments = json.RawMessage("{}")
	}
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(call.Arguments, &arguments); err != nil || arguments == nil {
		return "", &tools.ArgumentError{Tool: t.Name, Found: string(call.Arguments), Want: "a JSON object", Signature: t.Name}
	}
	timeout := bound(t.run.leader.team.Limits.ToolTimeout)
	x, err := t.run.errands.hand(call, t.Name, timeout)
	if err != nil {
		return "", err
	}
	defer call.Blocked(x.agent+"/"+x.call, event.Person)()
	d, err := t.run.errands.wait(ctx, x, timeout, t.run.words.ClientSilent(t.Name, timeout))
	switch {
	case err != nil:
		return "", err
	case d.IsError:
		return "", errors.New(d.Result)
	}
	return d.Result, nil
}

// ToolResult brings what the person's client made of a call of an agent: CallID,
// Result and IsError of d count. It returns when that stands in the log, and fails
// with [ErrNoCall], or with [ErrEnded] when the run has ended or is about to be
// suspended: then [Return] takes it.
func (r *Run) ToolResult(agent string, d event.ToolReturned) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deaf() {
		return r.refused(ErrEnded)
	}
	d.By = event.Person
	return r.refused(r.errands.settle(agent, d))
}

// Return writes what the person's client made of a call of an agent into the log of
// a run that is not under way, as [Answer] does. goesOn says that [Resume] has
// something to do with it, because nobody stopped the run on purpose. It fails
// with [ErrNoCall] or [transcript.ErrLocked]: then [Run.ToolResult] takes it.
func Return(ctx context.Context, path, agent string, d event.ToolReturned, opts ...Option) (goesOn bool, err error) {
	s, err := readStopped(ctx, path)
	if err == nil {
		err = s.errands.check(agent, d.CallID) // told also when the log is locked
	}
	if err != nil {
		return false, err
	}
	d.By = event.Person
	err = amend(path, opts, func(s *stopped) error {
		goesOn = !s.byPerson
		return s.errands.settle(agent, d)
	})
	return goesOn, err
}
