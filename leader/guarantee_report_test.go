package leader_test

import (
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// TestEachTurnHasOneReport ends a sub-agent's turn in every way. The leader gets
// one report, with the reason; a failure is never shown as a result.
func TestEachTurnHasOneReport(t *testing.T) {
	down := model.NewError(model.ClassAuth, "the key was refused")
	stop := func(f func(run *leader.Run) error) func(*leader.Run) {
		return func(run *leader.Run) {
			pass(time.Second)
			_ = f(run)
		}
	}
	for _, tt := range []struct {
		name   string
		plan   []move
		person func(*leader.Run)
		reason event.Reason
		state  event.State
		says   string // in the report
		hides  string // not in the report
	}{
		{"natural", []move{{text: "the page is ready"}}, nil, event.EndNatural, event.Idle, "the page is ready", ""},
		{"model refusal", []move{{text: "half a page", err: down}}, nil, event.EndFailed, event.Failing, "the key was refused", "half a page"},
		{"panic in a tool", []move{does(modeltest.Call("boom", nil)), {text: "the page is ready"}}, nil, event.EndNatural, event.Idle, "the page is ready", "boom"},
		{"panic in the model", []move{{panic: true}}, nil, event.EndFailed, event.Failing, "panicked", ""},
		{"nothing said", []move{{}, {}}, nil, event.EndFailed, event.Failing, "twice", ""},
		{"step limit", []move{does(sleep(1)), does(sleep(2)), does(sleep(3)), does(sleep(4)), does(sleep(5))}, nil, event.EndLimit, event.Idle, "wrapped up", ""},
		{"soft stop", []move{{text: "I start", calls: []event.Call{sleep(10_000)}}}, stop(func(r *leader.Run) error { return r.Stop("a_1", leader.Soft) }), event.EndStopped, event.Stopped, "I start", ""},
		{"stop", []move{{text: "I start", calls: []event.Call{sleep(10_000)}}}, stop(func(r *leader.Run) error { return r.Stop("a_1", leader.Now) }), event.EndStopped, event.Stopped, "I start", ""},
		{"terminate", []move{{text: "I start", calls: []event.Call{sleep(10_000)}}}, stop(func(r *leader.Run) error { return r.Stop("a_1", leader.Terminate) }), event.EndTerminated, event.Finished, "I start", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCast(1, 0, map[string]actor{
				event.Leader: {plan: []move{does(append(hire(1).calls, waitFor("all"))...)}},
				"a_1":        {plan: tt.plan},
			})
			p := perform(t, t.TempDir(), actors(c.client(), rough), tt.person, leader.WithTools(nap(), boom()))
			checkLog(t, p.records)
			var reports []event.MessageSent
			for _, d := range dataOf[event.MessageSent](p.records) {
				if d.Kind == event.Completion {
					reports = append(reports, d)
				}
			}
			if len(reports) != 1 || reports[0].Reason != tt.reason {
				t.Fatalf("reports %+v, want one with the reason %s", reports, tt.reason)
			}
			text := reports[0].Content
			if !strings.Contains(text, tt.says) || tt.hides != "" && strings.Contains(text, tt.hides) {
				t.Errorf("the report is %q, want it to say %q and not %q", text, tt.says, tt.hides)
			}
			if tt.reason != event.EndNatural && text == tt.says {
				t.Errorf("the report is %q, as if it were a result", text)
			}
			var state event.State
			for _, rec := range p.records {
				if d, ok := rec.Data.(event.AgentState); ok && rec.Agent == "a_1" {
					state = d.To
				}
			}
			if state != tt.state {
				t.Errorf("the agent is %s, want %s", state, tt.state)
			}
			_, wait, _ := resultOf(p.records, planned(event.Leader, 0, 1))
			if !strings.Contains(wait.Result, reports[0].ID) || strings.Contains(wait.Result, "Failures") != (tt.reason == event.EndFailed) {
				t.Errorf("the leader's wait ended with %q", wait.Result)
			}
			dump(t, p.records)
		})
	}
}
