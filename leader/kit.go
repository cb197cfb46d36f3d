package leader

import (
	"strings"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// kit is what all workers of a role share; it never changes.
type kit struct {
	shared *agent.Shared
	prompt []string // what stands between the places of a worker's name
}

// anyName stands for the name of a worker in the prompt that all of its role
// share. A display name has no control characters, and neither has a prompt
// that a person wrote.
const anyName = "\x00"

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
	peers := r.peers(role)
	if role.elsewhere() {
		return r.remoteKit(role, peers)
	}
	own, err := roleTools(space, role, r.custom())
	if err != nil {
		return nil, err
	}
	set, err := tools.NewSet(append(tools.PeerTools(peers, r.leader.opts.lang), own...)...)
	if err != nil {
		return nil, err
	}
	prompt, err := prompts.Worker(r.leader.opts.lang, prompts.WorkerData{
		Name: anyName, RoleName: role.Name, Does: role.Does, Prompt: role.Prompt, Tools: promptTools(set),
		CanAsk: role.MayAsk, Context: r.leader.team.Context, WorkDir: r.leader.opts.workDir,
	})
	if err != nil {
		return nil, err
	}
	k := &kit{shared: r.workers(role, set), prompt: strings.Split(prompt, anyName)}
	k.shared.Offer, k.shared.Model = agent.NewOffer(set), r.client(role.Model)
	r.kits[role.ID] = k
	return k, nil
}

// peers is what the workers of a role say to others.
func (r *Run) peers(role Role) subagent.Peers {
	return subagent.Peers{
		Exchange: r.exchange, Words: r.words, AskTimeout: bound(r.leader.team.Limits.AskTimeout),
		MayAsk: r.askable(role), Active: func() string { return r.words.ActiveList(r.agentRows()) },
	}
}

// remoteKit is the kit of a role whose workers run elsewhere.
func (r *Run) remoteKit(role Role, peers subagent.Peers) (*kit, error) {
	set, err := tools.NewSet(tools.RemoteTools(peers, r.leader.opts.lang)...)
	if err != nil {
		return nil, err
	}
	w := remoteWorkers{run: r, remote: role.Remote, role: role.ID}
	k := &kit{shared: r.workers(role, set), prompt: strings.Split(r.words.ElsewherePrompt(anyName, role.Place.String()), anyName)}
	k.shared.Offer, k.shared.Model, k.shared.Leave = agent.NewOffer(set), w, w.leave
	r.kits[role.ID] = k
	return k, nil
}

// roleTools are a role's tools beside the communication tools; custom are those
// beside the ones of the workspace.
func roleTools(space *tools.Workspace, role Role, custom []tools.Tool) ([]tools.Tool, error) {
	if role.Tools != nil {
		return pick(space, role.Tools, custom)
	}
	reading, err := pick(space, tools.DefaultRoleTools(), custom)
	return append(reading, custom...), err
}
