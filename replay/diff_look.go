package replay

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// look reads both recordings a third time, for the records in which agents
// parted, for what came of it, and for the ways on which one agent touches
// another that are no part of its course.
func (c *comparison) look(a, b Recording) error {
	for i, recording := range []Recording{a, b} {
		l := newLookout(c, i)
		for rec, err := range upTo(recording(), c.runs[i].side.Records) {
			if err != nil {
				return err
			}
			l.apply(rec)
		}
	}
	return nil
}

// lookout is the third reading of one run.
type lookout struct {
	*comparison
	run      int // 0 for A, 1 for B
	sights   map[int64]*agentPair
	links    map[int64]*agentPair
	progress map[string]event.Record // sent, by id
	files    map[string]*agentPair   // that a parted agent wrote, by path
	calls    map[callKey]string      // arguments of calls that run
	spent    spending                // of the run so far
}

func newLookout(c *comparison, run int) *lookout {
	l := &lookout{
		comparison: c, run: run, sights: map[int64]*agentPair{}, links: map[int64]*agentPair{},
		progress: map[string]event.Record{}, files: map[string]*agentPair{}, calls: map[callKey]string{},
	}
	for _, p := range c.pairs {
		if s := p.at[run]; s != nil {
			l.sights[s.seq] = p
			if s.link != 0 {
				l.links[s.link] = p
			}
		}
	}
	return l
}

func (l *lookout) apply(rec event.Record) {
	if p := l.links[rec.Seq]; p != nil {
		p.at[l.run].mail = rec
	}
	if p := l.sights[rec.Seq]; p != nil {
		s := p.at[l.run]
		s.rec, s.before = rec, l.spent.total()
		if d, ok := rec.Data.(event.ToolFinished); ok {
			l.opened(p, s, l.calls[callKey{rec.Agent, d.CallID}])
		}
	}
	l.spent.add(rec)
	p := l.byID[l.run][rec.Agent]
	if p == nil {
		return
	}
	if p.partedBy(l.run, rec.Seq) {
		p.since[l.run].add(rec)
	}
	l.touch(p, rec)
}

// touch notes the ways from agent to agent beside the messages that are
// compared: progress, and files.
func (l *lookout) touch(p *agentPair, rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		if d.Kind == event.Progress && p.partedBy(l.run, rec.Seq) {
			l.progress[d.ID] = rec
		}
	case event.MessageDelivered:
		sent, ok := l.progress[d.ID]
		if ok && p.at[l.run] != nil && rec.Seq < p.at[l.run].seq && p.heard == nil {
			p.heard = &hint{from: l.byID[l.run][sent.Agent], via: d.ID}
		}
	case event.ArtifactCreated:
		if _, known := l.files[d.Path]; !known && p.partedBy(l.run, rec.Seq) {
			l.files[d.Path] = p
		}
	case event.AgentStopping:
		if s := p.at[l.run]; s != nil && rec.Seq < s.seq {
			p.halted = d.By
		}
	case event.ToolStarted:
		if s := p.at[l.run]; s != nil && s.typ == event.TypeToolFinished && rec.Seq < s.seq {
			l.calls[callKey{rec.Agent, d.CallID}] = d.Arguments
		}
	case event.ToolFinished:
		delete(l.calls, callKey{rec.Agent, d.CallID})
	default: // touches nobody
	}
}

// opened looks whether the call whose result differs names a file that an
// agent wrote after it had parted.
func (l *lookout) opened(p *agentPair, s *sight, args string) {
	for path, writer := range l.files {
		if writer != p && strings.Contains(args, path) && (s.file == nil || path < s.file.via) {
			s.file = &hint{from: writer, via: path}
		}
	}
}

// hint is a way on which another agent may have made an agent part.
type hint struct {
	from *agentPair
	via  string
}

// partedBy reports whether the agent had parted in a run when the record seq
// was written.
func (p *agentPair) partedBy(run int, seq int64) bool {
	return p.at[run] != nil && p.at[run].seq <= seq
}
