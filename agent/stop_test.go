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
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

func exchange(s *stage) mailbox.Exchange {
	return mailbox.Exchange{IDs: s.ids, Post: s.post, Desk: s.desk}
}

func inquiry(kind event.Kind, text string) mailbox.Inquiry {
	return mailbox.Inquiry{
		From: mailbox.Address{ID: "fse_1", Name: "Full-Stack Engineer_1", Code: "fse"},
		To:   mailbox.Address{ID: "uio_1", Name: "UI Operator_1", Code: "uio"}, Kind: kind, Text: text,
	}
}

// TestStopInATool stops an agent in the middle of a tool, in each way.
func TestStopInATool(t *testing.T) {
	for _, tt := range []struct {
		mode    agent.StopMode
		takes   time.Duration
		result  string
		final   string
		state   event.State
		outcome event.Outcome
		err     error
	}{
		{agent.Soft, 9 * time.Second, "slow done", "stopped: I start", event.Stopped, event.Cancelled, nil},
		{agent.Now, 0, "CANCELLED stopped by User", "stopped: I start", event.Stopped, event.Cancelled, nil},
		{agent.Terminate, 0, "CANCELLED terminated by User", "terminated: I start", event.Finished, event.Terminated, agent.ErrTerminated},
	} {
		t.Run(string(tt.outcome)+"/"+tt.takes.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, modeltest.Sequence(modeltest.Reply{Text: "I start", Calls: []event.Call{call("slow")}}),
					[]tools.Tool{sleeper("slow", 10*time.Second)})
				s.tell("begin")
				ending := s.ask("are you there?")
				s.run()
				time.Sleep(time.Second)
				s.tell("waits in the box")
				began := time.Now()
				s.agent.Stop(agent.Stop{Mode: tt.mode, By: event.PersonName})
				e := <-ending
				if e.Outcome != tt.outcome || time.Since(began) != tt.takes {
					t.Errorf("the question ended %s after %s, want %s after %s", e.Outcome, time.Since(began), tt.outcome, tt.takes)
				}
				synctest.Wait()
				if got := data[event.ToolFinished](s); len(got) != 1 || got[0].Result != tt.result {
					t.Errorf("results %+v, want one %q", got, tt.result)
				}
				if got := s.finals(); !slices.Equal(got, []string{tt.final}) {
					t.Errorf("reports %q, want %q", got, tt.final)
				}
				if s.agent.State() != tt.state {
					t.Errorf("state %s, want %s", s.agent.State(), tt.state)
				}
				if err := s.end(); !errors.Is(err, tt.err) {
					t.Errorf("Run returned %v, want %v", err, tt.err)
				}
			})
		})
	}
}

func TestAStoppedAgentGoesOnWithAMessageThatComesLater(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(
			modeltest.Reply{Text: "I start", Calls: []event.Call{call("slow")}}, modeltest.Reply{Text: "I go on"},
		), []tools.Tool{sleeper("slow", 10*time.Second)})
		s.run()
		s.tell("begin")
		time.Sleep(time.Second)
		s.tell("before the stop")
		s.agent.Stop(agent.Stop{Mode: agent.Now, By: event.PersonName})
		time.Sleep(time.Hour)
		if s.agent.State() != event.Stopped {
			t.Fatalf("state %s; a message from before the stop woke the agent", s.agent.State())
		}
		s.tell("after the stop")
		synctest.Wait()
		if got, want := s.finals(), []string{"stopped: I start", "natural: I go on"}; !slices.Equal(got, want) {
			t.Errorf("reports %q, want %q", got, want)
		}
		if got := len(data[event.MessageDelivered](s)); got != 3 {
			t.Errorf("%d messages were delivered, want all 3", got)
		}
		_ = s.end()
	})
}

func TestATerminatedAgentReturnsItsMessages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(), nil)
		s.run()
		s.agent.Stop(agent.Stop{Mode: agent.Soft, By: event.PersonName})
		synctest.Wait()
		s.agent.Stop(agent.Stop{Mode: agent.Terminate, By: event.PersonName})
		if err := <-s.done; !errors.Is(err, agent.ErrTerminated) {
			t.Fatalf("Run returned %v, want ErrTerminated", err)
		}
		_, err := s.post.Send(mailbox.Outgoing{Kind: event.Note, From: event.Leader, To: "uio_1", Content: "hello"})
		if !errors.Is(err, mailbox.ErrTerminated) {
			t.Errorf("a message to it gave %v, want ErrTerminated", err)
		}
	})
}

// TestPauseLeavesTheTurnOpen stops for the end of the run: the step finishes,
// nothing is reported, and the turn does not end.
func TestPauseLeavesTheTurnOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Text: "I start", Calls: []event.Call{call("slow")}}),
			[]tools.Tool{sleeper("slow", 10*time.Second)})
		s.run()
		s.tell("begin")
		time.Sleep(time.Second)
		s.agent.Stop(agent.Stop{Mode: agent.Pause, By: event.PersonName})
		if err := <-s.done; err != nil {
			t.Fatal(err)
		}
		if got := data[event.ToolFinished](s); len(got) != 1 || got[0].Result != "slow done" {
			t.Errorf("results %+v, want that of the finished tool", got)
		}
		if len(s.finals()) != 0 || len(data[event.TurnEnded](s)) != 0 {
			t.Errorf("a paused turn was ended: %q", s.finals())
		}
	})
}

// TestASoftStopEndsAWait stops an agent that only waits for others.
func TestASoftStopEndsAWait(t *testing.T) {
	for _, when := range []string{"before it waits", "while it waits"} {
		t.Run(when, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				asks := tool("asks", func(ctx context.Context, c tools.Call) (string, error) {
					time.Sleep(2 * time.Second)
					defer c.Blocked("fse_1")()
					<-ctx.Done()
					return "", context.Cause(ctx)
				})
				s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("asks")}}), []tools.Tool{asks})
				s.run()
				s.tell("begin")
				time.Sleep(time.Second)
				if when == "while it waits" {
					time.Sleep(5 * time.Second)
				}
				s.agent.Stop(agent.Stop{Mode: agent.Soft, By: event.PersonName})
				time.Sleep(5 * time.Second)
				if s.agent.State() != event.Stopped {
					t.Errorf("state %s, want stopped", s.agent.State())
				}
				_ = s.end()
			})
		})
	}
}
