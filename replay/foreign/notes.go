package foreign

import (
	"fmt"
	"strings"
)

// notes count what has no place among the records, so that a thousand lines of
// one kind become one warning that says where the first is.
type notes struct {
	order []string
	count map[string]int
	first map[string]string
}

// add notes one thing that was found at a place.
func (n *notes) add(what, place string) {
	if n.count == nil {
		n.count, n.first = map[string]int{}, map[string]string{}
	}
	if n.count[what]++; n.count[what] == 1 {
		n.order = append(n.order, what)
		n.first[what] = place
	}
}

// total is how many things were noted.
func (n *notes) total() int {
	sum := 0
	for _, c := range n.count {
		sum += c
	}
	return sum
}

// lines are the warnings, in the order in which the things came.
func (n *notes) lines() []string {
	var all []string
	for _, what := range n.order {
		var b strings.Builder
		b.WriteString("not imported: " + what)
		if c := n.count[what]; c > 1 {
			fmt.Fprintf(&b, ", %d times, first", c)
		} else {
			b.WriteString(",")
		}
		b.WriteString(" at " + n.first[what])
		all = append(all, b.String())
	}
	return all
}
