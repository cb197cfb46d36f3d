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
