package mailbox

import (
	"slices"
	"time"
)

// Waiting says that agent waits for the output of the agents on, for one of
// them with anyOne, else for all; done, which may be called more than once, says
// that the wait is over. The leader is not waited for in this way, nor is the
// agent itself: both are left out of on.
//
// yield gets the id of a question at most once, and then the wait is over for
// the graph: for the leader, when somebody asks it a question, or at once when
// the wait can only end after the leader answered; for others, when the wait
// would close a circle. The id is empty if that circle has no question to the
// agent.
//
// A question that was open before and does not hold the wait up does not end
// it: the leader may know of it and need the output to answer it.
func (d *Desk) Waiting(agent string, on []string, anyOne bool) (yield <-chan string, done func()) {
	w := &wait{from: agent, any: anyOne, yield: make(chan string, 1)}
	for _, to := range on {
		if to != d.graph.leader && to != agent && !slices.Contains(w.on, to) {
			w.on = append(w.on, to)
		}
	}
	if len(w.on) == 0 {
		return w.yield, func() {}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w.since = d.now().UTC().Round(0)
	if circle := d.graph.circle(w); circle != nil {
		w.yield <- circle[len(circle)-1].w.question
		return w.yield, func() {}
	}
	d.graph.add(w)
	d.settle()
	return w.yield, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.graph.remove(w)
	}
}

// Edge says that From waits for To.
type Edge struct {
	From, To string    // agent ids
	Question string    // the question's id; empty for a wait that is no question
	Since    time.Time // when the wait began, in UTC
	Any      bool      // one of several edges of the same wait of which one is enough
}

// Waits lists who waits for whom now, in order of age.
func (d *Desk) Waits() []Edge {
	d.mu.Lock()
	defer d.mu.Unlock()
	var edges []Edge
	for _, w := range d.graph.all() {
		for _, to := range w.on {
			edges = append(edges, Edge{From: w.from, To: to, Question: w.question, Since: w.since, Any: w.any})
		}
	}
	return edges
}
