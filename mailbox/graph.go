package mailbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// wait is what one call of an agent is blocked in: a question to one agent, or
// a wait for the output of several.
type wait struct {
	from     string
	on       []string
	any      bool   // one of on is enough
	question string // empty for a wait that is no question
	since    time.Time
	age      uint64
	yield    chan string // for a wait that is no question
}

// graph is the wait-for graph. An agent goes on when all its waits are over.
// An agent is stuck when that can never happen, whatever those who work do:
// that is a circle, and [Desk] lets none come about. The leader's waits are
// apart: they can be ended early, so they are in no circle.
//
// The graph has no lock; the desk's mutex guards it.
type graph struct {
	leader string
	waits  map[string][]*wait // by agent, in order of age
	wanted map[string]int     // how many waits are for the agent
	count  uint64
}

func newGraph(leader string) *graph {
	return &graph{leader: leader, waits: make(map[string][]*wait), wanted: make(map[string]int)}
}

func (g *graph) add(w *wait) {
	g.count++
	w.age = g.count
	g.waits[w.from] = append(g.waits[w.from], w)
	for _, to := range w.on {
		g.wanted[to]++
	}
}

// remove takes w out; it does nothing when w is out already.
func (g *graph) remove(w *wait) {
	ws := g.waits[w.from]
	i := slices.Index(ws, w)
	if i < 0 {
		return
	}
	if g.waits[w.from] = slices.Delete(ws, i, i+1); len(ws) == 1 {
		delete(g.waits, w.from)
	}
	for _, to := range w.on {
		if g.wanted[to]--; g.wanted[to] == 0 {
			delete(g.wanted, to)
		}
	}
}

// all lists the waits in order of age.
func (g *graph) all() []*wait {
	var all []*wait
	for _, ws := range g.waits {
		all = append(all, ws...)
	}
	slices.SortFunc(all, func(a, b *wait) int { return cmp.Compare(a.age, b.age) })
	return all
}

// hop is one step of a path: w waits for to, among others.
type hop struct {
	w  *wait
	to string
}

// circle returns the circle that w would close, beginning with w, or nil. The
// leader's waits close none, because it is always free; but nobody, the leader
// included, may ask himself.
func (g *graph) circle(w *wait) []hop {
	if w.question != "" && slices.Contains(w.on, w.from) {
		return []hop{{w, w.from}}
	}
	if g.wanted[w.from] == 0 {
		return nil
	}
	g.add(w)
	defer g.remove(w)
	free := g.free(w.from, true)
	if free[w.from] {
		return nil
	}
	for _, to := range w.on {
		if path, ok := g.path(to, w.from, free); ok {
			return append([]hop{{w, to}}, path...)
		}
	}
	return nil
}

// early is a wait of the leader that has to end because of a question to it.
type early struct {
	w        *wait
	question string
}

// earlyWaits returns the leader's waits that wait, directly or through others,
// for the leader itself.
func (g *graph) earlyWaits() []early {
	if len(g.waits[g.leader]) == 0 || g.wanted[g.leader] == 0 {
		return nil
	}
	free := g.free(g.leader, false)
	var es []early
	for _, w := range g.waits[g.leader] {
		if w.over(free) {
			continue
		}
		for _, to := range w.on {
			if path, ok := g.path(to, g.leader, free); ok && len(path) > 0 {
				es = append(es, early{w, path[len(path)-1].w.question})
				break
			}
		}
	}
	return es
}

// free returns, of the agents that start waits for directly or through others
// and of start itself, those that can go on sooner or later. With yields the
// leader can always.
func (g *graph) free(start string, yields bool) map[string]bool {
	blocked := func(agent string) []*wait {
		if yields && agent == g.leader {
			return nil
		}
		return g.waits[agent]
	}
	free := make(map[string]bool)
	agents := reach(start, blocked)
	for changed := true; changed; {
		changed = false
		for _, a := range agents {
			if free[a] {
				continue
			}
			if !slices.ContainsFunc(blocked(a), func(w *wait) bool { return !w.over(free) }) {
				free[a], changed = true, true
			}
		}
	}
	return free
}

// reach lists the agents that start leads to, last ones first, start last.
func reach(start string, waits func(agent string) []*wait) []string {
	var agents []string
	seen := make(map[string]bool)
	var visit func(agent string)
	visit = func(agent string) {
		if seen[agent] {
			return
		}
		seen[agent] = true
		for _, w := range waits(agent) {
			for _, to := range w.on {
				visit(to)
			}
		}
		agents = append(agents, agent)
	}
	visit(start)
	return agents
}

// over reports whether w can end when the free agents go on.
func (w *wait) over(free map[string]bool) bool {
	for _, to := range w.on {
		if free[to] == w.any {
			return w.any
		}
	}
	return !w.any
}

// path finds the shortest way from one agent to another through waits that
// cannot end; among equals it takes the older. It is empty when from is to.
func (g *graph) path(from, to string, free map[string]bool) ([]hop, bool) {
	if from == to {
		return nil, true
	}
	came := map[string]hop{from: {}}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, w := range g.waits[queue[0]] {
			if w.over(free) {
				continue
			}
			for _, next := range w.on {
				if _, ok := came[next]; ok || free[next] {
					continue
				}
				came[next] = hop{w, next}
				if next == to {
					return trace(came, from, to), true
				}
				queue = append(queue, next)
			}
		}
	}
	return nil, false
}

func trace(came map[string]hop, from, to string) []hop {
	var path []hop
	for at := to; at != from; at = came[at].w.from {
		path = append(path, came[at])
	}
	slices.Reverse(path)
	return path
}

// refusal says in words why an ask is refused: the circle, and the question
// that the asker has to answer first.
func refusal(circle []hop) string {
	first := circle[0]
	if first.to == first.w.from {
		return fmt.Sprintf("%s asked itself (%s)", first.to, first.w.question)
	}
	var b strings.Builder
	b.WriteString("everybody in this circle would wait for the next: " + first.w.from)
	for _, h := range circle {
		b.WriteString(" -> " + h.to)
		if h.w.question != "" {
			b.WriteString(" (" + h.w.question + ")")
		}
	}
	if last := circle[len(circle)-1]; last.w.question != "" {
		fmt.Fprintf(&b, "; answer %s from %s first", last.w.question, last.w.from)
	}
	return b.String()
}
