package leader

import (
	"cmp"
	"context"
	"slices"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// Rebuilt is the team of a recorded run, made again from the log's header by
// this version of the program: what it would tell each agent today. It has no
// models, and nothing runs.
type Rebuilt struct{ run *Run }

// Rebuild makes a team again from the header of its run. Of the options only
// [WithTools] counts: the custom tools that the run had. Close what it returns.
func Rebuild(header event.RunStarted, opts ...Option) (*Rebuilt, error) {
	o := newOptions(opts)
	o.lang, o.runDir = cmp.Or(header.Lang, "en"), ""
	t, err := teamOf(header)
	if err != nil {
		return nil, err
	}
	run, err := newRun(&Leader{team: t, opts: o, raw: header.Team}, header.RunID)
	if err != nil {
		return nil, err
	}
	return &Rebuilt{run}, nil
}

// Close frees what b holds.
func (b *Rebuilt) Close() error { return b.run.space.Close() }

// AddRole adds a role that the leader made in the run.
func (b *Rebuilt) AddRole(d event.RoleCreated) { b.run.roles = append(b.run.roles, b.run.madeRole(d)) }

// Agent returns what the agent that created tells of would be made of today,
// all but its Model, and the names of its tools that this program does not
// have. If there are any, the prompt and the set are as recorded, with nothing
// known of those tools but their names. The working folder in the prompt is
// the recorded one.
func (b *Rebuilt) Agent(id string, created event.AgentCreated) (cfg agent.Config, missing []string, err error) {
	pool := b.pool(id)
	for _, name := range created.Tools {
		if find(pool, name) == nil && !slices.Contains(lentNames(created.Lent), name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		cfg, err = b.Resumed(id, created)
		return cfg, missing, err
	}
	b.run.leader.opts.workDir = prompts.WorkDirOf(created.Prompt)
	clear(b.run.kits) // they have the folder of another agent
	cfg, err = b.run.configOf(id, created)
	return cfg, nil, err
}

// Resumed returns what that agent is made of when the run is resumed with this
// team: its prompt and its tools stay as they were recorded.
func (b *Rebuilt) Resumed(id string, created event.AgentCreated) (agent.Config, error) {
	pool := b.pool(id)
	var list []tools.Tool
	for _, name := range created.Tools {
		t := find(pool, name)
		if t == nil {
			t = tools.Func(name, "", func(context.Context, struct{}) (string, error) { return "", nil }, tools.Pure)
		}
		list = append(list, t)
	}
	set, err := tools.NewSet(list...)
	if err != nil {
		return agent.Config{}, err
	}
	prompt := agent.NewPrompt(created.Prompt)
	if id == event.Leader {
		return b.run.leaderWith(set, prompt), nil
	}
	role, err := b.run.role(created.Role)
	if err != nil {
		return agent.Config{}, err
	}
	if created.Lent != nil {
		return b.run.configAsRecorded(id, created)
	}
	return b.run.config(addressOf(id, created), prompt, mailbox.BoxOptions{}, b.run.workers(role, set)), nil
}

// pool has the tools that an agent may have.
func (b *Rebuilt) pool(id string) []tools.Tool {
	o := b.run.leader.opts
	list := slices.Concat(tools.PeerTools(subagent.Peers{}, o.lang), tools.RemoteTools(subagent.Peers{}, o.lang))
	if id == event.Leader {
		list = tools.LeaderTools(teamTools{b.run}, o.lang)
	}
	return slices.Concat(list, b.run.space.Tools(), b.run.custom())
}

// find is the tool of a name; nil if there is none.
func find(list []tools.Tool, name string) tools.Tool {
	for _, t := range list {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}
