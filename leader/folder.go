package leader

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// folder makes a run out of the records of its log. Every part changes by the
// same function as when it lives.
type folder struct {
	run      *Run
	task     string             // of the person, not sent yet
	request  string             // names the command with it
	finished bool               // nothing was left to do
	header   event.RunStarted   // as it is by now
	began    time.Time          // zero while the run is not at work
	last     time.Time          // of the newest record since
	before   time.Duration      // that the run was at work until began
	tasked   time.Duration      // that it was at work until its newest task came
	readings map[string]reading // of files, by call
}

func newFolder(r *Run) *folder { return &folder{run: r, readings: map[string]reading{}} }

// fold takes in one record.
func (f *folder) fold(rec event.Record) error {
	f.time(rec)
	r := f.run
	r.roster.apply(rec)
	r.budget.apply(rec)
	r.exchange.IDs.Apply(rec)
	if d, ok := rec.Data.(event.AgentCreated); ok {
		return r.readmit(rec.Agent, d)
	}
	r.approvals.Apply(rec)
	r.errands.Apply(rec)
	r.exchange.Desk.Apply(rec)
	r.exchange.Post.Apply(rec)
	if err := f.applyRun(rec); err != nil {
		return err
	}
	f.recall(rec)
	return f.applyAgents(rec)
}

// time counts how long the run was at work. What a person writes into the log
// meanwhile is no work.
func (f *folder) time(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunStarted, event.RunResumed:
		f.before = f.active()
		f.began, f.last = rec.Time, rec.Time
		if d, ok := d.(event.RunResumed); ok && d.Task != "" {
			f.tasked = f.before
		}
	case event.RunSuspended, event.RunFinished, event.RunFailed:
		f.before = f.active()
		f.began, f.last = time.Time{}, time.Time{}
	default:
		if !f.began.IsZero() {
			f.last = rec.Time
		}
	}
}

// active is how long the run was at work so far.
func (f *folder) active() time.Duration { return f.before + f.last.Sub(f.began) }

// applyRun takes in what is about the run as a whole.
func (f *folder) applyRun(rec event.Record) error {
	r := f.run
	switch d := rec.Data.(type) {
	case event.RunStarted:
		f.task, f.request, f.header = d.Task, d.RequestID, d
	case event.RunResumed:
		f.task, f.request, f.finished = d.Task, d.RequestID, false
		f.header = f.header.Resumed(d)
	case event.RunFinished:
		f.finished = !d.Partial
	case event.MessageSent:
		if d.From == event.Person && d.To == event.Leader {
			f.task = ""
		}
	case event.RoleCreated:
		r.roles = append(r.roles, r.madeRole(d))
		if d.CallID != "" {
			r.made[d.CallID] = d.ID
		}
	case event.ToolFinished:
		if rec.Agent == event.Leader {
			delete(r.made, d.CallID)
		}
	case event.ModelProfile:
		for _, c := range r.leader.opts.adaptive[d.Endpoint] {
			if err := c.Restore(d); err != nil {
				return err
			}
		}
	default: // about agents and messages
	}
	return nil
}

// applyAgents hands a record to those whom it is about.
func (f *folder) applyAgents(rec event.Record) error {
	who := []string{rec.Agent}
	switch d := rec.Data.(type) {
	case event.MessageSent:
		who = []string{d.From, d.To}
	case event.RunResumed:
		who = slices.Collect(maps.Keys(f.run.agents))
	default: // about one agent, if any
	}
	for _, id := range who {
		a := f.run.agents[id]
		if a == nil {
			continue
		}
		if err := a.Apply(rec); err != nil {
			return err
		}
	}
	return nil
}

// readmit makes an agent of the log anew.
func (r *Run) readmit(id string, d event.AgentCreated) error {
	cfg, err := r.configAsRecorded(id, d)
	if err != nil {
		return err
	}
	a, err := agent.New(cfg)
	if err != nil {
		return err
	}
	if d.CallID != "" {
		r.made[d.CallID] = id
	}
	return r.admit(a, cfg)
}

// configAsRecorded is what an agent of the log is made of: with the prompt that
// it had, and with the tools that it had, as this program has them.
func (r *Run) configAsRecorded(id string, d event.AgentCreated) (agent.Config, error) {
	cfg, err := r.configOf(id, d)
	if err != nil {
		return cfg, err
	}
	if len(d.Tools) > 0 && !slices.Equal(d.Tools, cfg.Tools.Names()) {
		own := *cfg.Shared
		if own.Tools, err = cfg.Tools.Only(d.Tools...); err != nil {
			return cfg, fmt.Errorf("%w: a tool of %s; pass it with WithTools: %w", ErrInCode, id, err)
		}
		own.Offer = agent.NewOffer(own.Tools)
		cfg.Shared = &own
	}
	if cfg.Prompt.String() != d.Prompt {
		cfg.Prompt = agent.NewPrompt(d.Prompt)
	}
	return cfg, nil
}

// configOf is what an agent of the log would be made of today.
func (r *Run) configOf(id string, d event.AgentCreated) (agent.Config, error) {
	if id == event.Leader {
		return r.leaderConfig()
	}
	role, err := r.role(d.Role)
	if err != nil {
		return agent.Config{}, fmt.Errorf("leader: the role of %s: %w", id, err)
	}
	return r.workerConfig(role, addressOf(id, d), d.Lent)
}

// addressOf is the address of an agent of the log.
func addressOf(id string, d event.AgentCreated) mailbox.Address {
	return mailbox.Address{ID: id, Name: d.Name, Code: d.Code}
}
