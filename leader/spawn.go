package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// spawnRequest asks the loop for a new worker.
type spawnRequest struct {
	role, task, call string
	loan             *event.Loan // what of it another Troupe lends
	turn             int
	reply            chan spawned // one slot
}

// spawned is the loop's answer.
type spawned struct {
	address    mailbox.Address
	used, free int // free is negative when there is no limit
	err        error
}

func newRun(l *Leader, id string) (*Run, error) {
	space, err := tools.NewWorkspace(l.opts.workDir, tools.WorkspaceOptions{Lang: l.opts.lang, MayRead: mayRead(l.rules, l.registry)})
	if err != nil {
		return nil, err
	}
	r := &Run{
		id: id, space: space, logger: l.opts.logger.With().Str("session", id).Logger(), leader: l, roster: newRoster(), words: prompts.In(l.opts.lang),
		budget: newBudget(l.team.Limits, l.opts.now),
		spawns: make(chan spawnRequest), pauses: make(chan string, 1), ending: make(chan struct{}), done: make(chan struct{}),
		kits: map[string]*kit{}, loans: map[string]*event.Loan{}, made: map[string]string{}, agents: map[string]*agent.Agent{}, boxes: map[string]*mailbox.Box{}, roles: slices.Clone(l.team.Roles),
	}
	if n := bound(l.team.Limits.Parallel); n > 0 {
		r.gate = model.NewGate(n)
	}
	r.journal = &journal{roster: r.roster}
	ids := mailbox.NewIDs()
	post := mailbox.NewPost(r.journal, ids, mailbox.PostOptions{
		Returned: func(m event.MessageSent, to, why string) string { return r.words.Undeliverable(m.ID, to, why) },
	})
	r.exchange = mailbox.Exchange{IDs: ids, Post: post, Desk: mailbox.NewDesk(r.journal, ids, mailbox.DeskOptions{
		Leader: event.Leader, Late: r.lateAnswer, Now: l.opts.now,
	})}
	r.approvals = newApprovals(r.journal, ids, l.rules, l.registry.Specs())
	r.errands = newErrands(r.journal)
	return r, nil
}

// write makes the run write its log; before that it can be folded.
func (r *Run) write(log *transcript.Log) { r.log, r.journal.Appender = log, log }

func (r *Run) agent(id string) *agent.Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.agents[id]
}

// everyone lists the agents in order of creation, but those that were
// terminated.
func (r *Run) everyone() []*agent.Agent {
	var list []*agent.Agent
	for _, m := range r.roster.all() {
		if a := r.agent(m.id); a != nil && m.state != event.Finished {
			list = append(list, a)
		}
	}
	return list
}

// lateAnswer tells the leader how a question ended whose ask had to end early:
// the answer comes from who answered, any other outcome from the runtime.
func (r *Run) lateAnswer(q event.QuestionOpened, c event.QuestionClosed) {
	note := mailbox.Outgoing{Kind: event.Note, From: q.To, To: q.From, Content: r.words.LateAnswer(q.ID, c.Text)}
	if c.Outcome != event.Answered && c.Outcome != event.Implicit {
		who, _ := r.roster.view(q.To)
		note.From = event.Runtime
		note.Content = r.words.LateAnswer(q.ID, r.words.Outcome(string(c.Outcome), who.name, q.ID, c.Text, c.Detail))
	}
	_, err := r.exchange.Post.Send(note)
	if err != nil {
		r.leader.opts.logger.Error().Err(err).Str("agent", q.From).Msg("late answer not delivered")
	}
}

// addLeader makes the leader; the loop starts it.
func (r *Run) addLeader() error {
	cfg, err := r.leaderConfig()
	if err != nil {
		return err
	}
	a, err := agent.New(cfg)
	if err != nil {
		return err
	}
	return r.enter(a, cfg, event.AgentCreated{})
}

// leaderConfig is what the leader is made of.
func (r *Run) leaderConfig() (agent.Config, error) {
	var none agent.Config
	t := r.leader.team
	list := tools.LeaderTools(teamTools{r}, r.leader.opts.lang)
	own, err := pick(r.space, t.Leader.Tools, r.custom())
	if err != nil {
		return none, err
	}
	for _, t := range r.leader.team.clientTools(r) {
		if !slices.Contains(r.leader.team.Leader.Tools, t.Spec().Name) {
			own = append(own, t)
		}
	}
	set, err := tools.NewSet(append(list, own...)...)
	if err != nil {
		return none, err
	}
	prompt, err := prompts.Leader(r.leader.opts.lang, prompts.LeaderData{
		TeamName: t.Name, TeamDescription: t.Description, Roles: promptRoles(t.Roles), Tools: promptTools(set),
		Limits: prompts.Limits{Agents: bound(t.Limits.Agents), Spawns: bound(t.Limits.Spawns), Steps: bound(t.Limits.Steps)},
		Extra:  t.Leader.Prompt, Context: t.Context, WorkDir: r.leader.opts.workDir,
	})
	if err != nil {
		return none, err
	}
	return r.leaderWith(set, agent.NewPrompt(prompt)), nil
}

// leaderWith is what the leader is made of with these tools and this prompt.
func (r *Run) leaderWith(set tools.Set, prompt agent.Prompt) agent.Config {
	l := r.leader.team.Leader
	wakes := func(m event.MessageSent) bool { return l.WakeOnProgress || m.Kind != event.Progress }
	s := r.shared(event.Leader, l.Model, set)
	s.Model, s.MaxSteps = r.client(l.Model), bound(l.MaxSteps)
	s.Last = endsRun // nobody is reported to: the person reads the log
	return r.config(leaderAddress, prompt, mailbox.BoxOptions{Wakes: wakes}, s)
}

// endsRun reports whether the end of a turn of the leader for this reason is
// the end of the run: a bad one is.
func endsRun(r event.Reason) bool { return r != event.EndNatural }

// spawn makes a worker and sends it its task; the loop starts it. It runs in
// the loop only, so that no two requests see the same free place.
func (r *Run) spawn(req spawnRequest) (*agent.Agent, spawned) {
	fail := func(err error) (*agent.Agent, spawned) { return nil, spawned{err: err} }
	if id, ok := r.made[req.call]; ok {
		return nil, r.entrust(id, req)
	}
	a, address, err := r.hire(req.role, req.call, req.loan)
	if err != nil {
		return fail(err)
	}
	return a, r.entrust(address.ID, req)
}

// entrust sends a worker its task, unless the call had sent it when the program
// ended.
func (r *Run) entrust(id string, req spawnRequest) spawned {
	address, err := r.exchange.Post.Resolve(id)
	if err == nil {
		_, err = r.exchange.Post.Send(mailbox.Outgoing{
			Kind: event.Task, From: event.Leader, To: id, Content: req.task, CallID: req.call, Turn: req.turn,
		})
	}
	made := spawned{address: address, used: r.roster.busy(), free: -1, err: err}
	if limit := bound(r.leader.team.Limits.Agents); limit > 0 {
		made.free = max(0, limit-made.used)
	}
	return made
}

// hire makes a worker of a role, which has nothing to do yet.
func (r *Run) hire(want, call string, loan *event.Loan) (*agent.Agent, mailbox.Address, error) {
	none := mailbox.Address{}
	role, err := r.mayCreate(want)
	if err != nil {
		return nil, none, err
	}
	n := strconv.Itoa(r.roster.nextInstance(role.ID))
	address := mailbox.Address{ID: role.Code + "_" + n, Name: role.Name + "_" + n, Code: role.Code}
	cfg, err := r.workerConfig(role, address, loan)
	if err != nil {
		return nil, none, err
	}
	a, err := agent.New(cfg)
	if err != nil {
		return nil, none, err
	}
	created := event.AgentCreated{Parent: event.Leader, CallID: call, Lent: loan}
	if role.elsewhere() {
		created.Remote = role.Place.String()
	}
	return a, address, r.enter(a, cfg, created)
}

// mayCreate finds the role and checks the limits on instances.
func (r *Run) mayCreate(want string) (Role, error) {
	role, err := r.role(want)
	if err != nil {
		return Role{}, err
	}
	limits := r.leader.team.Limits
	if limit := bound(limits.Agents); limit > 0 && r.roster.busy() >= limit {
		return Role{}, errors.New(r.words.AgentsFull(r.roster.busy(), limit))
	}
	if limit := bound(limits.Spawns); limit > 0 && r.roster.spawned() >= limit {
		return Role{}, errors.New(r.words.SpawnsOut(limit))
	}
	if role.MaxInstances > 0 && r.roster.roleAlive(role.ID) >= role.MaxInstances {
		return Role{}, errors.New(r.words.RoleFull(role.Name, role.MaxInstances))
	}
	return role, nil
}

// role finds a role by id, code or name, folded for case.
func (r *Run) role(want string) (Role, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	folded := mailbox.Fold(want)
	for _, role := range r.roles {
		if folded == mailbox.Fold(role.ID) || folded == mailbox.Fold(role.Name) || folded == role.Code {
			return role, nil
		}
	}
	return Role{}, errors.New(r.words.UnknownRole(want, roleIDs(r.roles)))
}

func (r *Run) workerConfig(role Role, address mailbox.Address, loan *event.Loan) (agent.Config, error) {
	if loan != nil {
		return r.lentConfig(role, address, *loan)
	}
	k, err := r.kit(role)
	if err != nil {
		return agent.Config{}, err
	}
	var box mailbox.BoxOptions
	if role.elsewhere() {
		box.Refuses = func() error { return r.notWhileAtWork(address) }
	}
	return r.config(address, agent.PromptFor(k.prompt, address.Name), box, k.shared), nil
}

// workers is what the workers of a role with these tools have in common, all
// but the model.
func (r *Run) workers(role Role, set tools.Set) *agent.Shared {
	s := r.shared(role.ID, role.Model, set)
	s.MaxSteps, s.Report = bound(role.MaxSteps), subagent.Reporter(r.exchange.Post, r.words)
	if role.elsewhere() {
		s.Elsewhere, s.ModelName = true, role.Place.String()
	}
	return s
}

// askable lists the codes of the roles that a role may ask; nil means all.
func (r *Run) askable(role Role) []string {
	if role.MayAsk == nil {
		return nil
	}
	codes := []string{}
	for _, o := range r.leader.team.Roles {
		if slices.Contains(role.MayAsk, o.ID) {
			codes = append(codes, o.Code)
		}
	}
	return codes
}

// config is what one agent of the run is made of.
func (r *Run) config(a mailbox.Address, prompt agent.Prompt, box mailbox.BoxOptions, s *agent.Shared) agent.Config {
	box.Limit = bound(r.leader.team.Limits.Inbox)
	return agent.Config{
		ID: a.ID, Name: a.Name, Code: a.Code, Prompt: prompt, Shared: s,
		Box: mailbox.NewBox(box),
	}
}

// shared is what all agents of the run have in common; who makes a living one
// adds its model.
func (r *Run) shared(role string, m Model, set tools.Set) *agent.Shared {
	return &agent.Shared{
		Role: role, ModelName: m.Name, Scripted: m.scripted(), Tools: set,
		MaxOutputTokens: m.MaxOutputTokens, Price: m.cost, ContextWindow: m.ContextWindow, CompactAt: m.CompactAt,
		Log: r.journal, Post: r.exchange.Post, Desk: r.exchange.Desk, Brief: r.brief,
		Budget: r.budget, Words: agentWords{r.words}, ToolTimeout: bound(r.leader.team.Limits.ToolTimeout),
		Permit: r.permit(set), Metadata: r.told, Logger: r.logger, Now: r.leader.opts.now,
	}
}

// client is the client of a model as the run uses it: with no more calls at
// once than the limits allow.
func (r *Run) client(m Model) model.Client {
	c := m.client(r.leader.opts.limiters)
	if r.gate == nil {
		return c
	}
	return r.gate.Client(c)
}

// enter makes an agent known: to the log, the post and the run.
func (r *Run) enter(a *agent.Agent, cfg agent.Config, created event.AgentCreated) error {
	created.Name, created.Role, created.Code = cfg.Name, cfg.Role, cfg.Code
	created.Prompt, created.Tools, created.Model, created.Scripted = cfg.Prompt.String(), cfg.Tools.Names(), cfg.ModelName, cfg.Scripted
	if _, err := r.journal.Append(cfg.ID, 0, created); err != nil {
		return err
	}
	return r.admit(a, cfg)
}

// admit makes an agent of the log known to the post and the run.
func (r *Run) admit(a *agent.Agent, cfg agent.Config) error {
	r.mu.Lock()
	r.agents[cfg.ID], r.boxes[cfg.ID] = a, cfg.Box
	r.mu.Unlock()
	// Last, because whoever finds the agent may stop it at once.
	return r.exchange.Post.Register(mailbox.Address{ID: cfg.ID, Name: cfg.Name, Code: cfg.Code}, cfg.Box)
}

// pick finds tools by name. Those of the workspace are made only when one of
// them is wanted, because that costs more than all else in a spawn.
func pick(space *tools.Workspace, names []string, others []tools.Tool) ([]tools.Tool, error) {
	custom, err := tools.NewSet(others...)
	if err != nil {
		return nil, err
	}
	files := sync.OnceValues(func() (tools.Set, error) { return tools.NewSet(space.Tools()...) })
	var list []tools.Tool
	for _, name := range names {
		t, ok := custom.Lookup(name)
		if !ok {
			set, err := files()
			if err != nil {
				return nil, err
			}
			if t, ok = set.Lookup(name); !ok {
				return nil, fmt.Errorf("leader: no tool %q", name)
			}
		}
		list = append(list, t)
	}
	return list, nil
}

// custom are the tools beside those of Troupe: the program's own and the client's.
func (r *Run) custom() []tools.Tool {
	return slices.Concat(r.leader.opts.tools, r.leader.team.clientTools(r))
}

func promptTools(set tools.Set) []prompts.Tool {
	var list []prompts.Tool
	for _, s := range set.Specs() {
		list = append(list, prompts.Tool{Name: s.Name, Description: s.Description})
	}
	return list
}

func promptRoles(roles []Role) []prompts.Role {
	var list []prompts.Role
	for _, r := range roles {
		role := prompts.Role{ID: r.ID, Name: r.Name, Does: r.Does, Code: r.Code, Tools: r.Tools}
		if r.elsewhere() {
			role.Elsewhere = r.Place.String()
		}
		list = append(list, role)
	}
	return list
}

// create asks the loop for a worker.
func (r *Run) create(ctx context.Context, req spawnRequest) (spawned, error) {
	select {
	case r.spawns <- req:
		return <-req.reply, nil
	case <-r.ending:
		return spawned{}, errors.New(r.words.NotCreated())
	case <-ctx.Done():
		return spawned{}, context.Cause(ctx)
	}
}
