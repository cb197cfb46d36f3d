package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// script is what an agent does in a part of the log, and what comes to it.
type script struct {
	recording *recording
	part      stretch
	state     event.State                   // in which it begins
	own       []event.Record                // what it makes
	at        []int                         // their indexes in the log
	desk      []deskNews                    // questions to it that others open and close
	closings  map[string]int                // where questions to it end, by id
	results   map[string]event.ToolFinished // by call id
	done      map[string]bool               // messages that were read before
}

// deskNews is a record about a question to the agent that it did not make, or
// perhaps did not make.
type deskNews struct {
	index  int
	unsure bool // it may be the agent's own
	closes bool
}

// script takes out of a recording what is about one agent in a part of it.
func (r *recording) script(id string, p stretch) *script {
	sc := &script{
		recording: r, part: p, state: event.Created,
		closings: map[string]int{}, results: map[string]event.ToolFinished{}, done: map[string]bool{},
	}
	for _, rec := range r.records[:p.from] {
		switch d := rec.Data.(type) {
		case event.AgentState:
			if rec.Agent == id {
				sc.state = d.To
			}
		case event.MessageDelivered:
			sc.done[d.ID] = true
		case event.MessageReturned:
			sc.done[d.ID] = true
		default:
		}
	}
	for i := p.from; i < p.to; i++ {
		rec := r.records[i]
		own := r.own(id, i)
		if own {
			sc.own, sc.at = append(sc.own, rec), append(sc.at, i)
		}
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			if d.To == id {
				sc.desk = append(sc.desk, deskNews{index: i})
			}
		case event.QuestionClosed:
			if r.questions[d.ID].To != id {
				break
			}
			sc.closings[d.ID] = i
			if !own {
				unsure := d.Outcome == event.Cancelled || d.Outcome == event.Terminated
				sc.desk = append(sc.desk, deskNews{index: i, unsure: unsure, closes: true})
			}
		case event.ToolFinished:
			if rec.Agent == id {
				sc.results[d.CallID] = d
			}
		default:
		}
	}
	return sc
}

// order says when the agent hears of questions that ended between two of its
// records.
type order int

// The orders, in which they are tried.
const (
	usual     order = iota // before it does anything else; what may be its own doing, after the next record
	early                  // all before
	late                   // all after the next record
	lastOrder = late
)

// choices are answers to what the log does not tell, by own record.
type choices struct {
	order map[int]order // of the questions that ended before it
	held  map[int]int   // of the messages delivered from it on, how many came after the agent had looked
	late  map[int]bool  // a stop came right before the record after it, not right after the one before
	first bool          // the turn that is open where the script begins was cut short before its first request
}

// next changes the choice that may be the cause of a mismatch at own record i
// in the field path, and reports whether there was another one left.
func (c *choices) next(sc *script, i int, path string) bool {
	if !c.first && sc.state.Busy() && !slices.ContainsFunc(sc.own[:i], isRequest) {
		c.first = true
		return true
	}
	if sc.ambiguous(i) && c.order[i] < lastOrder {
		c.order[i]++
		return true
	}
	for j := i - 1; j >= 0 && sc.own[j].Type() == event.TypeAgentStopping; j-- {
		if !c.late[j] {
			c.late[j] = true
			return true
		}
	}
	start := i
	for start > 0 && sc.own[start-1].Type() == event.TypeMessageDelivered {
		start--
	}
	if strings.HasPrefix(path, "data.reserved") && c.held[start] < i-start { // it looks before it reserves, and again after
		c.held[start]++
		return true
	}
	return false
}

func isRequest(rec event.Record) bool { return rec.Type() == event.TypeModelRequested }

// ambiguous reports whether a question ended between the own record before i
// and own record i.
func (sc *script) ambiguous(i int) bool {
	for _, n := range sc.desk {
		if n.closes && n.index < sc.index(i) && (i == 0 || n.index > sc.index(i-1)) {
			return true
		}
	}
	return false
}

// index is the place in the log of own record i; behind the stretch if there is
// none.
func (sc *script) index(i int) int {
	if i >= len(sc.at) {
		return sc.part.to
	}
	return sc.at[i]
}

// end is the state in which the script leaves the agent.
func (sc *script) end() event.State {
	state := sc.state
	for _, rec := range sc.own {
		if d, ok := rec.Data.(event.AgentState); ok {
			state = d.To
		}
	}
	return state
}

// stopping reports whether the script ends before a stop had its effect.
func (sc *script) stopping() (pending bool) {
	for _, rec := range sc.own {
		switch d := rec.Data.(type) {
		case event.AgentStopping:
			pending = true
		case event.AgentState:
			pending = pending && d.To != event.Stopped && d.To != event.Finished && d.To != event.Working
		default:
		}
	}
	return pending
}

// underWay reports whether a call is of the last reply of a turn that the
// stretch leaves open, and whether it is the last call that started in it.
func (sc *script) underWay(callID string) (last, open bool) {
	if !sc.end().Busy() {
		return false, false
	}
	started := ""
	for _, rec := range slices.Backward(sc.own) {
		switch d := rec.Data.(type) {
		case event.ToolStarted:
			started = cmp.Or(started, d.CallID)
		case event.ModelReplied:
			if d.Purpose == "" {
				open = slices.ContainsFunc(d.Calls, func(c event.Call) bool { return c.ID == callID })
				return open && started == callID, open
			}
		default:
		}
	}
	return started == callID, true // the reply is older than the stretch
}
