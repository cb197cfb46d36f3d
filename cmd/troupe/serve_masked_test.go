package main

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/transcript"
)

// spilling is sessions in which a model wrote a key into a call.
type spilling struct{ gateway.Sessions }

func (spilling) Records(context.Context, string, int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		yield(event.Record{V: 1, Seq: 1, Data: event.ToolStarted{Name: "f", Arguments: `{"key":"house-key-0123"}`}}, nil)
	}
}

func (s spilling) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error] {
	return s.Records(ctx, session, after)
}

// TestFacesSeeNoKeys hides keys in what faces get, also in calls, which the log has
// as the model made them.
func TestFacesSeeNoKeys(t *testing.T) {
	m := maskedSessions{spilling{}, transcript.NewMask("house-key-0123")}
	for name, records := range map[string]iter.Seq2[event.Record, error]{
		"Records": m.Records(t.Context(), "s", 0), "Follow": m.Follow(t.Context(), "s", 0),
	} {
		for rec, err := range records {
			if d, ok := rec.Data.(event.ToolStarted); err != nil || !ok || d.Arguments != `{"key":"[masked]"}` {
				t.Errorf("%s: %+v, %v", name, rec.Data, err)
			}
		}
	}
}

// TestCrowd lets in who comes in time, and tells when all have left.
func TestCrowd(t *testing.T) {
	c := &crowd{gone: make(chan struct{})}
	in, out := make(chan struct{}), make(chan struct{})
	h := c.count(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(in); <-out }))
	call := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		return w.Code
	}
	first := make(chan int)
	go func() { first <- call() }()
	<-in
	gone := c.close()
	select {
	case <-gone:
		t.Error("somebody is inside")
	default:
	}
	if code := call(); code != http.StatusServiceUnavailable {
		t.Errorf("who comes too late gets %d", code)
	}
	close(out)
	if code := <-first; code != http.StatusOK {
		t.Errorf("who came in time gets %d", code)
	}
	<-gone
	empty := &crowd{gone: make(chan struct{})}
	<-empty.close()
}
