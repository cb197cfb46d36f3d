package streams_test

import (
	"context"
	"testing"

	"github.com/troupe-go/troupe/gateway/streams"
)

// heldAsker asks, and goes on with an answer until it is stopped.
func heldAsker(began chan<- struct{}) fake {
	h := asker
	h.resume = func(ctx context.Context, _ streams.Task, _ *streams.Sink) (streams.Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		return streams.Outcome{}, context.Cause(ctx)
	}
	return h
}

// TestHandBack stops a worker in the middle of a run, after an answer of the
// user: another goes on with that answer.
func TestHandBack(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began := make(chan struct{}, 9)
		w := r.worker("w-1", "asker", heldAsker(began))
		sent := r.send("asker", "sess", "go")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		_, err := r.client.Resume(t.Context(), streams.Answer{SessionID: "sess", MessageID: sent.MessageID, Content: streams.TextContent("Paris")})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		rec := r.status("sess", sent.MessageID, streams.Queued)
		if rec.State() != streams.StateSuspended || rec.WorkerID != "" {
			t.Errorf("got %s, %q", rec.State(), rec.WorkerID)
		}
		r.worker("w-2", "asker", asker)
		r.status("sess", sent.MessageID, streams.Completed)
		r.expectSaid("sess", `reasoningLogDelta asker "Which city?"`, `finalAnswer asker "city is Paris"`, `appStreamResponse asker ""`)
		r.nothingPending("asker")
	})
}

// TestHandBackOfATaskThatGoesOn lets the user answer while the run that asked has
// not quite ended: the run that goes on is the one that is handed back.
func TestHandBackOfATaskThatGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began, ending := make(chan struct{}, 9), make(chan struct{})
		w := r.worker("w-1", "asker", heldAsker(began), func(o *streams.WorkerOptions) {
			o.Concurrency = 2
			o.Report = func(c streams.Change) {
				if c.To == streams.StateSuspended {
					<-ending
				}
			}
		})
		sent := r.send("asker", "sess", "go")
		r.status("sess", sent.MessageID, streams.WaitingUser)
		_, err := r.client.Resume(t.Context(), streams.Answer{SessionID: "sess", MessageID: sent.MessageID, Content: streams.TextContent("Paris")})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		close(ending)
		// The place of the run that asked is free when this one has it.
		r.status("other", r.send("asker", "other", "go").MessageID, streams.WaitingUser)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		if rec := r.status("sess", sent.MessageID, streams.Queued); rec.WorkerID != "" {
			t.Errorf("worker %q has it", rec.WorkerID)
		}
	})
}
