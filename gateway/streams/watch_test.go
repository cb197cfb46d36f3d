package streams_test

import (
	"errors"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway/streams"
)

// TestChildOfTheSDKThatWaits plays a child of the Python SDK: it replies when it
// begins to wait, and never again. The caller gets its real end.
func TestChildOfTheSDKThatWaits(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.online("sdk", "sdk-1", living)
		r.worker("w-1", "parent", caller("sdk"))
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
			if r.rdb.SCard(ctx, r.schema.Watched("parent")).Val() == 0 {
				return errors.New("it is not")
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
			if r.rdb.SCard(ctx, r.schema.Watched("parent")).Val() != 0 {
				return errors.New("it does not")
			}
			return nil
		})
	})
}
