package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// refusing are sessions that take five seconds to refuse what is sent first.
type refusing struct {
	gateway.Sessions
	refused bool
}

func (s *refusing) refuse() error {
	if s.refused {
		return nil
	}
	s.refused = true
	<-time.After(5 * time.Second)
	return gateway.NewError(gateway.StatusUnavailable, "not now")
}

func (s *refusing) Submit(ctx context.Context, session, id, text string, settings map[string]string) error {
	if err := s.refuse(); err != nil {
		return err
	}
	return s.Sessions.Submit(ctx, session, id, text, settings)
}

func (s *refusing) Tell(ctx context.Context, session, id, agent, text string) error {
	if err := s.refuse(); err != nil {
		return err
	}
	return s.Sessions.Tell(ctx, session, id, agent, text)
}

// TestCopyOfWhatIsRefused: a message that comes a second time on another connection,
// while the first one is served that is then refused, is refused too, and may be
// sent again.
func TestCopyOfWhatIsRefused(t *testing.T) {
	for _, r := range []client.Request{
		{Method: client.MethodPrompt, Text: "say x"}, {Method: client.MethodSteer, Agent: "tl", Text: "x"},
	} {
		change := func(r *rig) { r.tune = func(o *client.Options) { o.Sessions = &refusing{Sessions: o.Sessions} } }
		bubble(t, change, func(rig *rig) {
			w := rig.open(client.Abilities{}, nil).watch()
			other := rig.open(client.Abilities{}, w.peer).watch()
			message := client.Message{ID: "msg_1", Body: r}
			w.send(message)
			<-time.After(time.Second)
			other.send(message)
			<-time.After(time.Minute)
			for _, p := range []*watched{w, other} {
				if e := p.one(answerTo("msg_1")).Body.(client.Response).Error; e == nil || !e.Retryable {
					t.Errorf("%s: the answer is %v", r.Method, e)
				}
			}
			w.send(message)
			<-time.After(time.Minute)
			if n := len(w.seen(answerTo("msg_1"))); n != 2 {
				t.Errorf("%s: sent again it has %d answers, want 2", r.Method, n)
			}
			w.drop()
			other.drop()
		})
	}
}
