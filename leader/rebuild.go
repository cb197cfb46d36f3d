package leader

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
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
	o.lang, o.runDir = header.Lang, ""
	if o.lang == "" {
		o.lang = "en"
	}
	var t Team
	if err := json.Unmarshal(header.Team, &t); err != nil {
		return nil, fmt.Errorf("leader: the team in the header of run %s: %w", header.RunID, err)
	}
	l := &Leader{team: t, opts: o, raw: header.Team}
	run, err := newRun(l, header.RunID)
	if err != nil {
		return nil, err
	}
	l.opts.workDir = anyFolder
	return &Rebuilt{run}, nil
}

// anyFolder stands in prompts for the working folder, which no header tells.
const anyFolder = "\x01"

// Close frees what b holds.
func (b *Rebuilt) Close() error { return b.run.space.Close() }

// AddRole adds a role that the leader made in the run.
func (b *Rebuilt) AddRole(d event.RoleCreated) {
	t := b.run.leader.team
	role := Role{
		ID: d.ID, Name: d.Name, Code: d.Code, Does: d.Does, Prompt: d.Prompt, Tools: d.Tools,
		Model: t.Leader.Model, MaxSteps: t.Limits.MaxSteps,
	}
	for _, m := range t.models() {
		if m.Name == d.Model {
			role.Model = m
		}
	}
	b.run.roles = append(b.run.roles, role)
}

// Agent returns what the agent that created tells of would be made of today,
// all but its Model, and the names of its tools that this program does not
// have. If there are any, the prompt and the set are as recorded, with nothing
// known of those tools but their names. The working folder in the prompt is
// the recorded one.
func (b *Rebuilt) Agent(id string, created event.AgentCreated) (cfg agent.Config, missing []string, err error) {
	pool := b.pool(id)
	for _, name := range created.Tools {
		if !slices.ContainsFunc(pool, func(t tools.Tool) bool { return t.Spec().Name == name }) {
			missing = append(missing, name)
		}
	}
	address := mailbox.Address{ID: id, Name: created.Name, Code: created.Code}
	role := Role{Model: b.run.leader.team.Leader.Model, MaxSteps: b.run.leader.team.Leader.MaxSteps}
	if id != event.Leader {
		i := slices.IndexFunc(b.run.roles, func(r Role) bool { return r.ID == created.Role })
		if i < 0 {
			return agent.Config{}, nil, fmt.Errorf("leader: agent %s has the role %q, which neither the header nor a record tells of", id, created.Role)
		}
		role = b.run.roles[i]
	}
	switch {
	case len(missing) > 0:
		cfg, err = b.asRecorded(address, role, created, pool)
	case id == event.Leader:
		cfg, err = b.run.leaderConfig()
	default:
		cfg, err = b.run.workerConfig(role, address)
	}
	if err != nil {
		return agent.Config{}, nil, err
	}
	cfg.Prompt = agent.NewPrompt(recordedFolder(cfg.Prompt.String(), created.Prompt))
	return cfg, missing, nil
}

// New makes the agent of a config that [Rebuilt.Agent] returned and that was
// completed.
func (b *Rebuilt) New(cfg agent.Config) (*agent.Agent, error) {
	if cfg.ID == event.Leader {
		return agent.New(cfg)
	}
	return subagent.New(cfg, b.run.words)
}

// pool has the tools that an agent may have.
func (b *Rebuilt) pool(id string) []tools.Tool {
	o := b.run.leader.opts
	list := tools.PeerTools(subagent.Peers{}, o.lang)
	if id == event.Leader {
		list = tools.LeaderTools(teamTools{b.run}, o.lang)
	}
	return slices.Concat(list, b.run.space.Tools(), o.tools)
}

// asRecorded is the config of an agent with tools that this program lacks.
func (b *Rebuilt) asRecorded(a mailbox.Address, role Role, created event.AgentCreated, pool []tools.Tool) (agent.Config, error) {
	var list []tools.Tool
	for _, name := range created.Tools {
		i := slices.IndexFunc(pool, func(t tools.Tool) bool { return t.Spec().Name == name })
		if i < 0 {
			list = append(list, tools.Func(name, "", func(context.Context, struct{}) (string, error) { return "", nil }, tools.Pure))
			continue
		}
		list = append(list, pool[i])
	}
	set, err := tools.NewSet(list...)
	if err != nil {
		return agent.Config{}, err
	}
	cfg := b.run.config(a, role.Model, set, nil)
	cfg.Role, cfg.Prompt, cfg.MaxSteps = created.Role, agent.NewPrompt(created.Prompt), bound(role.MaxSteps)
	cfg.Report = func(agent.Output) error { return nil }
	if a.ID == event.Leader {
		cfg.Last = endsRun
	}
	return cfg, nil
}

// recordedFolder puts into a prompt the working folder that recorded names at
// the end of the same line.
func recordedFolder(prompt, recorded string) string {
	before, _, ok := strings.Cut(prompt, anyFolder)
	if !ok {
		return prompt
	}
	label := before[strings.LastIndexByte(before, '\n')+1:]
	_, folder, _ := strings.Cut(recorded, "\n"+label)
	folder, _, _ = strings.Cut(folder, "\n")
	return strings.Replace(prompt, anyFolder, folder, 1)
}
