package replay

import (
	"cmp"

	"github.com/troupe-go/troupe/event"
)

// cause finds why an agent went another way. It follows from another agent if
// what differs came from that one after it had gone another way itself.
func (c *comparison) cause(p *agentPair, f finding) Cause {
	for run, a := range p.actors {
		if other := p.actors[1-run]; other == nil {
			return cmp.Or(c.from(run, a.parent, a.created, ""), Cause{Kind: CauseTeam})
		}
	}
	if cause, ok := c.ofMessage(p); ok {
		return cause
	}
	if p.at[0] == nil || p.at[1] == nil {
		return c.ofEnd(p)
	}
	switch {
	case p.at[0].typ == event.TypeAgentCreated:
		return cmp.Or(c.fromParent(p), Cause{Kind: CauseTeam})
	case p.any(event.TypeLimitReached, event.TypeLimitWarned):
		return Cause{Kind: CauseLimit}
	case p.any(event.TypeTurnEnded, event.TypeAgentState):
		return c.ofTurn(p)
	case p.any(event.TypeModelReplied, event.TypeModelFailed):
		return c.ofReply(p)
	case p.any(event.TypeToolFinished):
		return c.ofCall(p, f)
	case f.path == "model":
		return Cause{Kind: CauseTeam}
	case f.path == "wrap_up":
		return Cause{Kind: CauseLimit}
	}
	return Cause{Kind: CauseRuntime}
}

// any reports whether one of the runs has a moment of these types where the
// agent parted.
func (p *agentPair) any(types ...event.Type) bool {
	for _, s := range p.at {
		for _, t := range types {
			if s != nil && s.typ == t {
				return true
			}
		}
	}
	return false
}

// from is the cause that an agent of a run had parted when the record seq was
// written; empty if it had not.
func (c *comparison) from(run int, agent string, seq int64, via string) Cause {
	q := c.byID[run][agent]
	if q == nil || !q.partedBy(run, seq) {
		return Cause{}
	}
	return q.causing(via)
}

// causing is the cause that this agent parted.
func (p *agentPair) causing(via string) Cause {
	cause := Cause{Kind: CauseAgent, Agent: p.id(), Via: via}
	if p.at[0] != nil {
		cause.SeqA = p.at[0].seq
	}
	if p.at[1] != nil {
		cause.SeqB = p.at[1].seq
	}
	return cause
}

func (c *comparison) fromParent(p *agentPair) Cause {
	for run, s := range p.at {
		if s == nil || p.actors[run] == nil {
			continue
		}
		if cause := c.from(run, p.actors[run].parent, s.seq, ""); cause != (Cause{}) {
			return cause
		}
	}
	return Cause{}
}

// ofMessage is the cause of a message that differs, or that came in one run
// only.
func (c *comparison) ofMessage(p *agentPair) (Cause, bool) {
	senders := map[string]bool{}
	for run, s := range p.at {
		m, ok := s.message()
		if !ok {
			continue
		}
		if cause := c.from(run, m.From, s.link, m.ID); cause != (Cause{}) {
			return cause, true
		}
		senders[m.From] = true
	}
	switch {
	case len(senders) == 0:
		return Cause{}, false
	case senders[event.Person] && p.same <= 1 && c.taskChanged():
		return Cause{Kind: CauseTeam}, true
	case senders[event.Person]:
		return Cause{Kind: CausePerson}, true
	case senders[event.Runtime]:
		return Cause{Kind: CauseRuntime}, true
	case p.at[0] == nil || p.at[1] == nil:
		return c.ofEnd(p), true
	}
	return Cause{Kind: CauseTiming}, true
}

func (c *comparison) taskChanged() bool {
	return c.runs[0].head.Task != c.runs[1].head.Task
}

// ofEnd is the cause that one run has nothing more of the agent. A run that
// ended by itself ended so because somebody in it had parted before.
func (c *comparison) ofEnd(p *agentPair) Cause {
	run := 0 // that ended
	if p.at[0] != nil {
		run = 1
	}
	if c.runs[run].side.End == "" {
		return Cause{Kind: CauseEnd}
	}
	var first *agentPair
	for _, q := range c.pairs {
		if q.at[run] != nil && (first == nil || q.at[run].seq < first.at[run].seq) {
			first = q
		}
	}
	if first == nil {
		return Cause{Kind: CauseEnd}
	}
	return first.causing("")
}

// ofTurn is the cause that a turn ended, or an agent stopped, in another way.
func (c *comparison) ofTurn(p *agentPair) Cause {
	for _, s := range p.at {
		switch d := s.rec.Data.(type) {
		case event.TurnEnded:
			if d.Reason == event.EndLimit {
				return Cause{Kind: CauseLimit}
			}
		default: // not ended by a limit
		}
	}
	if p.halted == event.PersonName {
		return Cause{Kind: CausePerson}
	}
	return cmp.Or(c.fromParent(p), Cause{Kind: CauseRuntime})
}

func (c *comparison) ofReply(p *agentPair) Cause {
	if p.heard != nil {
		return p.heard.from.causing(p.heard.via)
	}
	return Cause{Kind: CauseModel, SameRequest: p.at[0].sameRequest(&p.at[1].moment)}
}

// ofCall is the cause that a call returned something else: the answer to a
// question, the decision of a person, a file, or the tool itself.
func (c *comparison) ofCall(p *agentPair, f finding) Cause {
	asked := false
	for run, s := range p.at {
		switch d := s.mail.Data.(type) {
		case event.ApprovalDecided:
			if f.inMail {
				return Cause{Kind: CausePerson}
			}
		case event.QuestionClosed:
			asked = true
			who := cmp.Or(d.From, s.mail.Agent)
			if cause := c.from(run, who, s.link, d.ID); cause != (Cause{}) && c.byID[run][who] != p {
				return cause
			}
			if who == event.Person {
				return Cause{Kind: CausePerson}
			}
		default:
		}
	}
	for _, s := range p.at {
		if s.file != nil {
			return s.file.from.causing(s.file.via)
		}
	}
	if asked || tellsOfOthers[f.tool] {
		return Cause{Kind: CauseTiming}
	}
	return Cause{Kind: CauseTool}
}
