package foreign_test

import (
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
)

// faults holds records to the rules of a log: numbers and times go up, each
// record has a JSON form that reads back the same, each agent is created before
// it does anything, each message is delivered once at most and after it was
// sent, each call has one result at most.
func faults(records []event.Record) (found []string) {
	report := func(rec event.Record, format string, args ...any) {
		found = append(found, fmt.Sprintf("record %d, %s: ", rec.Seq, rec.Type())+fmt.Sprintf(format, args...))
	}
	agents := map[string]bool{event.Person: true, event.Runtime: true, "": true}
	sent, delivered := map[string]string{}, map[string]bool{}
	started, results := map[string]bool{}, map[string]bool{}
	var last time.Time
	for i, rec := range records {
		if rec.Seq != int64(i+1) || rec.V != event.Version || rec.Time.Before(last) {
			report(rec, "place %d, version %d, time %s after %s", i+1, rec.V, rec.Time, last)
		}
		last = rec.Time
		line, err := rec.MarshalJSON()
		var back event.Record
		if err == nil {
			err = back.UnmarshalJSON(line)
		}
		if err != nil || !cmp.Equal(rec, back) {
			report(rec, "does not read back, %v: %s", err, cmp.Diff(rec, back))
		}
		if _, isHeader := rec.Data.(event.RunStarted); isHeader != (i == 0) {
			report(rec, "a header, or none, at place %d", i)
		}
		switch d := rec.Data.(type) {
		case event.AgentCreated:
			if agents[rec.Agent] || d.Parent != "" && !agents[d.Parent] {
				report(rec, "agent %s of %s", rec.Agent, d.Parent)
			}
			agents[rec.Agent] = true
		case event.MessageSent:
			if sent[d.ID] != "" || !agents[d.To] || !agents[d.From] || d.From != rec.Agent {
				report(rec, "message %s from %s to %s", d.ID, d.From, d.To)
			}
			sent[d.ID] = d.To
		case event.MessageDelivered:
			if sent[d.ID] != rec.Agent || delivered[d.ID] {
				report(rec, "message %s", d.ID)
			}
			delivered[d.ID] = true
		case event.ToolStarted:
			if started[d.CallID] {
				report(rec, "call %s again", d.CallID)
			}
			started[d.CallID] = true
		case event.ToolFinished:
			if results[d.CallID] {
				report(rec, "a second result of %s", d.CallID)
			}
			results[d.CallID] = true
		default:
		}
		if !agents[rec.Agent] {
			report(rec, "agent %q was not created", rec.Agent)
		}
	}
	return found
}
