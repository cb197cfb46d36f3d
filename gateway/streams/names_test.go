package streams_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/streams"
)

// oddNames are names that a program may give, some of which begin others.
var oddNames = []string{"a", "a/b", "a/b/c", "a:b", "a b", "a#1", "会话", "a\u202eb", "%2F", "a\nb", "a}b", "{a}", "*", "a\x00"}

// TestOddNames: agent types, sessions and messages may have any names. A worker of all
// of them does each task once, and shows life for what it has in hand.
func TestOddNames(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		goOn := make(chan struct{})
		hold := fake{start: func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
			select {
			case <-goOn:
			case <-ctx.Done():
			}
			return streams.Outcome{Answer: task.Request.TargetAgentType + " " + task.Request.SessionID + " " + task.MessageID}, context.Cause(ctx)
		}}
		r.worker("w-1", "", hold, func(o *streams.WorkerOptions) { o.AgentTypes = oddNames })
		for i, name := range oddNames {
			other := oddNames[len(oddNames)-1-i]
			_, err := r.client.Send(t.Context(), streams.Request{
				AgentType: name, SessionID: other, MessageID: name, Content: streams.TextContent("go"),
			})
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			r.status(other, name, streams.Running)
		}
		began := time.Now()
		for _, name := range oddNames {
			eventually(t, fmt.Sprintf("a sign of life for %q", name), func() error {
				passed := time.Since(began) // the entry came before
				left, err := r.client.Pending(t.Context(), name)
				if err == nil && (len(left) != 1 || left[0].Idle >= passed) {
					err = fmt.Errorf("in hand are %d entries, without a sign for %v", len(left), passed)
				}
				return err
			})
		}
		close(goOn)
		for i, name := range oddNames {
			other := oddNames[len(oddNames)-1-i]
			r.status(other, name, streams.Completed)
			answer := ""
			for e, err := range r.client.Read(t.Context(), other, streams.Begin) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Event.Kind() == streams.KindAnswer {
					answer += e.Event.Text()
				}
			}
			if want := fmt.Sprintf("%s %s %s", name, other, name); answer != want {
				t.Errorf("the answer is %q, want %q", answer, want)
			}
		}
	})
}

// TestSessionsOfTeams: tasks share the session of a team when they have user, agent
// type and session in common, and only then, whatever these are called.
func TestSessionsOfTeams(t *testing.T) {
	type request struct{ user, agentType, session, group, message string }
	opened := map[string]bool{}
	h, err := streams.NewTeams(streams.TeamOptions{Sessions: opening{tell: func(user, name string) { opened[user+" "+name] = true }}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []request{
		{"u", "a", "b/c", "", "m"},
		{"u", "a/b", "c", "", "m"},
		{"u", "a", "b", "g", "c"},
		{"u", "a", "b%2Fc", "", "m"},
		{"u", "a%2Fb", "c", "", "m"},
		{"u", "a", "b", "", "m"},
		{"v", "a", "b", "", "m"},
		{"", "a", "b", "", "m"},
	} {
		header := streams.Header{UserCode: r.user, TargetAgentType: r.agentType, SessionID: r.session, TaskGroupID: r.group, MessageID: r.message}
		before := len(opened)
		for range 2 {
			_, err := h.Start(t.Context(), streams.Task{MessageID: r.message, Request: header}, nil)
			if !errors.Is(err, errOpened) || len(opened) != before+1 {
				t.Errorf("%+v is one of %d sessions, want %d: %v", r, len(opened), before+1, err)
			}
		}
	}
}

var errOpened = errors.New("opened")

// opening are sessions that tell what is opened, and do no more.
type opening struct {
	gateway.Sessions
	tell func(user, name string)
}

func (o opening) Open(_ context.Context, user, name string) (string, int64, error) {
	o.tell(user, name)
	return "", 0, errOpened
}
