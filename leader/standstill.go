package leader

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// standstill reports whether nobody can go on without a person who is not
// there, and what waits for that person longest. All that can still work goes
// on first.
func (r *Run) standstill() (on Pending, ok bool) {
	if r.leader.opts.attendance != Unattended || r.roster.openQuestions()+r.approvals.count() == 0 {
		return Pending{}, false
	}
	for {
		before := r.roster.position()
		pending := r.Pending()
		still := len(pending) > 0 && r.allStuck(pending)
		switch {
		case !r.settled(before, still):
		case still:
			return pending[0], true
		default:
			return Pending{}, false
		}
	}
}

// settled reports whether nothing happened since the roster was at a position;
// if so and leave holds, the run takes nothing any more. What the person says
// comes before that, and is seen here, or after, and is refused.
func (r *Run) settled(position int64, leave bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.roster.position() != position {
		return false
	}
	r.leaves = r.leaves || leave
	return true
}

// allStuck reports whether nobody works, nobody is about to, and everybody who
// waits waits for something that only the person, or somebody who waits
// themselves, can end.
func (r *Run) allStuck(pending []Pending) bool {
	holds := map[string]bool{} // what a wait can be held up by
	for _, p := range pending {
		holds[p.ID] = true
	}
	watches := map[string]bool{} // who waits for the output of others
	for _, e := range r.exchange.Desk.Waits() {
		if e.Question == "" {
			watches[e.From] = true
			continue
		}
		holds[e.Question] = true
	}
	for _, m := range r.roster.all() {
		box := r.box(m.id)
		switch {
		case m.state == event.Working, box == nil:
			return false
		case m.state == event.Finished:
		case m.state != event.Waiting:
			if box.Waking() {
				return false
			}
		default:
			if !r.held(m, holds, watches[m.id] && !box.Waking()) {
				return false
			}
		}
	}
	return true
}

// held reports whether everything that a waiting agent waits for is held up.
// The cause of its state names each wait by the words that its call gave
// [tools.Call.Blocked]: the id of a question or approval first, or agents.
func (r *Run) held(m member, holds map[string]bool, watching bool) bool {
	for wait := range strings.SplitSeq(m.cause, "; ") {
		if id, _, _ := strings.Cut(wait, " "); holds[id] {
			continue
		}
		if !watching || !r.allAgents(wait) {
			return false
		}
	}
	return true
}

// allAgents reports whether the words of a wait are ids of agents.
func (r *Run) allAgents(words string) bool {
	for id := range strings.SplitSeq(words, ", ") {
		if r.roster.state(id) == "" {
			return false
		}
	}
	return true
}
