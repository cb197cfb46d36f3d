package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupe-go/troupe/event"
)

// difference puts the result together.
func (c *comparison) difference(context int) Difference {
	d := Difference{
		A: c.runs[0].side, B: c.runs[1].side, Fork: c.fork(), Team: c.team, Agents: []AgentDiff{},
	}
	parted := slices.DeleteFunc(slices.Clone(c.pairs), func(p *agentPair) bool { return !p.parted })
	slices.SortStableFunc(parted, func(p, q *agentPair) int { return cmp.Compare(p.position(), q.position()) })
	var first *agentPair
	for _, p := range parted {
		f := c.find(p)
		agent := p.result()
		agent.Divergence = p.divergence(f, context)
		agent.Divergence.Cause = c.cause(p, f)
		agent.Since = &Costs{A: p.since[0].total(), B: p.since[1].total()}
		d.Agents = append(d.Agents, agent)
		if len(d.Team) == 0 && d.First == nil && agent.Divergence.Cause.Root() {
			first, d.First = p, firstOf(agent)
		}
	}
	if len(d.Team) > 0 {
		d.First = &First{Type: event.TypeRunStarted, Path: d.Team[0].Path, SeqA: 1, SeqB: 1}
	}
	if d.First == nil && len(parted) > 0 { // agents that each follow from another, as timing may have it
		first, d.First = parted[0], firstOf(d.Agents[0])
	}
	for _, p := range c.pairs {
		if !p.parted {
			d.Agents = append(d.Agents, p.result())
		}
	}
	d.Equal = d.First == nil
	if !d.Equal {
		d.Since = c.since(first)
	}
	return d
}

func (p *agentPair) result() AgentDiff {
	d := AgentDiff{Name: p.either().name, Role: p.either().role, Same: p.same}
	if p.actors[0] != nil {
		d.A = p.actors[0].id
	}
	if p.actors[1] != nil {
		d.B = p.actors[1].id
	}
	return d
}

// position orders the agents that parted by the log of run A; those that only
// run B has something more of have the place in its log.
func (p *agentPair) position() int64 {
	if p.at[0] != nil {
		return p.at[0].seq
	}
	return p.at[1].seq
}

func (p *agentPair) divergence(f finding, context int) *Divergence {
	d := &Divergence{A: p.at[0].place(f), B: p.at[1].place(f), Diff: changedLines(f.a, f.b, context)}
	if f.path != "" {
		d.Path = "$.data." + f.path
	}
	return d
}

func (s *sight) place(f finding) *Place {
	if s == nil {
		return nil
	}
	place := &Place{Turn: s.turn, Step: s.step, Seq: s.seq, Type: s.typ, Source: s.seq}
	if s.link != 0 && (f.inMail || s.typ == event.TypeMessageDelivered) {
		place.Source = s.link
	}
	return place
}

func firstOf(d AgentDiff) *First {
	f := &First{Agent: d.ID(), Path: d.Divergence.Path}
	if b := d.Divergence.B; b != nil {
		f.SeqB, f.Type = b.Seq, b.Type
	}
	if a := d.Divergence.A; a != nil {
		f.SeqA, f.Type = a.Seq, a.Type
	}
	return f
}

// fork is the fork that the runs have in common.
func (c *comparison) fork() *ForkPoint {
	a, b := c.runs[0].side, c.runs[1].side
	switch {
	case b.Fork != nil && b.Fork.RunID == a.RunID:
		return &ForkPoint{Of: "a", RunID: a.RunID, Seq: b.Fork.Seq}
	case a.Fork != nil && a.Fork.RunID == b.RunID:
		return &ForkPoint{Of: "b", RunID: b.RunID, Seq: a.Fork.Seq}
	case a.Fork != nil && b.Fork != nil && a.Fork.RunID == b.Fork.RunID:
		return &ForkPoint{RunID: a.Fork.RunID, Seq: min(a.Fork.Seq, b.Fork.Seq)}
	}
	return nil
}

// since is what the runs spent from the first difference on; nil means from
// the header on. A run that has nothing more of that agent is counted from
// where the first of its agents parted.
func (c *comparison) since(first *agentPair) *Costs {
	var spent [2]Spent
	for run := range spent {
		spent[run] = c.runs[run].side.Spent
		if first == nil {
			continue
		}
		s := first.at[run]
		for _, p := range c.pairs {
			if first.at[run] == nil && p.at[run] != nil && (s == nil || p.at[run].seq < s.seq) {
				s = p.at[run]
			}
		}
		before := spent[run]
		if s != nil {
			before = s.before
		}
		spent[run] = spent[run].without(before)
	}
	return &Costs{A: spent[0], B: spent[1]}
}

// without is what was spent after before.
func (s Spent) without(before Spent) Spent {
	rest := Spent{
		Steps: s.Steps - before.Steps, Tools: s.Tools - before.Tools, DurationMS: s.DurationMS - before.DurationMS,
		Usage: event.Usage{
			Input: s.Usage.Input - before.Usage.Input, CachedInput: s.Usage.CachedInput - before.Usage.CachedInput,
			Output: s.Usage.Output - before.Usage.Output, Reasoning: s.Usage.Reasoning - before.Usage.Reasoning,
			Estimated: s.Usage.Estimated,
		},
		Cost: s.Cost,
	}
	if s.Cost != nil && before.Cost != nil {
		const smallest = 1e9 // parts of a unit of money; less is noise of the subtraction
		rest.Cost = &event.Cost{Currency: s.Cost.Currency, Amount: math.Round((s.Cost.Amount-before.Cost.Amount)*smallest) / smallest}
	}
	return rest
}
