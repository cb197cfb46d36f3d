package agent_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/tools"
)

// TestAPauseOutlivesOtherStops pauses an agent that is also stopped, in both
// orders: Run returns, or the run that waits for it would hang.
func TestAPauseOutlivesOtherStops(t *testing.T) {
	for _, tt := range []struct {
		name   string
		wishes []agent.StopMode
		want   error
	}{
		{"soft, pause", []agent.StopMode{agent.Soft, agent.Pause}, nil},
		{"pause, soft", []agent.StopMode{agent.Pause, agent.Soft}, nil},
		{"now, pause", []agent.StopMode{agent.Now, agent.Pause}, nil},
		{"pause, now", []agent.StopMode{agent.Pause, agent.Now}, nil},
		{"pause, terminate", []agent.StopMode{agent.Pause, agent.Terminate}, agent.ErrTerminated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("slow")}}),
					[]tools.Tool{sleeper("slow", 10*time.Second)})
				s.run()
				defer s.cancel()
				s.tell("begin")
				time.Sleep(time.Second)
				for _, mode := range tt.wishes {
					s.agent.Stop(agent.Stop{Mode: mode, By: event.PersonName})
				}
				select {
				case err := <-s.done:
					if !errors.Is(err, tt.want) {
						t.Errorf("Run returned %v, want %v", err, tt.want)
					}
				case <-time.After(time.Hour):
					t.Errorf("the agent is %s, and Run did not return", s.agent.State())
				}
			})
		})
	}
}

// TestAnotherStopForgetsNoQuestion stops an agent twice, with a question in
// between whose message the second stop silences.
func TestAnotherStopForgetsNoQuestion(t *testing.T) {
	for name, second := range map[string]agent.StopMode{"pause": agent.Pause, "soft": agent.Soft, "now": agent.Now} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("slow")}}),
					[]tools.Tool{sleeper("slow", 10*time.Second)})
				s.run()
				defer s.cancel()
				s.tell("begin")
				time.Sleep(time.Second)
				s.agent.Stop(agent.Stop{Mode: agent.Soft, By: event.PersonName})
				ending := s.ask("are you there?")
				s.agent.Stop(agent.Stop{Mode: second, By: event.PersonName})
				select {
				case e := <-ending:
					if e.Outcome != event.Cancelled {
						t.Errorf("the question ended %s, want cancelled", e.Outcome)
					}
				case <-time.After(time.Hour):
					t.Errorf("the agent is %s, and the asker waits", s.agent.State())
				}
			})
		})
	}
}

// TestALimitForgetsNoOtherWish cuts an agent short by a limit while somebody
// stops or terminates it.
func TestALimitForgetsNoOtherWish(t *testing.T) {
	limit := agent.Stop{Mode: agent.Now, By: event.RuntimeName, Limit: &event.LimitReached{Limit: "deadline", Used: 1, Max: 1}}
	for _, tt := range []struct {
		name  string
		first agent.Stop
		then  agent.Stop
		want  event.State
	}{
		{"terminate after it", limit, agent.Stop{Mode: agent.Terminate, By: event.PersonName}, event.Finished},
		{"stop before it", agent.Stop{Mode: agent.Soft, By: event.PersonName}, limit, event.Stopped},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newStage(t, modeltest.Sequence(modeltest.Reply{Calls: []event.Call{call("slow")}}),
					[]tools.Tool{sleeper("slow", 10*time.Second)})
				s.run()
				defer s.cancel()
				s.tell("begin")
				time.Sleep(time.Second)
				ending := s.ask("are you there?")
				s.agent.Stop(tt.first)
				s.agent.Stop(tt.then)
				synctest.Wait()
				if s.agent.State() != tt.want {
					t.Errorf("the agent is %s, want %s", s.agent.State(), tt.want)
				}
				select {
				case <-ending:
				case <-time.After(time.Hour):
					t.Error("the asker waits")
				}
			})
		})
	}
}

// TestAQuestionOnItsWayOutlivesAStop opens a question before a stop whose
// message comes after it: the message wakes the agent, so the question is not
// ended by the stop.
func TestAQuestionOnItsWayOutlivesAStop(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newStage(t, modeltest.Sequence(modeltest.Reply{Text: "yes"}, modeltest.Reply{Text: "yes, I am"}), nil)
		s.run()
		defer s.cancel()
		if _, _, err := s.desk.Ask(mailbox.Ask{ID: "ask_fse_001", From: "fse_1", To: "uio_1"}); err != nil {
			t.Fatal(err)
		}
		s.agent.Stop(agent.Stop{Mode: agent.Now, By: event.PersonName})
		synctest.Wait()
		_, err := s.post.Send(mailbox.Outgoing{ID: "ask_fse_001", Kind: event.Question, From: "fse_1", To: "uio_1", Content: "are you there?"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.desk.Wait(t.Context(), "ask_fse_001")
		if err != nil || e.Outcome != event.Implicit || e.Text != "yes, I am" {
			t.Errorf("the question ended %+v, %v; want implicit", e, err)
		}
	})
}
