package streams_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/gateway/streams"
)

// TestClaim gives what a dead worker has left to one that lives, which would
// wait for a minute by itself. An entry of a worker that lives stays with it.
func TestClaim(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		stream := r.schema.TypeStream("echo")
		sent, err := r.client.Send(ctx, streams.Request{AgentType: "echo", SessionID: "sess", Content: streams.TextContent("x"), Policy: streams.SendAnyway})
		if err != nil {
			t.Fatal(err)
		}
		r.rdb.XGroupCreateMkStream(ctx, stream, streams.DefaultGroup, "0")
		r.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Group: streams.DefaultGroup, Consumer: "w-dead", Streams: []string{stream, ">"}})
		r.worker("w-1", "echo", echo, func(o *streams.WorkerOptions) { o.Claim = 1e11 })
		if _, err := r.client.Claim(ctx, "echo", "9-9"); !errors.Is(err, streams.ErrNoRecord) {
			t.Errorf("an entry that is not pending: %v", err)
		}
		given, err := r.client.Claim(ctx, "echo", sent.EntryID)
		if err != nil || len(given) != 1 || given[0].Worker != "w-dead" {
			t.Fatalf("given %+v, %v", given, err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.nothingPending("echo")

		began := make(chan streams.Task, 1)
		r.worker("w-2", "slow", blocked(began))
		slow := r.send("slow", "sess", "x")
		<-began
		if _, err := r.client.Claim(ctx, "slow", slow.EntryID); !errors.Is(err, streams.ErrState) {
			t.Errorf("an entry of a worker that lives: %v", err)
		}
		if given, err := r.client.Claim(ctx, "slow"); err != nil || len(given) != 0 {
			t.Errorf("given %+v, %v", given, err)
		}
	})
}

// TestTheOtherSchema asks for a worker that others cannot see.
func TestTheOtherSchema(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "echo", echo)
		other := streams.V2
		if r.schema == streams.V2 {
			other = streams.V1
		}
		blind := newRig(t, r.rdb, other)
		_, err := blind.client.Send(t.Context(), streams.Request{AgentType: "echo", SessionID: "sess", Content: streams.TextContent("x")})
		want := "one is with key schema " + string(r.schema) + ", and this is " + string(other)
		if !errors.Is(err, streams.ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		var log lines
		blind.worker("w-2", "other", echo, func(o *streams.WorkerOptions) { o.Log = zerolog.New(&log) })
		eventually(t, "a warning of the worker with the other schema", func() error {
			if got := log.messages(); len(got) != 1 || !strings.Contains(got[0], "another key schema") {
				return fmt.Errorf("its log says %q", got)
			}
			return nil
		})
		if types, err := r.client.OnlineTypes(t.Context()); err != nil || !slices.Equal(types, []string{"echo"}) {
			t.Errorf("online: %v, %v", types, err)
		}
		if types, err := blind.client.OnlineTypes(t.Context()); err != nil || !slices.Equal(types, []string{"other"}) {
			t.Errorf("online for the other schema: %v, %v", types, err)
		}
	})
}

// TestRead ends where the stream does now.
func TestRead(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "echo", echo)
		sent := r.send("echo", "sess", "x")
		r.status("sess", sent.MessageID, streams.Completed)
		var kinds []streams.Kind
		for e, err := range r.client.Read(t.Context(), "sess", streams.Begin) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, e.Event.Kind())
		}
		if !slices.Equal(kinds, []streams.Kind{streams.KindText, streams.KindAnswer, streams.KindEnd}) {
			t.Errorf("got %v", kinds)
		}
	})
}

// TestUnaskedAnswers answers tasks that work, have ended or never were: the
// sender is told, and nothing else happens.
func TestUnaskedAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan streams.Task, 1)
		r.worker("w-1", "slow", blocked(began))
		r.worker("w-2", "echo", echo)
		works, ended := r.send("slow", "works", "x"), r.send("echo", "ended", "x")
		<-began
		r.status("ended", ended.MessageID, streams.Completed)
		for session, tt := range map[string]struct {
			message, agentType, why string
			ends                    int
		}{
			"works":  {works.MessageID, "slow", "the task does not wait for an answer: it is RUNNING", 0},
			"ended":  {ended.MessageID, "echo", "the task does not wait for an answer: it is COMPLETED", 1},
			"nobody": {"msg-nobody", "echo", "no such task", 1},
		} {
			text, err := streams.Command{
				Header: streams.Header{MessageID: tt.message, SessionID: session, TraceID: "t", TargetAgentType: tt.agentType},
				Body:   &streams.Resume{Content: streams.TextContent("Paris")},
			}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			r.rdb.XAdd(t.Context(), streams.Again(r.schema.TypeStream(tt.agentType), map[string]any{"data": string(text)}))
			eventually(t, "a word about "+session, func() error {
				if !strings.Contains(r.said(session), tt.why) {
					return errors.New(r.said(session))
				}
				return nil
			})
			if got := strings.Count(r.said(session), "appStreamResponse"); got != tt.ends {
				t.Errorf("%s: %d end markers, want %d", session, got, tt.ends)
			}
		}
		r.nothingPending("echo")
		r.status("works", works.MessageID, streams.Running)
		if _, err := r.client.Resume(t.Context(), streams.Answer{SessionID: "works", MessageID: works.MessageID, Content: streams.TextContent("x")}); !errors.Is(err, streams.ErrState) {
			t.Errorf("the client answers a task that works: %v", err)
		}
	})
}
