package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// teamTools is what the leader's communication tools do; it implements
// [tools.Team].
type teamTools struct{ run *Run }

var leaderAddress = mailbox.Address{ID: event.Leader, Name: event.LeaderName, Code: event.Leader}

// CreateSubAgent starts a worker, which goes on in the background.
func (t teamTools) CreateSubAgent(ctx context.Context, call tools.Call, in tools.CreateSubAgentArgs) (string, error) {
	var loan *event.Loan
	if _, made := t.run.made[call.ID]; !made {
		var err error
		if loan, err = t.run.borrow(ctx, in.Role); err != nil {
			return "", err
		}
	}
	made, err := t.run.create(ctx, spawnRequest{
		role: in.Role, task: in.Task, call: call.ID, turn: call.Turn, loan: loan, reply: make(chan spawned, 1),
	})
	if err = errors.Join(err, made.err); err != nil {
		return "", err
	}
	return t.run.words.Created(made.address.Name, made.address.ID, made.used, made.free), nil
}

// worker finds a sub-agent by id or display name.
func (t teamTools) worker(who string) (mailbox.Address, error) {
	a, err := t.run.exchange.Post.Resolve(who)
	if err == nil && a.ID == event.Leader {
		err = mailbox.ErrSelf
	}
	return a, t.refusal("", err)
}

func (t teamTools) refusal(questionID string, err error) error {
	return subagent.Refusal(t.run.words, t.run.exchange.Desk, event.Leader, questionID, err)
}

// SendMessage steers a worker, or gives it new work.
func (t teamTools) SendMessage(_ context.Context, call tools.Call, in tools.SendMessageArgs) (string, error) {
	to, err := t.worker(in.Agent)
	if err != nil {
		return "", err
	}
	kind := event.Note
	if in.As == "task" {
		kind = event.Task
	}
	m, err := t.run.exchange.Post.Send(mailbox.Outgoing{
		Kind: kind, From: event.Leader, To: to.ID, Content: in.Message, CallID: call.ID, Turn: call.Turn,
	})
	if err != nil {
		return "", t.refusal("", subagent.Unsent(t.run.words, to.Name, err))
	}
	return t.run.words.Sent(m.ID, to.Name), nil
}

// AskSubAgent asks a worker and waits for the answer.
func (t teamTools) AskSubAgent(ctx context.Context, call tools.Call, in tools.AskSubAgentArgs) (string, error) {
	to, err := t.worker(in.Agent)
	if err != nil {
		return "", err
	}
	end, err := t.run.exchange.Ask(ctx, mailbox.Inquiry{
		From: leaderAddress, To: to, Kind: event.Question, Text: in.Question, CallID: call.ID, Turn: call.Turn,
		Timeout: bound(t.run.leader.team.Limits.AskTimeout),
	}, call.Sent, call.Blocked)
	if err != nil {
		return "", t.refusal("", err)
	}
	return subagent.Outcome(t.run.words, to.Name, end)
}

// AnswerQuestion answers a worker's question.
func (t teamTools) AnswerQuestion(_ context.Context, call tools.Call, in tools.AnswerArgs) (string, error) {
	desk := t.run.exchange.Desk
	_, err := desk.Answer(event.Leader, event.Leader, in.QuestionID, in.Answer, call.Turn)
	if err != nil && (!call.Again || !desk.Answered(event.Leader, in.QuestionID)) {
		return "", t.refusal(in.QuestionID, err)
	}
	return t.run.words.AnswerDelivered(in.QuestionID), nil
}

// StopSubAgent stops a worker at its next step.
func (t teamTools) StopSubAgent(_ context.Context, _ tools.Call, in tools.StopArgs) (string, error) {
	to, err := t.halt(in, agent.Soft)
	if err != nil {
		return "", err
	}
	if m, _ := t.run.roster.view(to.ID); m.state.Busy() {
		return t.run.words.Stopping(to.Name), nil
	}
	return t.run.words.Stopped(to.Name), nil
}

// TerminateSubAgent ends a worker for good.
func (t teamTools) TerminateSubAgent(_ context.Context, _ tools.Call, in tools.StopArgs) (string, error) {
	to, err := t.halt(in, agent.Terminate)
	if err != nil {
		return "", err
	}
	return t.run.words.Terminated(to.Name), nil
}

func (t teamTools) halt(in tools.StopArgs, mode agent.StopMode) (mailbox.Address, error) {
	to, err := t.worker(in.Agent)
	if err != nil {
		return to, err
	}
	if m, _ := t.run.roster.view(to.ID); m.state == event.Finished {
		return to, errors.New(t.run.words.TerminatedAgent(to.Name))
	}
	t.run.agent(to.ID).Stop(agent.Stop{Mode: mode, By: event.LeaderName, Reason: in.Reason})
	return to, nil
}

// CreateCustomAgent makes a role for this run.
func (t teamTools) CreateCustomAgent(_ context.Context, call tools.Call, in tools.CreateCustomAgentArgs) (string, error) {
	if id, ok := t.run.made[call.ID]; ok && call.Again {
		return t.run.words.RoleCreated(id, in.Name), nil
	}
	role, err := t.run.customRole(in)
	if err != nil {
		return "", err
	}
	_, err = t.run.journal.Append(event.Leader, call.Turn, event.RoleCreated{
		ID: role.ID, Name: role.Name, Code: role.Code, Does: role.Does, Prompt: role.Prompt,
		Tools: role.Tools, Model: role.Model.Name, CallID: call.ID,
	})
	if err != nil {
		return "", err
	}
	t.run.mu.Lock()
	defer t.run.mu.Unlock()
	t.run.roles = append(t.run.roles, role)
	return t.run.words.RoleCreated(role.ID, role.Name), nil
}

// customRole checks a role that the leader makes: its tools are among those
// that the team has anyway, its model is one of the team's.
func (r *Run) customRole(in tools.CreateCustomAgentArgs) (Role, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	role := Role{Name: in.Name, Does: in.Does, Prompt: in.Prompt, Tools: in.Tools}
	seen, codes := map[string]string{}, map[string]bool{}
	m := r.leader.team.Leader.Model
	allowed := tools.DefaultRoleTools()
	for _, t := range r.custom() {
		allowed = append(allowed, t.Spec().Name)
	}
	for i := range r.roles {
		codes[r.roles[i].Code] = true
		codes[mailbox.Fold(r.roles[i].Name)] = true // no code may be another role's name
		r.roles[i].mistakes(seen, r.leader.registry)
		allowed = append(allowed, r.roles[i].Tools...)
		if in.Model != "" && r.roles[i].Model.Name == in.Model {
			m = r.roles[i].Model
		}
	}
	if in.Model != "" && m.Name != in.Model {
		return role, errors.New(r.words.UnknownModel(in.Model, r.modelNames()))
	}
	role.complete(m, r.leader.team.Limits, codes)
	if mistakes := role.mistakes(seen, r.leader.registry); len(mistakes) > 0 {
		return role, fmt.Errorf("leader: %s", mistakes[0])
	}
	for _, name := range role.Tools {
		if !slices.Contains(allowed, name) {
			slices.Sort(allowed)
			return role, errors.New(r.words.ToolNotAllowed(name, slices.Compact(allowed)))
		}
	}
	return role, nil
}

// madeRole is a role that the leader made, as the log tells of it.
func (r *Run) madeRole(d event.RoleCreated) Role {
	role := Role{ID: d.ID, Name: d.Name, Code: d.Code, Does: d.Does, Prompt: d.Prompt, Tools: d.Tools}
	m := r.leader.team.Leader.Model
	for _, o := range r.roles {
		if o.Model.Name == d.Model {
			m = o.Model
		}
	}
	role.complete(m, r.leader.team.Limits, map[string]bool{})
	return role
}

// modelNames lists the models of the team; the caller holds r.mu.
func (r *Run) modelNames() []string {
	names := []string{r.leader.team.Leader.Model.Name}
	for _, role := range r.roles {
		if !role.elsewhere() {
			names = append(names, role.Model.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
