package leader_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model/modeltest"
)

func askUser(question string, options ...string) event.Call {
	return modeltest.Call("ask_user", map[string]any{"question": question, "options": options})
}

// TestAPersonMayTakeDays asks at ten, and is answered three days later.
func TestAPersonMayTakeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{"tl": sequence(say("", askUser("Which colour?", "blue ", "red")), say("painted"))}, nil)
		time.Sleep(72 * time.Hour)
		if got := d.pending(); !slices.Equal(got, []string{"ask_tl_001 tl Which colour?\n\n1. blue\n2. red"}) {
			t.Errorf("pending %q", got)
		}
		if got := d.run.Agents()[0]; got.State != event.Waiting || !slices.Equal(got.WaitsFor, []string{"ask_tl_001 → user"}) {
			t.Errorf("the leader is %s and waits for %q", got.State, got.WaitsFor)
		}
		if err := d.run.Reply("ask_tl_002", "x"); err == nil || !strings.Contains(err.Error(), "ask_tl_001") {
			t.Errorf("an answer to nothing: %v", err)
		}
		if err := d.run.Reply("ask_tl_001", "green"); err != nil {
			t.Error(err)
		}
		res, records, err := d.end()
		if err != nil || res.Answer != "painted" {
			t.Errorf("%+v, %v", res, err)
		}
		want := "来自 User 的回答\nid: ans_user_001\n\n<User>\n<Answer question_id=\"ask_tl_001\">\ngreen\n</Answer>\n</User>"
		if got := toolResults(records, event.Leader); !slices.Equal(got, []string{want}) {
			t.Errorf("the leader reads %q", got)
		}
		if err := d.run.Reply("ask_tl_001", "blue"); !errors.Is(err, leader.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestAQuestionSuspendsWhenNobodyElseCanGoOn lets the workers finish first.
func TestAQuestionSuspendsWhenNobodyElseCanGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, players{
			"tl": sequence(say("plan", create("uio", "work"), create("fse", "ask"), askUser("Which colour?")), say("done")),
			"uio_1": sequence(modeltest.Reply{Text: "working", Delay: time.Hour, Calls: []event.Call{touch("a")}},
				modeltest.Reply{Text: "worked", Delay: time.Hour}),
			"fse_1": sequence(say("I ask", ask("fse_1", "tl"))),
		}, func(team *leader.Team) {
			team.Permissions.Allow = []string{"touch"}
			team.Limits.AskTimeout = leader.Unlimited
		}, leader.WithAttendance(leader.Unattended))
		begin := time.Now()
		res, records, err := d.end()
		if res.Status != leader.StatusSuspended || time.Since(begin) != 2*time.Hour || !slices.Equal(d.all(), []string{"a"}) {
			t.Errorf("%+v after %s, touched %q", res, time.Since(begin), d.all())
		}
		checkWaits(t, records, err, event.RunSuspended{Cause: event.SuspendQuestion, ID: "ask_tl_001"}, "Which colour?")
	})
}

// TestASleepingLeaderIsNoHope suspends a run whose leader waits for the output
// of an agent that waits for leave.
func TestASleepingLeaderIsNoHope(t *testing.T) {
	for _, until := range []string{"any", "all"} {
		synctest.Test(t, func(t *testing.T) {
			d := open(t, players{
				"tl":    sequence(say("plan", create("uio", "touch"), create("fse", "ask")), say("", waitFor(until)), say("done")),
				"uio_1": sequence(say("", touch("a")), say("done")),
				"fse_1": sequence(say("I ask", ask("fse_1", "uio_1"))),
			}, func(team *leader.Team) { team.Permissions.Headless = leader.HeadlessSuspend }, leader.WithAttendance(leader.Unattended))
			res, records, err := d.end()
			if res.Status != leader.StatusSuspended {
				t.Errorf("%+v, %v", res, err)
			}
			checkWaits(t, records, err, event.RunSuspended{Cause: event.SuspendApproval, ID: "apr_001"}, "touch")
		})
	}
}

// TestAStopEndsTheApproval stops, terminates and cuts agents that wait for
// leave.
func TestAStopEndsTheApproval(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    func(*leader.Run) error
		limits leader.Limits
	}{
		{"soft", func(r *leader.Run) error { return r.Stop("uio_1", leader.Soft) }, leader.Limits{Deadline: leader.Unlimited}},
		{"now", func(r *leader.Run) error { return r.Stop("uio_1", leader.Now) }, leader.Limits{Deadline: leader.Unlimited}},
		{"terminate", func(r *leader.Run) error { return r.Stop("uio_1", leader.Terminate) }, leader.Limits{Deadline: leader.Unlimited}},
		{"deadline", func(*leader.Run) error { return nil }, leader.Limits{Deadline: time.Hour}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, players{
					"tl":    sequence(say("plan", create("uio", "touch")), say("wait"), say("done")),
					"uio_1": sequence(say("", touch("a")), say("done")),
				}, func(team *leader.Team) { team.Limits = tt.limits })
				if err := tt.end(d.run); err != nil {
					t.Fatal(err)
				}
				_, records, _ := d.end()
				got := dataOf[event.ApprovalDecided](records)
				if len(got) != 1 || got[0].Decision != event.DecisionDeny || got[0].By != event.Runtime || got[0].Reason == "" {
					t.Errorf("decided %+v", got)
				}
				if len(d.run.Pending()) != 0 || len(d.all()) != 0 {
					t.Errorf("pending %+v, touched %q", d.run.Pending(), d.all())
				}
			})
		})
	}
}
