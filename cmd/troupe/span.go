package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/nearest"
)

// point is a place in a run: the number of a record, or the id of a message, a
// question, a call, an approval or an agent.
type point struct {
	seq   int64
	id    string
	found bool

	near     string // the id that differs least from id
	distance int
}

// newPoint reads the value of a flag; nil when it is empty. No record has a
// number below 1, so that is an id that no run has.
func newPoint(value string) *point {
	if value == "" {
		return nil
	}
	if seq, err := strconv.ParseInt(value, 10, 64); err == nil && seq >= 1 {
		return &point{seq: seq}
	}
	return &point{id: value, distance: 1 + nearest.Tolerance(value)}
}

// isAt reports whether rec is the first at or behind the point.
func (p *point) isAt(rec event.Record) bool {
	if p.id == "" {
		p.found = p.found || rec.Seq >= p.seq
		return p.found
	}
	for _, id := range idsOf(rec) {
		if id == p.id {
			p.found = true
		}
		if !p.found && id != "" && id != p.near {
			if d := nearest.Distance(p.id, id); d < p.distance {
				p.near, p.distance = id, d
			}
		}
	}
	return p.found
}

// isPast reports whether nothing behind rec is wanted: the point is reached,
// and a question or a call that it names has come to its end.
func (p *point) isPast(rec event.Record) bool {
	if p.id == "" {
		p.found = p.found || rec.Seq >= p.seq
		return p.found
	}
	if !p.isAt(rec) {
		return false
	}
	switch d := rec.Data.(type) {
	case event.QuestionOpened, event.ModelReplied, event.ToolStarted:
		return false
	case event.MessageSent:
		return d.ID == p.id && d.Kind != event.Question
	default:
		return slices.Contains(idsOf(rec), p.id)
	}
}

// missing is the error for a point that the run does not have.
func (p *point) missing(w *words, last int64) error {
	if p.id == "" {
		return usageError(fmt.Sprintf(w.noRecord, last, p.seq), "")
	}
	hint := "troupe runs show RUN"
	if p.near != "" {
		hint = fmt.Sprintf(w.didYouMean, p.near)
	}
	return usageError(fmt.Sprintf(w.noID, p.id), hint)
}

// idsOf are the ids that a record is about.
func idsOf(rec event.Record) []string {
	switch d := rec.Data.(type) {
	case event.AgentCreated:
		return []string{rec.Agent}
	case event.MessageSent:
		return []string{d.ID}
	case event.MessageReturned:
		return []string{d.ID}
	case event.QuestionOpened:
		return []string{d.ID}
	case event.QuestionClosed:
		return []string{d.ID, d.AnswerID}
	case event.ModelReplied:
		ids := make([]string, 0, len(d.Calls))
		for _, c := range d.Calls {
			ids = append(ids, c.ID)
		}
		return ids
	case event.ToolStarted:
		return []string{d.CallID}
	case event.ToolFinished:
		return []string{d.CallID}
	case event.ToolHanded:
		return []string{d.CallID}
	case event.ToolReturned:
		return []string{d.CallID}
	case event.ApprovalRequested:
		return []string{d.ID}
	case event.ApprovalDecided:
		return []string{d.ID}
	case event.HistoryCompacted:
		return []string{d.ID}
	default:
		return nil
	}
}

// span is the part of a run that is shown.
type span struct {
	from, to *point
	last     int64 // the newest record that was looked at
}

// begun reports whether rec is in or behind the span.
func (s *span) begun(rec event.Record) bool {
	s.last = cmp.Or(rec.Seq, s.last)
	return s.from == nil || s.from.isAt(rec)
}

// over reports whether rec is the last of the span.
func (s *span) over(rec event.Record) bool { return s.to != nil && s.to.isPast(rec) }

// check complains of points that the run did not have.
func (s *span) check(w *words) error {
	for _, p := range []*point{s.from, s.to} {
		if p != nil && !p.found {
			return p.missing(w, s.last)
		}
	}
	return nil
}
