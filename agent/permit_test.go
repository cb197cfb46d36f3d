package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// results lists the results of the calls, in the order of the log.
func results(s *stage) []string {
	var list []string
	for _, f := range data[event.ToolFinished](s) {
		list = append(list, f.Result)
	}
	return list
}

// TestPermitStandsBeforeTheTool denies one of three calls, waits long for the
// second, and lets the model hear of a tool that does not exist without asking.
func TestPermitStandsBeforeTheTool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var ran, asked []string
		runs := func(name string) tools.Tool {
			return tool(name, func(context.Context, tools.Call) (string, error) {
				ran = append(ran, name)
				return name + " done", nil
			}, tools.Exclusive())
		}
		m := modeltest.Sequence(
			modeltest.Reply{Calls: []event.Call{call("denied"), call("slow"), call("nothing")}},
			modeltest.Reply{Text: "done"},
		)
		s := newStage(t, m, []tools.Tool{runs("denied"), runs("slow")}, func(c *agent.Config) {
			c.ToolTimeout = time.Second
			c.Permit = func(_ context.Context, spec tools.Spec, call tools.Call) error {
				asked = append(asked, spec.Name)
				if spec.Name == "denied" {
					return errors.New("not " + call.ID)
				}
				defer call.Blocked("apr_001", "user")()
				time.Sleep(time.Hour)
				return nil
			}
		})
		s.run()
		s.tell("go")
		synctest.Wait()
		if got := s.agent.State(); got != event.Waiting {
			t.Errorf("the agent is %s while its call waits for leave", got)
		}
		time.Sleep(2 * time.Hour)
		got := results(s)
		want := []string{"not " + data[event.ToolStarted](s)[0].CallID, "slow done"}
		if len(got) != 3 || !slices.Equal(got[:2], want) {
			t.Errorf("results %q, want %q and that the third does not exist", got, want)
		}
		if !slices.Equal(ran, []string{"slow"}) || !slices.Equal(asked, []string{"denied", "slow"}) {
			t.Errorf("ran %q, asked %q", ran, asked)
		}
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestAStopEndsTheWaitForLeave stops an agent whose call waits: the call is
// cancelled and does not run.
func TestAStopEndsTheWaitForLeave(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ran := 0
		tl := tool("write", func(context.Context, tools.Call) (string, error) { ran++; return "", nil })
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("write")}}), []tools.Tool{tl},
			func(c *agent.Config) {
				c.Permit = func(ctx context.Context, _ tools.Spec, call tools.Call) error {
					defer call.Blocked("apr_001", "user")()
					<-ctx.Done()
					return errors.New("no")
				}
			})
		s.run()
		s.tell("go")
		synctest.Wait()
		s.agent.Stop(agent.Stop{Mode: agent.Soft, By: event.PersonName})
		synctest.Wait()
		if got := results(s); !slices.Equal(got, []string{"CANCELLED stopped by User"}) || ran != 0 {
			t.Errorf("results %q, ran %d times", got, ran)
		}
		if err := s.end(); err != nil {
			t.Error(err)
		}
	})
}
