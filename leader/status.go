package leader

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
)

// AgentStatus is what one agent does.
type AgentStatus struct {
	ID    string      `json:"id"`   // "uio_1"
	Name  string      `json:"name"` // "UI Operator_1"
	Role  string      `json:"role"`
	State event.State `json:"state"`
	Since time.Time   `json:"since"` // of the state
	// WaitsFor are the questions, approvals and agents it waits for, Tools the calls
	// that run.
	WaitsFor []string `json:"waits_for,omitempty"`
	Tools    []string `json:"tools,omitempty"`
	// Unread messages in its inbox, and since when the oldest waits.
	Unread       int         `json:"unread,omitempty"`
	OldestUnread time.Time   `json:"oldest_unread,omitzero"`
	Model        string      `json:"model"`
	Scripted     bool        `json:"scripted,omitempty"`
	Turns        int         `json:"turns"`
	Steps        int         `json:"steps"` // model calls
	Usage        event.Usage `json:"usage"`
	Cost         *event.Cost `json:"cost,omitempty"` // nil: unknown
}

// Agents tells what each agent does now, the leader first.
func (r *Run) Agents() []AgentStatus {
	waits := map[string][]string{}
	for _, e := range r.exchange.Desk.Waits() {
		on := e.To
		if e.Question != "" {
			on = e.Question + " → " + e.To
		}
		waits[e.From] = append(waits[e.From], on)
	}
	for _, a := range r.approvals.waiting() {
		waits[a.agent] = append(waits[a.agent], a.ID+" → "+event.Person)
	}
	var list []AgentStatus
	for _, m := range r.roster.all() {
		s := statusOf(m)
		s.WaitsFor = waits[m.id]
		if box := r.box(m.id); box != nil {
			s.Unread, s.OldestUnread = box.Unread()
		}
		list = append(list, s)
	}
	return list
}

// statusOf is what the log tells of an agent.
func statusOf(m member) AgentStatus {
	s := AgentStatus{
		ID: m.id, Name: m.name, Role: m.role, State: m.state, Since: m.since,
		Model: m.model, Scripted: m.scripted, Turns: m.turn, Steps: m.steps, Usage: m.usage, Cost: m.cost,
	}
	for _, c := range m.calls {
		s.Tools = append(s.Tools, c.Name)
	}
	return s
}

// ErrEnded is in the error of what is asked of a run that has ended, or that is
// about to be suspended.
var ErrEnded = errors.New("leader: the run has ended")

// Tell puts a message from the person into an agent's conversation, before
// its next model call; who is an id or a display name. A message that is taken
// is read while the run goes on: it fails with [ErrEnded] when the work was done
// before, or when the run is about to be suspended.
func (r *Run) Tell(who, text string) error { return r.TellOnce("", who, text) }

// TellOnce is [Run.Tell] for a command that may come again: it fails with
// [ErrRepeated] when the run has had one with this name. An empty name is none.
func (r *Run) TellOnce(request, who, text string) error {
	to, err := r.exchange.Post.Resolve(who)
	if err != nil {
		return r.refused(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.roster.requested(request):
		return r.refused(ErrRepeated)
	case r.deaf():
		return r.refused(ErrEnded)
	}
	_, err = r.exchange.Post.Send(mailbox.Outgoing{
		Kind: event.Note, From: event.Person, To: to.ID, Content: text, RequestID: request,
	})
	return r.refused(err)
}

// Warn writes something odd into the log that came with what a person or a program
// said. It fails with [ErrEnded] as [Run.Tell] does: then [Warn] takes it.
func (r *Run) Warn(w event.Warning) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deaf() {
		return r.refused(ErrEnded)
	}
	_, err := r.journal.Append("", 0, w)
	return err
}

// deaf reports whether nothing that the person says is taken any more, because
// the run has ended or is about to; the caller holds r.mu.
func (r *Run) deaf() bool { return r.leaves || r.ended() }

// ended reports whether the work is done; the caller holds r.mu.
func (r *Run) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return r.over
	}
}

// Reply answers a question to the person; [Run.Pending] lists them. It fails
// with [ErrEnded] when the run has ended, also when it waits to be resumed: then
// [Answer] takes the answer.
func (r *Run) Reply(questionID, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deaf() {
		return r.refused(ErrEnded)
	}
	_, err := r.exchange.Desk.Answer(event.Person, event.Person, questionID, text, 0)
	return r.refused(err)
}

// The ways to stop an agent, for [Run.Stop].
const (
	// Soft lets the step that runs finish.
	Soft = agent.Soft
	// Now cuts the model call and the tools short.
	Now = agent.Now
	// Terminate is Now, and for good.
	Terminate = agent.Terminate
)

// Stop stops a sub-agent; mode is [Soft], [Now] or [Terminate]. It does not
// wait; the leader is told when a turn ended by it. It fails for an unknown or a
// terminated agent, and with [ErrEnded]. The run itself is ended by [Run.Pause]
// or by its context.
func (r *Run) Stop(who string, mode agent.StopMode) error {
	to, err := r.exchange.Post.Resolve(who)
	if err == nil {
		err = r.mayStop(to, mode)
	}
	if err != nil {
		return r.refused(err)
	}
	r.agent(to.ID).Stop(agent.Stop{Mode: mode, By: event.PersonName})
	return nil
}

// mayStop says why an agent cannot be stopped in this way.
func (r *Run) mayStop(who mailbox.Address, mode agent.StopMode) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, _ := r.roster.view(who.ID)
	switch {
	case mode != Soft && mode != Now && mode != Terminate:
		return fmt.Errorf("leader: no way to stop an agent: mode %d", mode)
	case who.ID == event.Leader:
		return errors.New("leader: the leader cannot be stopped alone; pause the run")
	case m.state == event.Finished:
		return errors.New(r.words.TerminatedAgent(who.Name))
	case r.ended():
		return ErrEnded
	}
	return nil
}

// refused words an error of something asked of the run.
func (r *Run) refused(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Failure: event.Failure{Code: "refused", Who: "client", Message: strings.TrimPrefix(err.Error(), "leader: ")}, Err: err}
}

// ListRoles lists the roles, those made in this run included.
func (t teamTools) ListRoles(context.Context, tools.Call) (string, error) {
	r := t.run
	r.mu.Lock()
	defer r.mu.Unlock()
	var rows []prompts.RoleRow
	for _, role := range r.roles {
		row := prompts.RoleRow{
			ID: role.ID, Name: role.Name, Does: role.Does, Tools: role.Tools,
			Live: r.roster.roleAlive(role.ID), Max: role.MaxInstances,
		}
		if role.elsewhere() {
			row.Elsewhere = role.Place.String()
		}
		rows = append(rows, row)
	}
	return r.words.RolesList(rows), nil
}

// ListActive lists the sub-agents.
func (t teamTools) ListActive(context.Context, tools.Call) (string, error) {
	return t.run.words.ActiveList(t.run.agentRows()), nil
}

// AgentStatus tells the details of sub-agents.
func (t teamTools) AgentStatus(_ context.Context, _ tools.Call, in tools.AgentStatusArgs) (string, error) {
	wanted := map[string]bool{}
	for _, who := range in.Agents {
		a, err := t.worker(who)
		if err != nil {
			return "", err
		}
		wanted[a.ID] = true
	}
	return t.run.words.Status(t.run.details(wanted)), nil
}

// details tells all about the wanted sub-agents, about every one if none is
// named.
func (r *Run) details(wanted map[string]bool) []prompts.AgentDetail {
	var rows []prompts.AgentDetail
	for _, s := range r.Agents() {
		if s.ID == event.Leader || len(wanted) > 0 && !wanted[s.ID] {
			continue
		}
		m, _ := r.roster.view(s.ID)
		rows = append(rows, prompts.AgentDetail{
			AgentRow: r.agentRow(s), Model: s.Model, Tokens: s.Usage.Total(), LastOutput: m.last,
			Task: m.task, Failure: m.failure(),
		})
	}
	return rows
}

// agentRows lists the sub-agents that are not terminated.
func (r *Run) agentRows() []prompts.AgentRow {
	var rows []prompts.AgentRow
	for _, s := range r.Agents() {
		if s.ID != event.Leader && s.State != event.Finished {
			rows = append(rows, r.agentRow(s))
		}
	}
	return rows
}

func (r *Run) agentRow(s AgentStatus) prompts.AgentRow {
	return prompts.AgentRow{
		Name: s.Name, ID: s.ID, Role: s.Role, State: string(s.State), WaitsFor: s.WaitsFor,
		Since: r.leader.opts.now().Sub(s.Since), Unread: s.Unread, Steps: s.Steps,
	}
}
