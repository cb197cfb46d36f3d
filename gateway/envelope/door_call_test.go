package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/transcript"
)

// callOf is a call of the tool mail.
func (h *house) callOf(msgID, request, params string) string {
	return h.taskTo(msgID, "", map[string]string{
		"type": `"tool_call"`, "payload": fmt.Sprintf(`{"name":"mail","params":%s,"request_id":%q}`, params, request),
	})
}

// callLog are the records of the calls.
func (h *house) callLog() (list []event.Record) {
	h.Helper()
	for rec, err := range transcript.ReadFile(h.Context(), filepath.Join(h.dir, "calls", transcript.FileName), transcript.ReadOptions{}) {
		h.must(err)
		list = append(list, rec)
	}
	return list
}

// TestFiveTimes: a call that is sent five times at once runs once and is answered
// five times; so it is again after a restart.
func TestFiveTimes(t *testing.T) {
	h := newHouse(t, nil)
	h.tool = func(ctx context.Context, _ envelope.ToolCall, d envelope.Decision) (string, error) {
		h.pass(ctx)
		return "mailed as " + d.RequestID, nil
	}
	five := func() (bodies []string) {
		var all sync.WaitGroup
		replies := make([]reply, 5)
		for i := range replies {
			all.Go(func() { replies[i] = h.post(h.callOf(fmt.Sprintf("m-%d", i), "r-1", `{"to":"a"}`)) })
		}
		for h.ran.Load() == 0 {
			<-time.After(time.Millisecond)
		}
		select {
		case <-h.gate:
		default:
			close(h.gate)
		}
		all.Wait()
		for _, r := range replies {
			_, p := h.result(r)
			if !p.OK || p.RequestID != "r-1" || p.Text != "mailed as planner/r-1" {
				t.Errorf("%+v", p)
			}
			bodies = append(bodies, r.body)
		}
		return bodies
	}
	first := five()
	h.restart()
	for _, body := range append(first, five()...) {
		if body != first[0] {
			t.Errorf("results differ:\n%s%s", body, first[0])
		}
	}
	if n := h.ran.Load(); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
	var types []string
	for _, rec := range h.callLog() {
		types = append(types, string(rec.Type())+" "+rec.Agent)
	}
	if got, want := strings.Join(types, ", "), "run.started , tool.started sys, tool.finished sys, run.resumed "; got != want {
		t.Errorf("the log is %s", got)
	}
}

// TestCallConflict: a request id with other params is refused, also after a
// restart; that of another sender is another request.
func TestCallConflict(t *testing.T) {
	h := newHouse(t, nil)
	h.result(h.post(h.callOf("m-1", "r-1", `{"to":"a"}`)))
	for range 2 {
		if b := h.refusal(h.post(h.callOf("m-2", "r-1", `{"to":"b"}`))); b.Code != 409 || b.Reason != "conflict" || b.Field != "payload.request_id" {
			t.Errorf("%+v", b)
		}
		h.restart()
	}
	other := strings.Replace(h.callOf("m-1", "r-1", `{"to":"b"}`), `"planner"`, `"writer"`, 1)
	if _, p := h.result(h.send("POST", h.url, writerToken, other)); p.Text != "mailed 2" {
		t.Errorf("%+v", p)
	}
}

// TestCallFails: a failure is the result, and only a tool that reads runs again.
func TestCallFails(t *testing.T) {
	for effect, runs := range map[envelope.Effect]int32{envelope.Once: 1, envelope.Idempotent: 1, envelope.Pure: 2} {
		h := newHouse(t, func(h *house) { h.effect = effect })
		h.tool = func(context.Context, envelope.ToolCall, envelope.Decision) (string, error) {
			return "", errors.New("no paper")
		}
		for range 2 {
			if _, p := h.result(h.post(h.callOf("m-1", "r-1", `{}`))); p.OK || p.Error != "no paper" {
				t.Errorf("%q: %+v", effect, p)
			}
		}
		if n := h.ran.Load(); n != runs {
			t.Errorf("%q ran %d times, want %d", effect, n, runs)
		}
	}
}

// TestCallForbidden: what is refused before it begins leaves nothing behind, and may
// come again.
func TestCallForbidden(t *testing.T) {
	h := newHouse(t, nil)
	b := h.refusal(h.post(h.callOf("m-1", "r-1", `{"to":"forbidden"}`)))
	if b.Code != 403 || b.Who != "tool" || b.Retryable || !strings.Contains(b.Message, "denied by a rule") || h.ran.Load() != 0 {
		t.Errorf("%+v", b)
	}
	if _, p := h.result(h.post(h.callOf("m-1", "r-1", `{"to":"a"}`))); !p.OK {
		t.Errorf("%+v", p)
	}
}

// TestCallTicket: a call that takes long outlives its request, and its result is
// there for who comes back.
func TestCallTicket(t *testing.T) {
	h := newHouse(t, nil)
	h.tool = func(ctx context.Context, _ envelope.ToolCall, _ envelope.Decision) (string, error) {
		h.pass(ctx)
		return "mailed", ctx.Err()
	}
	w := h.pending(h.post(h.callOf("m-1", "r-1", `{}`), "Prefer", "wait=0"))
	h.pending(h.send("GET", h.at(w.Location), plannerToken, "", "Prefer", "wait=0"))
	if b := h.refusal(h.send("DELETE", h.at(w.Location), plannerToken, "")); b.Code != 409 {
		t.Errorf("%+v", b)
	}
	done := make(chan reply)
	go func() { done <- h.send("GET", h.at(w.Location), plannerToken, "") }()
	close(h.gate)
	if _, p := h.result(<-done); p.Text != "mailed" || p.RequestID != "r-1" {
		t.Errorf("%+v", p)
	}
	if r := h.send("GET", h.at(w.Location), writerToken, ""); r.status != http.StatusNotFound {
		t.Errorf("another user: %d", r.status)
	}
}

// TestCallCut: of a call that the end of the server cuts short nobody knows; it
// runs again, with its request id, if that does no harm.
func TestCallCut(t *testing.T) {
	for _, effect := range []envelope.Effect{envelope.Once, envelope.Idempotent, envelope.Pure} {
		t.Run(string(effect), func(t *testing.T) {
			h := newHouse(t, func(h *house) { h.effect = effect })
			var seen []string
			h.tool = func(ctx context.Context, _ envelope.ToolCall, d envelope.Decision) (string, error) {
				seen = append(seen, fmt.Sprint(d.RequestID, d.Again))
				if len(seen) == 1 {
					<-ctx.Done()
					return "", ctx.Err()
				}
				return "mailed", nil
			}
			done := make(chan reply)
			go func() { done <- h.post(h.callOf("m-1", "r-1", `{}`)) }()
			for h.ran.Load() == 0 {
				<-time.After(time.Millisecond)
			}
			h.restart()
			if b := h.refusal(<-done); b.Code != 503 || !b.Retryable {
				t.Errorf("while the server stops: %+v", b)
			}
			_, p := h.result(h.post(h.callOf("m-1", "r-1", `{}`)))
			if effect == envelope.Once {
				if p.OK || !strings.Contains(p.Error, "Nobody knows") || len(seen) != 1 {
					t.Errorf("%+v after %q", p, seen)
				}
				return
			}
			if !p.OK || p.Text != "mailed" || len(seen) != 2 || seen[1] != "planner/r-1true" {
				t.Errorf("%+v after %q", p, seen)
			}
		})
	}
}

// TestCut: who cannot wait for the calls to end cuts them short.
func TestCut(t *testing.T) {
	h := newHouse(t, func(h *house) { h.grace = time.Hour })
	h.tool = func(ctx context.Context, _ envelope.ToolCall, _ envelope.Decision) (string, error) {
		h.pass(ctx)
		return "", ctx.Err()
	}
	h.pending(h.post(h.callOf("m-1", "r-1", `{}`), "Prefer", "wait=0"))
	time.AfterFunc(50*time.Millisecond, h.calls.Cut)
	h.halt()
	h.begin()
	if _, p := h.result(h.post(h.callOf("m-1", "r-1", `{}`))); p.OK || !strings.Contains(p.Error, "Nobody knows") {
		t.Errorf("%+v", p)
	}
}

// TestEarlyCall: a call that comes before the server is ready waits.
func TestEarlyCall(t *testing.T) {
	h := newHouse(t, func(h *house) { h.late = make(chan struct{}) })
	if b := h.refusal(h.post(h.callOf("m-1", "r-1", `{}`), "Prefer", "wait=0")); b.Code != 503 || !b.Retryable {
		t.Errorf("a call that is not taken: %+v", b)
	}
	done := make(chan reply)
	go func() { done <- h.post(h.callOf("m-1", "r-1", `{}`)) }()
	close(h.late)
	if _, p := h.result(<-done); !p.OK || h.ran.Load() != 1 {
		t.Errorf("%+v after %d runs", p, h.ran.Load())
	}
}

// TestNoTools: a door without calls has no tool.
func TestNoTools(t *testing.T) {
	h := newHouse(t, func(h *house) { h.change = func(o *envelope.DoorOptions) { o.Calls = nil } })
	if b := h.refusal(h.post(h.callOf("m-1", "r-1", `{}`))); b.Code != 403 || b.Reason != "unlisted_tool" {
		t.Errorf("%+v", b)
	}
}

// TestManyCalls: no more calls run at once than may, and those that wait for a
// running one do not count.
func TestManyCalls(t *testing.T) {
	h := newHouse(t, nil)
	h.tool = func(ctx context.Context, _ envelope.ToolCall, _ envelope.Decision) (string, error) {
		h.pass(ctx)
		return "mailed", nil
	}
	for i := range 16 {
		h.pending(h.post(h.callOf("m", fmt.Sprint("r-", i), `{}`), "Prefer", "wait=0"))
	}
	if b := h.refusal(h.post(h.callOf("m", "r-16", `{}`))); b.Code != 503 || !b.Retryable || b.Who != "server" {
		t.Errorf("%+v", b)
	}
	h.pending(h.post(h.callOf("m", "r-1", `{}`), "Prefer", "wait=0"))
	close(h.gate)
	for i := range 16 {
		h.result(h.post(h.callOf("m", fmt.Sprint("r-", i), `{}`)))
	}
	h.result(h.post(h.callOf("m", "r-16", `{}`)))
}
