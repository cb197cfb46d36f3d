package replay

import (
	"errors"
	"strings"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// modeOf is a way to stop an agent by its name in the log.
func modeOf(name string) agent.StopMode {
	switch name {
	case event.StopNow:
		return agent.Now
	case event.StopTerminate:
		return agent.Terminate
	}
	return agent.Soft
}

// stopNow stops the agent if that is what comes after own record at, which the
// agent made without holding its lock.
func (p *player) stopNow(at int) {
	p.mu.Lock()
	due := p.next == at+1 && !p.chosen.late[p.next]
	p.mu.Unlock()
	if due {
		p.stopBefore(true)
	}
}

// stopBefore stops the agent, as often as it was stopped before its next own
// record. The agent must not hold its lock; advances says that the desk is not
// locked either.
func (p *player) stopBefore(advances bool) {
	stopped := false
	for {
		s, due := p.dueStop()
		if !due {
			break
		}
		p.agent.Stop(s) // which logs it
		stopped = true
	}
	if stopped && advances {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.advance()
	}
}

// dueStop is the stop that the record which is due tells of. What the agent had
// not read then no longer wakes it.
func (p *player) dueStop() (s agent.Stop, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch != nil || p.next == len(p.script.own) {
		return s, false
	}
	d, due := p.script.own[p.next].Data.(event.AgentStopping)
	if !due {
		return s, false
	}
	for _, id := range p.unread(p.script.index(p.next)) {
		p.quiet[id] = true
		p.deliver(id)
	}
	p.wasCut = true
	return agent.Stop{Mode: modeOf(d.Mode), By: d.By, Reason: d.Reason}, true
}

// cutOff is what cuts a turn short of which the log has no record of its own: a
// limit, or the interruption of the run.
type cutOff struct {
	after int    // the own record after which it comes
	call  string // or the call during which it comes
	stop  agent.Stop
	err   error // of the run; nil for a limit
}

// interruption is the end of a run that is to be resumed.
type interruption string

func (e interruption) Error() string { return string(e) }

// Unwrap lets what waits stay open.
func (e interruption) Unwrap() error { return mailbox.ErrInterrupted }

// errInterrupted ends a run whose recording ends while calls are under way.
const errInterrupted = interruption("replay: the recording ends")

// cut brings what cuts the running turn short.
func (p *player) cut(c cutOff) {
	p.wasCut = true
	p.cutNow(c)
}

func (p *player) cutNow(c cutOff) {
	if c.err != nil {
		p.cancel(c.err)
		return
	}
	p.agent.Stop(c.stop)
}

// planCut says where the turn that goes on at own record i was cut short while
// calls were still to be started; nil if it was not. What cuts a model call short
// comes with the call, see [voice].
func (p *player) planCut(i int) *cutOff {
	own := p.script.own
	end := i
	for end < len(own) && own[end].Type() != event.TypeTurnEnded {
		if own[end].Type() == event.TypeAgentStopping {
			return nil // the log has it
		}
		end++
	}
	after, refused := p.refusal(i, end)
	switch {
	case refused == "":
		return nil
	case end == len(own) && refused == marker:
		d, _ := own[after].Data.(event.ToolStarted)
		return &cutOff{after: len(own), call: d.CallID, err: errInterrupted}
	case end == len(own):
		why := p.whyCancelled(refused)
		if s, ok := p.limitIn(why, i); ok {
			return &cutOff{after: after, stop: s}
		}
		return &cutOff{after: after, err: errors.New(why)}
	}
	d, _ := own[end].Data.(event.TurnEnded)
	if d.Reason != event.EndLimit {
		return nil
	}
	return &cutOff{after: after, stop: p.limitStop(d.Limit, i)}
}

// planFirstCut is what cut the turn short which is open where the script begins,
// a limit or the end of the run; nil if nothing did.
func (p *player) planFirstCut() *cutOff {
	c := &cutOff{after: -1}
	limit := func(name string) *cutOff {
		if name == "" || ofTurn(name) {
			return nil
		}
		c.stop = p.limitStop(name, 0)
		return c
	}
	for _, rec := range p.script.own {
		switch d := rec.Data.(type) {
		case event.ToolFinished:
			if why := p.whyCancelled(d.Result); why != "" {
				var ok bool
				if c.stop, ok = p.limitIn(why, 0); !ok {
					c.err = errors.New(why)
				}
				return c
			}
			c.after, c.call = len(p.script.own), d.CallID // not before this one was done
		case event.LimitReached:
			return limit(d.Limit)
		case event.TurnEnded:
			return limit(d.Limit)
		case event.ModelRequested:
			return nil
		default:
		}
	}
	return nil
}

// whyCancelled is the reason in the result of a call that was cancelled; empty
// for all other results.
func (p *player) whyCancelled(result string) string {
	before, behind, _ := strings.Cut(p.cfg.Words.CancelledCall(marker), marker)
	why, cancelled := strings.CutPrefix(result, before)
	if why, cut := strings.CutSuffix(why, behind); cancelled && cut {
		return why
	}
	return ""
}

// refusal looks, from own record i to end, for calls that never started or never
// ended because something came before: after is the own record after which it
// came, refused the result of the first call that did not start.
func (p *player) refusal(i, end int) (after int, refused string) {
	var reply event.ModelReplied
	started, ended, last := map[string]bool{}, map[string]bool{}, ""
	after = i - 1
	for j, rec := range p.script.own[i:end] {
		switch d := rec.Data.(type) {
		case event.ModelReplied:
			reply, last, after = d, "", i+j
			started, ended = map[string]bool{}, map[string]bool{}
		case event.ToolStarted:
			started[d.CallID] = true
			after = i + j
		case event.MessageSent:
			after = i + j
		case event.ToolFinished:
			if reply.Finish != event.FinishLength && !started[d.CallID] {
				return after, d.Result
			}
			ended[d.CallID], last = true, d.Name
		default:
		}
	}
	if end < len(p.script.own) || last == "" || reply.Finish == event.FinishLength {
		return after, ""
	}
	for _, c := range reply.Calls { // the stretch ends before it says what became of them
		if started[c.ID] != ended[c.ID] || !started[c.ID] && !p.exclusive(last) && !p.exclusive(c.Name) {
			return after, marker
		}
	}
	return after, ""
}

// exclusive reports whether a tool runs alone: calls after it start when its
// result is logged.
func (p *player) exclusive(name string) bool {
	t, ok := p.cfg.Tools.Lookup(name)
	return ok && t.Spec().Exclusive
}

// limitIn is the stop of the limit that text says cut the turn short which goes
// on at own record i; ok is false if it says something else.
func (p *player) limitIn(text string, i int) (s agent.Stop, ok bool) {
	limit, ok := strings.CutPrefix(text, agent.Stop{Limit: &event.LimitReached{}}.String())
	if !ok {
		return s, false
	}
	return p.limitStop(limit, i), true
}

// limitStop is the stop of a limit that cut the turn short which goes on at own
// record i.
func (p *player) limitStop(limit string, i int) agent.Stop {
	s := agent.Stop{Mode: agent.Now, By: event.RuntimeName, Limit: &event.LimitReached{Limit: limit}}
	reached := false
	for _, rec := range p.script.own[i:] {
		switch d := rec.Data.(type) {
		case event.LimitReached:
			if d.Limit == limit && !reached {
				s.Limit, reached = &d, true
			}
		case event.MessageSent: // the recording may end before the request
			s.WrapUp = s.WrapUp || reached && d.From == event.Runtime
		case event.ModelRequested:
			s.WrapUp = s.WrapUp || reached && d.WrapUp
		case event.TurnEnded:
			return s
		default:
		}
	}
	return s
}
