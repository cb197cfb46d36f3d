package agent

import "github.com/troupe-go/troupe/event"

// gauge holds the provider's counts of the prompt against our estimates: to
// know how long the next prompt will be, and to notice a provider that leaves
// out the beginning without a word.
type gauge struct {
	asked   int     // our estimate of the request under way, or of the last
	blurred bool    // its usage may be that of several calls
	last    reading // of the newest request that was counted
	most    reading // of the last one whose count was more than those before
	short   bool    // the count did not grow although the conversation did
	told    bool    // a warning said so
}

// reading is a request that the provider counted; the zero value is none.
type reading struct{ estimate, count int }

// request notes a request of estimated tokens.
func (g *gauge) request(estimate int) { g.asked, g.blurred = estimate, false }

// reply notes what the provider counted; thoughts is our estimate of the
// reasoning in the conversation, which may be sent with one request and left
// out of the next.
func (g *gauge) reply(u event.Usage, thoughts int) {
	const farOff = 8 // no estimate is wrong by so much: the provider counts something else
	strange := g.most.count == 0 && u.Input*farOff < g.asked
	if u.Estimated || g.blurred || strange || u.Input == 0 {
		g.last, g.most, g.short = reading{}, reading{}, false
		return
	}
	const little = 256
	clearly := little + g.most.estimate/10 + 2*thoughts
	g.last = reading{g.asked, u.Input}
	grew := g.last.count > g.most.count
	g.short = !grew && g.last.estimate-g.most.estimate > clearly
	if grew || g.short {
		g.most = g.last
	}
}

// notice notes something that happened during a request.
func (g *gauge) notice(d event.Data) {
	if w, ok := d.(event.Warning); ok && w.Code == warnTruncated {
		g.told = true
		return
	}
	g.blurred = true
}

// forget drops what was known of the conversation before it was compacted.
func (g *gauge) forget() { *g = gauge{told: g.told} }

// tokens corrects our estimate of a prompt by the last count.
func (g *gauge) tokens(estimate int) int {
	return estimate + g.last.count - g.last.estimate
}
