package leader

import (
	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// kit is what all workers of a role share; it never changes.
type kit struct {
	set    tools.Set
	offer  *agent.Offer
	prompt []prompts.Tool
	client model.Client
}

// kit returns the kit of a role, made with its first worker. Only the loop
// calls it.
func (r *Run) kit(role Role) (*kit, error) {
	if k := r.kits[role.ID]; k != nil {
		return k, nil
	}
	space, err := r.space.WithWriteDir(role.WorkDir)
	if err != nil {
		return nil, err
	}
	peers := subagent.Peers{
		Exchange: r.exchange, Words: r.words, AskTimeout: bound(r.leader.team.Limits.AskTimeout),
		MayAsk: r.askable(role), Active: func() string { return r.words.ActiveList(r.agentRows()) },
	}
	own, err := r.roleTools(space, role)
	if err != nil {
		return nil, err
	}
	set, err := tools.NewSet(append(tools.PeerTools(peers, r.leader.opts.lang), own...)...)
	if err != nil {
		return nil, err
	}
	k := &kit{set: set, offer: agent.NewOffer(set), prompt: promptTools(set), client: r.gated(role.Model.Client)}
	r.kits[role.ID] = k
	return k, nil
}

// roleTools are a role's tools beside the communication tools.
func (r *Run) roleTools(space *tools.Workspace, role Role) ([]tools.Tool, error) {
	if role.Tools != nil {
		return r.pick(space, role.Tools)
	}
	reading, err := r.pick(space, tools.DefaultRoleTools())
	return append(reading, r.leader.opts.tools...), err
}
