package agent_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// refusing is a budget that does something before it refuses a call.
type refusing struct {
	freeBudget
	before func()
}

func (b *refusing) Reserve(n agent.Need) ([]event.LimitWarned, error) {
	if !n.WrapUp {
		b.before()
	}
	return b.freeBudget.Reserve(n)
}

// TestOneLastWord lets two limits end a turn at about the same time, as the
// deadline does, which the budget and the run watch both: the last word is asked
// for once, and what is under way is not cut.
func TestOneLastWord(t *testing.T) {
	cut := agent.Stop{
		Mode: agent.Now, By: event.RuntimeName, WrapUp: true, Limit: &event.LimitReached{Limit: "deadline", Used: 1, Max: 1},
	}
	for _, when := range []string{"before the limit", "during the last word"} {
		t.Run(when, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var s *stage
				stopWhen := func(now string) {
					if now == when {
						s.agent.Stop(cut)
					}
				}
				m := modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
					stopWhen("during the last word")
					return modeltest.Reply{Text: "my last word"}
				})
				s = newStage(t, m, nil, func(c *agent.Config) {
					c.Budget = &refusing{before: func() { stopWhen("before the limit") }}
				})
				s.run()
				defer s.cancel()
				s.tell("begin")
				synctest.Wait()
				if diff := cmp.Diff([]string{"limit: my last word"}, s.finals()); diff != "" {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
				asked, failed := data[event.ModelRequested](s), data[event.ModelFailed](s)
				if len(asked) != 1 || !asked[0].WrapUp || len(failed) != 0 {
					t.Errorf("asked %+v, of which %+v failed; want one last word", asked, failed)
				}
				if reached := data[event.LimitReached](s); len(reached) != 1 {
					t.Errorf("limits reached: %+v, want one", reached)
				}
			})
		})
	}
}

// TestALastWordIsTakenUp goes on with a turn that a limit had ended, in a run
// whose time is up as well: the turn ends by the limit that it tells of.
func TestALastWordIsTakenUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Text: "my last word"}), nil)
		for i, d := range []event.Data{
			event.AgentState{From: event.Created, To: event.Working},
			event.MessageSent{ID: "msg_tl_001", Kind: event.Note, From: event.Leader, FromName: event.LeaderName, To: "uio_1", Content: "begin"},
			event.MessageDelivered{ID: "msg_tl_001", Step: 1},
			event.LimitReached{Limit: "steps", Used: 1, Max: 1},
		} {
			if err := s.agent.Apply(event.Record{Seq: int64(i + 1), Agent: "uio_1", Turn: 1, Data: d}); err != nil {
				t.Fatal(err)
			}
		}
		s.agent.Stop(agent.Stop{
			Mode: agent.Now, By: event.RuntimeName, WrapUp: true, Limit: &event.LimitReached{Limit: "deadline", Used: 1, Max: 1},
		})
		s.run()
		defer s.cancel()
		synctest.Wait()
		ended := data[event.TurnEnded](s)
		if diff := cmp.Diff([]event.TurnEnded{{Reason: event.EndLimit, Limit: "steps"}}, ended); diff != "" {
			t.Errorf("turns ended (-want +got):\n%s", diff)
		}
		if asked := data[event.ModelRequested](s); len(asked) != 1 || !asked[0].WrapUp {
			t.Errorf("asked %+v, want one last word", asked)
		}
	})
}
