package main

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/render"
)

// TestLeaderIsHeard plays what the leader says: with calls at once, without
// calls when it turns out that it was not the last.
func TestLeaderIsHeard(t *testing.T) {
	says := func(text string, calls ...event.Call) event.Record {
		return event.Record{V: 1, Seq: 1, Agent: event.Leader, Data: event.ModelReplied{Text: text, Calls: calls}}
	}
	asks := event.Record{V: 1, Seq: 1, Agent: event.Leader, Data: event.ModelRequested{}}
	call := event.Call{ID: "c1", Name: "list_agents", Arguments: "{}"}
	end := func(d event.Data) event.Record { return event.Record{V: 1, Seq: 1, Data: d} }
	for _, tt := range []struct {
		name    string
		records []event.Record
		want    []string // in this order
		not     string
	}{
		{"with calls", []event.Record{says("plan", call)}, []string{"plan"}, ""},
		{"the answer", []event.Record{says("answer"), end(event.RunFinished{Answer: "answer"})}, nil, "answer"},
		{"not the last", []event.Record{says("first"), asks, says("second")}, []string{"first"}, "second"},
		{"no answer came", []event.Record{says("so far"), end(event.RunSuspended{Cause: "interrupt"})}, []string{"so far", "interrupt"}, ""},
		{"failed", []event.Record{says("so far"), end(event.RunFailed{Failure: event.Failure{Message: "broken"}})}, []string{"so far", "broken"}, ""},
		{"a worker", []event.Record{{V: 1, Seq: 1, Agent: "a_1", Data: event.ModelReplied{Text: "mine", Calls: []event.Call{call}}}}, nil, "mine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := newNarrator(render.Options{View: render.Bubbles})
			var got strings.Builder
			for _, rec := range tt.records {
				got.WriteString(n.text(rec))
			}
			rest := got.String()
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("%q is missing, or comes too early:\n%s", want, got.String())
				}
				rest = after
			}
			if tt.not != "" && strings.Contains(got.String(), tt.not) {
				t.Errorf("%q is shown:\n%s", tt.not, got.String())
			}
		})
	}
}
