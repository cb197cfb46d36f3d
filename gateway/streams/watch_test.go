package streams_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/gateway/streams"
)

// TestChildOfTheSDKThatWaits plays a child of the Python SDK: it replies when it
// begins to wait, and never again. The caller gets its real end.
func TestChildOfTheSDKThatWaits(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.online("sdk", "sdk-1", living)
		var log lines
		watched := r.schema.Watched("parent")
		r.rdb.SAdd(ctx, watched, "{oops", `{"action_type":"RESUME","header":{"message_id":"m"}}`) // in the way of nothing
		r.worker("w-1", "parent", caller("sdk"), func(o *streams.WorkerOptions) { o.Log = zerolog.New(&log) })
		sent := r.send("parent", "sess", "go")
		r.status("sess", sent.MessageID, streams.WaitingAgent)

		entry := r.rdb.XRange(ctx, r.schema.TypeStream("sdk"), "-", "+").Val()[0]
		text, _ := entry.Values["data"].(string)
		ask, err := streams.DecodeCommand([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		child := ask.Header.MessageID
		early, err := streams.Command{
			Header: streams.Header{
				MessageID: sent.MessageID, SessionID: "sess", TraceID: "t",
				SourceAgentType: "sdk", TargetAgentType: "parent", ParentMessageID: child,
			},
			Body: &streams.Resume{Status: "WAITING_USER"},
		}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r.rdb.XAdd(ctx, streams.Again(r.schema.TypeStream("parent"), map[string]any{"data": string(early)}))
		eventually(t, "the child to be watched", func() error {
			if all := r.rdb.SMembers(ctx, watched).Val(); !slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, child) }) {
				return fmt.Errorf("it is not: %q", all)
			}
			return nil
		})
		r.nothingPending("parent")
		r.status("sess", sent.MessageID, streams.WaitingAgent)

		answer := streams.Voice{SessionID: "sess", AgentType: "sdk", MessageID: child}.Answer(streams.Stamp{ID: "A"}, "late")
		_, err = newStore(t, r.rdb, r.schema).Update(ctx, "sess", child, func(rec *streams.Record) ([]streams.Event, error) {
			return []streams.Event{answer}, errors.Join(
				streams.Move(rec, streams.Running, time.Now()), streams.Move(rec, streams.Completed, time.Now()))
		})
		if err != nil {
			t.Fatal(err)
		}
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `finalAnswer sdk "late"`, `finalAnswer parent "sdk COMPLETED \"late\""`, `appStreamResponse parent ""`)
		eventually(t, "the watch to end", func() error {
			if r.rdb.SCard(ctx, watched).Val() != 0 {
				return errors.New("it does not")
			}
			return nil
		})
		dropped := slices.DeleteFunc(log.messages(), func(text string) bool {
			return text != "a reply that is waited for cannot be read; it is dropped"
		})
		if len(dropped) != 2 {
			t.Errorf("the log has %d lines about what was dropped: %q", len(dropped), log.messages())
		}
	})
}
