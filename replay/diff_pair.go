package replay

import (
	"cmp"
	"slices"
)

// pair finds for each agent of run A the one of run B that plays the same
// part: of the same role, with the same first task, else with the most similar
// one.
func (c *comparison) pair() {
	c.byID = [2]map[string]*agentPair{{}, {}}
	taken := map[*actor]bool{}
	partner := map[*actor]*actor{}
	for _, group := range roleGroups(c.runs[0].actors, c.runs[1].actors) {
		for a, b := range group.match() {
			partner[a], taken[b] = b, true
		}
	}
	for _, a := range c.runs[0].actors {
		c.join(a, partner[a])
	}
	for _, b := range c.runs[1].actors {
		if !taken[b] {
			c.join(nil, b)
		}
	}
	c.names = newRenamer(c)
}

func (c *comparison) join(a, b *actor) {
	p := &agentPair{actors: [2]*actor{a, b}}
	c.pairs = append(c.pairs, p)
	for i, x := range p.actors {
		if x != nil {
			c.byID[i][x.id] = p
		}
	}
}

// maxLikenesses is how many pairs of tasks are compared; agents of a role with
// more are paired in the order of their creation.
const maxLikenesses = 64 * 64

// roleGroup has the agents of one role in both runs.
type roleGroup struct{ a, b []*actor }

func roleGroups(a, b []*actor) []*roleGroup {
	byRole := map[string]*roleGroup{}
	var groups []*roleGroup
	of := func(role string) *roleGroup {
		if byRole[role] == nil {
			byRole[role] = &roleGroup{}
			groups = append(groups, byRole[role])
		}
		return byRole[role]
	}
	for _, x := range a {
		g := of(x.role)
		g.a = append(g.a, x)
	}
	for _, x := range b {
		g := of(x.role)
		g.b = append(g.b, x)
	}
	return groups
}

// match pairs the agents of a role: those with the same task in their order,
// then the others from the most similar pair of tasks to the least.
func (g *roleGroup) match() map[*actor]*actor {
	partner := map[*actor]*actor{}
	free := slices.Clone(g.b)
	var rest []*actor
	for _, a := range g.a {
		i := slices.IndexFunc(free, func(b *actor) bool { return a.task == b.task })
		if i < 0 {
			rest = append(rest, a)
			continue
		}
		partner[a] = free[i]
		free = slices.Delete(free, i, i+1)
	}
	if n := len(rest) * len(free); n <= 1 || n > maxLikenesses {
		for i := range min(len(rest), len(free)) {
			partner[rest[i]] = free[i]
		}
		return partner
	}
	taken := map[*actor]bool{}
	for _, l := range likenesses(rest, free) {
		if partner[l.a] == nil && !taken[l.b] {
			partner[l.a], taken[l.b] = l.b, true
		}
	}
	return partner
}

// taskMatch says how much alike two agents' tasks are, from 0 to 1.
type taskMatch struct {
	a, b   *actor
	degree float64
	apart  int // of their places among the agents of the role
}

// likenesses lists all pairs, the most similar first, and of those equally
// similar the ones that were created at the same place.
func likenesses(as, bs []*actor) []taskMatch {
	grams := map[*actor]map[string]int{}
	for _, x := range slices.Concat(as, bs) {
		grams[x] = bigrams(x.task)
	}
	var list []taskMatch
	for i, a := range as {
		for j, b := range bs {
			list = append(list, taskMatch{a, b, dice(grams[a], grams[b]), max(i-j, j-i)})
		}
	}
	slices.SortStableFunc(list, func(x, y taskMatch) int {
		return cmp.Or(cmp.Compare(y.degree, x.degree), cmp.Compare(x.apart, y.apart))
	})
	return list
}

// bigrams counts the pairs of neighbouring characters.
func bigrams(text string) map[string]int {
	counts := map[string]int{}
	runes := []rune(text)
	for i := range len(runes) - 1 {
		counts[string(runes[i:i+2])]++
	}
	return counts
}

// dice is the Sørensen–Dice coefficient of two multisets.
func dice(a, b map[string]int) float64 {
	common, all := 0, 0
	for gram, n := range a {
		common += min(n, b[gram])
		all += n
	}
	for _, n := range b {
		all += n
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(common) / float64(all)
}
