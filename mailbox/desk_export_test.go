package mailbox

import "maps"

// Counters returns a copy of the counters, for the comparison of a resumed run
// with the live one.
func (x *IDs) Counters() map[string]int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.last)
}

// Awaited returns, for each open question of the desk, what decides how its
// wait would go: whether it is an edge, and the question that ended it early.
func (d *Desk) Awaited() map[string][2]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	state := make(map[string][2]string)
	for _, q := range d.open {
		edge := "edge"
		if q.wait == nil {
			edge = ""
		}
		state[q.opened.ID] = [2]string{edge, q.yielded}
	}
	return state
}
