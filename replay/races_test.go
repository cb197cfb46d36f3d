package replay_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/prompts"
)

// cutShort is the limit with which the clock of a run cuts turns short.
var cutShort = event.LimitReached{Limit: "deadline", Used: 2, Max: 1}

// extended is a log with more records behind it.
type extended []event.Record

func (e *extended) add(rec event.Record, all ...event.Data) {
	for _, d := range all {
		rec.Seq, rec.Data = int64(len(*e)+1), d
		*e = append(*e, rec)
	}
}

// TestCutAfterAResume verifies logs of runs that were resumed with an unread
// message and in the middle of a model call, and then cut short by the clock
// before the message was read.
func TestCutAfterAResume(t *testing.T) {
	n := 0
	for _, path := range recorded(t) {
		records := load(t, path)
		asked := map[string]bool{} // whose model call is under way
		for i, rec := range records {
			switch rec.Data.(type) {
			case event.ModelRequested:
				asked[rec.Agent] = true
			case event.ModelReplied, event.ModelFailed:
				delete(asked, rec.Agent)
			default:
			}
			for id := range asked {
				if !unread(records[:i+1], id) || count[event.AgentStopping](records[:i+1]) > 0 { // a stop counts more
					continue
				}
				n++
				after, _ := resumeWith(t, records[:i+1], leader.WithTask(""))
				at := i + 1 + slices.IndexFunc(after[i+1:], func(r event.Record) bool {
					return r.Agent == id && r.Type() == event.TypeModelFailed
				})
				cut := extended(slices.Clone(after[:at+1]))
				cut.add(after[at], cutShort)
				check(t, verify(t, cut, nil))
				if t.Failed() {
					t.Fatalf("%s, cut after record %d", path, i+1)
				}
			}
		}
	}
	if n == 0 {
		t.Error("no recorded run has such a place")
	}
}

// unread reports whether a message for the agent waits at the end of the log.
func unread(records []event.Record, id string) bool {
	open := map[string]bool{}
	for _, rec := range records {
		switch d := rec.Data.(type) {
		case event.MessageSent:
			open[d.ID] = d.To == id
		case event.MessageDelivered:
			delete(open, d.ID)
		case event.MessageReturned:
			delete(open, d.ID)
		default:
		}
	}
	for _, waits := range open {
		if waits {
			return true
		}
	}
	return false
}

// TestCutAndCrashed verifies logs that end in the middle of what follows when the
// clock cuts a turn short: before the last word, and with calls that had not
// begun when the run was resumed.
func TestCutAndCrashed(t *testing.T) {
	why := "cut short by the limit deadline"
	for _, path := range recorded(t) {
		records := load(t, path)
		header, _ := records[0].Data.(event.RunStarted)
		words := prompts.In(header.Lang)
		for i, rec := range records {
			log := extended(slices.Clone(records[:i+1]))
			switch d := rec.Data.(type) {
			case event.ModelRequested:
				if rec.Agent != event.Leader || d.Purpose != "" || d.WrapUp || d.ReservedCost != nil {
					continue
				}
				log.add(rec, event.ModelFailed{Step: d.Step, Model: d.Model, Failure: event.Failure{
					Code: event.CodeCancelled, Who: "client", Retryable: true, Message: why,
				}}, cutShort)
				rec.Agent = event.Runtime
				log.add(rec, event.MessageSent{
					ID: "msg_sys_900", Kind: event.Note, From: event.Runtime, FromName: event.RuntimeName, To: event.Leader, Content: words.WrapUp(cutShort.Limit),
				})
			case event.ModelReplied:
				if len(d.Calls) == 0 || d.Text != "" || d.Finish == event.FinishLength {
					continue
				}
				log.add(event.Record{V: rec.V, Time: rec.Time}, event.RunResumed{})
				for _, c := range d.Calls {
					log.add(rec, event.ToolFinished{CallID: c.ID, Name: c.Name, Result: words.CancelledCall(why), IsError: true})
				}
				log.add(rec, cutShort)
			default:
				continue
			}
			check(t, verify(t, log, nil))
			if t.Failed() {
				t.Fatalf("%s, after record %d", path, i+1)
			}
		}
	}
}
