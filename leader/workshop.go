package leader

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// Workshop lends the models and tools of a team's roles to agents of other runs;
// it is the other side of [Lender]. It keeps nothing of them but which files
// they have read. Its methods are safe for concurrent use.
type Workshop struct {
	leader *Leader
	gate   *model.Gate // nil: no limit
	space  *tools.Workspace

	mu   sync.Mutex // guards all below
	sets map[string]tools.Set
}

// NewWorkshop makes a workshop of a team, whose roles that run elsewhere are not
// lent. Close it.
func NewWorkshop(l *Leader) (*Workshop, error) {
	space, err := tools.NewWorkspace(l.opts.workDir, tools.WorkspaceOptions{Lang: l.opts.lang, MayRead: mayRead(l.rules, l.registry)})
	if err != nil {
		return nil, err
	}
	w := &Workshop{leader: l, space: space, sets: map[string]tools.Set{}}
	if n := bound(l.team.Limits.Parallel); n > 0 {
		w.gate = model.NewGate(n)
	}
	return w, nil
}

// Close frees what the workshop holds.
func (w *Workshop) Close() error { return w.space.Close() }

// role finds the role that is meant: the one with this id, code or name, else
// that of the agent type, else the only one.
func (w *Workshop) role(want, agentType string) (Role, error) {
	var lent []Role
	for _, r := range w.leader.team.Roles {
		if !r.elsewhere() {
			lent = append(lent, r)
		}
	}
	for _, name := range []string{want, agentType} {
		folded := mailbox.Fold(name)
		for _, r := range lent {
			if folded == mailbox.Fold(r.ID) || folded == mailbox.Fold(r.Name) || folded == r.Code {
				return r, nil
			}
		}
	}
	if len(lent) == 1 {
		return lent[0], nil
	}
	return Role{}, fmt.Errorf("leader: the team there has no role %q; its roles are %s", want, strings.Join(roleIDs(lent), ", "))
}

// Describe tells what an agent of a role is made of here; the role has the id,
// else it is that of the agent type, else the only one.
func (w *Workshop) Describe(want, agentType string) (event.Loan, error) {
	role, err := w.role(want, agentType)
	if err != nil {
		return event.Loan{}, err
	}
	set, err := w.set(role)
	if err != nil {
		return event.Loan{}, err
	}
	loan := event.Loan{Prompt: role.Prompt, Context: w.leader.team.Context, WorkDir: w.leader.opts.workDir, Models: lentOf(role.Model)}
	for _, s := range set.Specs() {
		tool, _ := set.Lookup(s.Name)
		lent := tools.Lend(tool)
		lent.Asks = lent.Asks || !w.leader.rules.Free(s)
		loan.Tools = append(loan.Tools, lent)
	}
	return loan, nil
}

// set has the tools of a role, but for those to talk with.
func (w *Workshop) set(role Role) (tools.Set, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if set, ok := w.sets[role.ID]; ok {
		return set, nil
	}
	space, err := w.space.WithWriteDir(role.WorkDir)
	if err != nil {
		return tools.Set{}, err
	}
	list, err := roleTools(space, role, w.leader.opts.tools)
	if err != nil {
		return tools.Set{}, err
	}
	set, err := tools.NewSet(list...)
	if err == nil {
		w.sets[role.ID] = set
	}
	return set, err
}

// Reply asks the model of a role, as [Lender.Reply] does.
func (w *Workshop) Reply(ctx context.Context, agentType string, q event.LentRequest) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		role, err := w.role(q.Role, agentType)
		if err != nil {
			yield(nil, err)
			return
		}
		req, err := requestOf(q)
		if err != nil {
			yield(nil, err)
			return
		}
		client := role.Model.client(w.leader.opts.limiters)
		if w.gate != nil {
			client = w.gate.Client(client)
		}
		tellReply(client.Stream(ctx, req), role.Model.Name, yield)
	}
}

// tellReply tells a reply as records do.
func tellReply(chunks iter.Seq2[model.Chunk, error], name string, yield func(event.Data, error) bool) {
	got := event.ModelReplied{Model: name, Finish: event.FinishUnknown}
	for c, err := range chunks {
		if c.Usage != nil {
			got.Usage = *c.Usage
		}
		if c.Model != "" {
			got.Model = c.Model
		}
		if err != nil {
			yield(event.ModelFailed{Model: got.Model, Failure: model.AsFailure(err), Partial: got.Text, Usage: got.Usage}, nil)
			return
		}
		if c.Notice != nil {
			if c.Notice.Type() == event.TypeModelRetried {
				got.Text, got.Reasoning, got.Calls, got.Extra = "", "", nil, ""
			}
			if !yield(c.Notice, nil) {
				return
			}
		}
		if c.Text != "" && !yield(event.ModelDelta{Text: c.Text}, nil) || c.Reasoning != "" && !yield(event.ModelThinking{Text: c.Reasoning}, nil) {
			return
		}
		got.Text += c.Text
		got.Reasoning += c.Reasoning
		got.Calls = append(got.Calls, c.Calls...)
		if c.Extra != "" {
			got.Extra = c.Extra
		}
		if c.Finish != "" {
			got.Finish, got.RawFinish = c.Finish, c.RawFinish
		}
	}
	yield(got, nil)
}

// requestOf is a request of another Troupe.
func requestOf(q event.LentRequest) (model.Request, error) {
	req := model.Request{Agent: q.Agent, AgentRole: q.Role, MaxOutputTokens: q.MaxOutputTokens}
	for _, text := range q.Messages {
		var m lentMessage
		if err := json.Unmarshal(text, &m); err != nil {
			return req, fmt.Errorf("leader: a message of a lent conversation: %w", err)
		}
		m.Origin.Content = m.Plain
		req.Messages = append(req.Messages, m.Message)
	}
	if len(q.Tools) > 0 {
		if err := json.Unmarshal(q.Tools, &req.Tools); err != nil {
			return req, fmt.Errorf("leader: the tools of a lent request: %w", err)
		}
	}
	return req, nil
}

// Call does a call of a tool of a role, as [Lender.Call] does. What the rules
// here deny is denied; leave, where a tool asks for it, was given by the person
// of the run. What is secret here is masked in what goes out.
func (w *Workshop) Call(ctx context.Context, role, agentType string, c event.LentCall) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		began := w.leader.opts.now()
		open := true
		tell := func(d event.Data) { open = open && yield(d, nil) }
		result, err := w.call(ctx, role, agentType, c, tell)
		done := event.ToolFinished{CallID: c.CallID, Name: c.Name, Result: result, DurationMS: w.leader.opts.now().Sub(began).Milliseconds()}
		if err != nil {
			done.Result, done.IsError = err.Error(), true
		}
		done.Result = w.leader.mask.Text(done.Result)
		tell(done)
	}
}

func (w *Workshop) call(ctx context.Context, want, agentType string, c event.LentCall, tell func(event.Data)) (string, error) {
	role, err := w.role(want, agentType)
	if err != nil {
		return "", err
	}
	set, err := w.set(role)
	if err != nil {
		return "", err
	}
	spec, ok := set.Spec(c.Name)
	if ok && !w.leader.rules.Free(spec) {
		subject, err := set.Subject(c.Name, json.RawMessage(c.Arguments))
		if err != nil {
			return "", err
		}
		if verdict, rule := w.leader.rules.Decide(spec, subject); verdict == tools.Denied {
			return "", fmt.Errorf("leader: the rules where the tool runs deny this call: %s", rule)
		}
	}
	return set.Run(ctx, c.Name, tools.Call{
		Agent: c.Agent, Turn: c.Turn, ID: c.CallID, RequestID: c.RequestID, Again: c.Again, Arguments: json.RawMessage(c.Arguments),
		Metadata: c.Metadata,
		Blocked:  func(...string) func() { return func() {} },
		Sent:     func() {},
		Output:   func(text string) { tell(event.ToolOutput{CallID: c.CallID, Text: w.leader.mask.Text(text)}) },
		Artifact: func(path string, size int64) { tell(event.ArtifactCreated{Path: path, Bytes: size, CallID: c.CallID}) },
	})
}
