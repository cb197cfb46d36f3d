package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// finish writes what has no place, ends the run if the transcript's own words
// were its end, and puts the header in front.
func (b *builder) finish(head event.RunStarted) []event.Record {
	for _, line := range b.notes.lines() {
		b.warn(warnNotImported, line)
	}
	if !b.started {
		b.warn(warnSource, "the transcript has no times: all records have the same")
	}
	for _, a := range b.inOrder() {
		if a.id != event.Leader && len(b.openCalls(a)) == 0 {
			b.end(a, event.EndNatural)
		}
	}
	b.conclude()
	head.RunID = runID(cmp.Or(head.Import.ID, head.Import.File))
	head.Task = cmp.Or(head.Task, b.task)
	b.records[0] = event.Record{V: event.Version, Seq: 1, Time: b.records[0].Time, Data: head}
	if b.records[0].Time.IsZero() {
		b.records[0].Time = b.now
	}
	return b.records
}

// conclude ends the run with the leader's last words. A transcript that ends
// in the middle of something gets a warning instead, so that the run counts as
// interrupted.
func (b *builder) conclude() {
	tl := b.agents[event.Leader]
	if tl == nil {
		b.warn(warnEnd, "the transcript has no conversation")
		return
	}
	for _, a := range b.inOrder() {
		if open := b.openCalls(a); len(open) > 0 {
			b.warn(warnEnd, fmt.Sprintf("the transcript ends while %s waits for the result of %s", a.id, strings.Join(open, ", ")))
			return
		}
	}
	if tl.unanswered || tl.busy {
		b.warn(warnEnd, "the transcript ends before "+tl.id+" has said its last word")
		return
	}
	took := b.now.Sub(b.records[1].Time)
	b.add("", 0, event.RunFinished{Answer: tl.last, Usage: b.usage, Cost: b.cost, DurationMS: took.Milliseconds()})
}

// inOrder lists the agents by their ids.
func (b *builder) inOrder() []*agent {
	var all []*agent
	for _, id := range slices.Sorted(maps.Keys(b.agents)) {
		all = append(all, b.agents[id])
	}
	return all
}

// openCalls names the calls of an agent that have no result.
func (b *builder) openCalls(a *agent) []string {
	var names []string
	for _, id := range slices.Sorted(maps.Keys(b.calls)) {
		if c := b.calls[id]; c.agent == a {
			names = append(names, c.name+" ("+c.id+")")
		}
	}
	return names
}

// runID makes the id of a run out of the name of a file or a session.
func runID(name string) string {
	const most = 64
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".json")
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
	return "import-" + id[:min(len(id), most)]
}
