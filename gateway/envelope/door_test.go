package envelope_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/envelope"
)

// TestTask: a task is done once, however often it is sent, also after a restart,
// and each time the same result comes back.
func TestTask(t *testing.T) {
	h := newHouse(t, nil)
	body := h.taskTo("m-1", "collect", nil)
	first := h.post(body)
	e, p := h.result(first)
	want := said{OK: true, RequestID: "m-1", Text: "did: collect"}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
	if e.Sender != "executor" || e.Receiver != "planner" || e.Type != envelope.Result {
		t.Errorf("result %+v", e)
	}
	again := h.post(body)
	h.restart()
	if later := h.post(body); again.body != first.body || later.body != first.body {
		t.Errorf("results\n%s%s%s", first.body, again.body, later.body)
	}
	if got := h.heard("env/planner/m-1"); len(got) != 1 {
		t.Errorf("the team heard %q", got)
	}
}

// TestConversations: the metadata or the task id says where a message belongs.
func TestConversations(t *testing.T) {
	h := newHouse(t, nil)
	for i, tt := range []struct {
		more    map[string]string
		session string
	}{
		{map[string]string{"metadata": `{"session":"q3"}`}, "q3"},
		{map[string]string{"metadata": `{"session":"q3"}`, "payload": `{"task_id":"t-1","detail":"two"}`}, "q3"},
		{map[string]string{"payload": `{"task_id":"t-1","detail":"three"}`}, "env/planner/t-1"},
		{map[string]string{"payload": `{"task_id":"t-1","detail":"four","n":1}`}, "env/planner/t-1"},
		{map[string]string{"session": `"q3"`}, "q3"}, // moved to the metadata
		{map[string]string{"payload": `{"task_id":"` + strings.Repeat("x", 300) + `"}`}, ""},
		{map[string]string{"payload": `{"task_id":"a\u0000b"}`}, ""},
	} {
		e, p := h.result(h.post(h.taskTo("m-"+string(rune('a'+i)), "one", tt.more)))
		if !p.OK || tt.session != "" && string(e.Metadata["session"]) != `"`+tt.session+`"` {
			t.Errorf("message %d: %+v, %s", i, p, e.Metadata["session"])
		}
	}
	if got, want := h.heard("q3"), []string{"one", "two", "one"}; !cmp.Equal(got, want) {
		t.Errorf("q3 heard %q, want %q", got, want)
	}
	if got, want := h.heard("env/planner/t-1"), []string{"three", `{"task_id":"t-1","detail":"four","n":1}`}; !cmp.Equal(got, want) {
		t.Errorf("t-1 heard %q, want %q", got, want)
	}
}

// TestTicket: what takes long is answered with a ticket, and the result is there
// for who comes back; for nobody else.
func TestTicket(t *testing.T) {
	h := newHouse(t, nil)
	body := h.taskTo("m-1", "hold", nil)
	w := h.pending(h.post(body, "Prefer", "respond-async"))
	if w.Status != "working" || w.Session != "env/planner/m-1" {
		t.Errorf("%+v", w)
	}
	if again := h.pending(h.post(body, "Prefer", "respond-async, wait=0")); again != w {
		t.Errorf("the second ticket is %+v, the first %+v", again, w)
	}
	h.pending(h.send(http.MethodGet, h.at(w.Location), plannerToken, "", "Prefer", "wait=0"))
	done := make(chan reply)
	go func() { done <- h.send(http.MethodGet, h.at(w.Location), plannerToken, "") }()
	close(h.gate)
	first := <-done
	if _, p := h.result(first); p.Text != "held" || p.RequestID != "m-1" {
		t.Errorf("%+v", p)
	}
	if again := h.post(body); again.body != first.body {
		t.Errorf("sent again: %s", again.body)
	}
	for name, r := range map[string]reply{
		"another user":   h.send(http.MethodGet, h.at(w.Location), writerToken, ""),
		"no ticket":      h.send(http.MethodGet, h.url+"/xyz", plannerToken, ""),
		"a forged one":   h.send(http.MethodGet, h.url+"/e30", plannerToken, ""),
		"no stop either": h.send(http.MethodDelete, h.at(w.Location), writerToken, ""),
	} {
		if r.status != http.StatusNotFound {
			t.Errorf("%s: status %d: %s", name, r.status, r.body)
		}
	}
}

// TestQuestion: a team that asks its person waits, and a message may answer.
func TestQuestion(t *testing.T) {
	h := newHouse(t, nil)
	w := h.pending(h.post(h.taskTo("m-1", "ask", nil)))
	if w.Status != "waiting" || w.WaitsFor.Text != "Which quarter?" || w.WaitsFor.ID == "" {
		t.Fatalf("%+v", w)
	}
	meta := map[string]string{"metadata": `{"session":"` + w.Session + `","question":"` + w.WaitsFor.ID + `"}`}
	replies := make([]reply, 8)
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() { replies[i] = h.post(h.taskTo("m-2", "the third", meta)) })
	}
	all.Wait()
	first := replies[0]
	for _, r := range replies {
		if r.body != first.body {
			t.Errorf("copies of the answer get %s and %s", r.body, first.body)
		}
	}
	_, p := h.result(first)
	if !p.OK || p.RequestID != "m-2" || !strings.Contains(p.Text, "the third") {
		t.Errorf("%+v", p)
	}
	if again := h.post(h.taskTo("m-2", "the third", meta)); again.body != first.body {
		t.Errorf("the answer sent again: %s", again.body)
	}
	if r := h.post(h.taskTo("m-3", "the fourth", meta)); r.status != http.StatusConflict || !strings.Contains(r.body, `"field":"metadata.question"`) {
		t.Errorf("another answer: %d %s", r.status, r.body)
	}
	if _, p := h.result(h.send(http.MethodGet, h.at(w.Location), plannerToken, "")); p.RequestID != "m-1" || !strings.Contains(p.Text, "the third") {
		t.Errorf("the task itself: %+v", p)
	}
}

// TestOddAnswers: an answer is known again whatever it says, also where the log hides
// a part of it.
func TestOddAnswers(t *testing.T) {
	h := newHouse(t, nil)
	for i, text := range []string{
		"the key is sk-abcdefGHIJKL1234567890mnopqr", "https://me:pw12345678@host/x?token=abcdef1234", " blanks \n", "A\x00B", "\ufeff", "\u202e", "[masked]", "<b>&amp;",
	} {
		n := string(rune('a' + i))
		w := h.pending(h.post(h.taskTo("m-"+n, "ask", nil)))
		meta := map[string]string{"metadata": `{"session":"` + w.Session + `","question":"` + w.WaitsFor.ID + `"}`}
		answer := h.taskTo("n-"+n, text, meta)
		first := h.post(answer, "Prefer", "wait=10")
		if _, p := h.result(first); !p.OK {
			t.Errorf("%q: %+v", text, p)
		}
		if again := h.post(answer); again.body != first.body {
			t.Errorf("%q sent again: %d %s", text, again.status, again.body)
		}
		if r := h.post(h.taskTo("o-"+n, text+" or not", meta)); r.status != http.StatusConflict {
			t.Errorf("%q, and then another answer: %d %s", text, r.status, r.body)
		}
	}
}

// TestAgent: a message to an agent at work goes to it, and what it says is the
// result; where it does not work the leader is told for whom it is.
func TestAgent(t *testing.T) {
	h := newHouse(t, nil)
	for i, receiver := range []string{"fetch", "Data Fetcher_1", "fet_1"} {
		in := map[string]string{"metadata": `{"session":"s` + receiver + `"}`}
		to := map[string]string{"metadata": in["metadata"], "receiver": `"` + receiver + `"`}
		n := string(rune('a' + i))
		_, p := h.result(h.post(h.taskTo("m-"+n, "first", to)))
		if p.Text != "did: This message is from another program and meant for "+receiver+", who is not at work now.\nfirst" {
			t.Errorf("%s at rest: %+v", receiver, p)
		}
		h.gate = make(chan struct{})
		h.pending(h.post(h.taskTo("n-"+n, "hire hold", in), "Prefer", "respond-async"))
		h.until("s"+receiver, func(rec event.Record) bool { return rec.Agent == "fet_1" && rec.Type() == event.TypeModelRequested })
		h.pending(h.post(h.taskTo("o-"+n, "and the fourth", to), "Prefer", "respond-async"))
		close(h.gate)
		e, p := h.result(h.post(h.taskTo("o-"+n, "and the fourth", to)))
		if p.Text != "fetched: and the fourth" || e.Sender != receiver {
			t.Errorf("%s at work: %+v from %s", receiver, p, e.Sender)
		}
		h.result(h.post(h.taskTo("n-"+n, "hire hold", in))) // when the team rests
		if _, p := h.result(h.post(h.taskTo("p-"+n, "last", to))); !strings.HasSuffix(p.Text, "who is not at work now.\nlast") {
			t.Errorf("%s at rest again: %+v", receiver, p)
		}
	}
	h.gate = make(chan struct{})
	in := map[string]string{"metadata": `{"session":"sfet_1"}`}
	to := map[string]string{"metadata": in["metadata"], "receiver": `"fet_1"`}
	h.pending(h.post(h.taskTo("m-y", "fire", in), "Prefer", "wait=0"))
	h.until("sfet_1", func(rec event.Record) bool { d, ok := rec.Data.(event.AgentState); return ok && d.To == event.Finished })
	h.pending(h.post(h.taskTo("m-z", "to nobody any more", to), "Prefer", "wait=0"))
	close(h.gate)
	h.result(h.post(h.taskTo("m-z", "to nobody any more", to)))
	if r := h.post(h.taskTo("m-x", "x", map[string]string{"receiver": `"nobody_1"`})); r.status != http.StatusNotFound {
		t.Errorf("to nobody: %d %s", r.status, r.body)
	}
}

// until waits for a record of a session.
func (h *house) until(name string, wanted func(event.Record) bool) {
	h.Helper()
	handle, _, err := h.manager.Open(h.Context(), "planner", name)
	h.must(err)
	ctx, cancel := context.WithTimeout(h.Context(), 20*time.Second)
	defer cancel()
	for rec, err := range h.manager.Follow(ctx, handle, 0) {
		h.must(err)
		if wanted(rec) {
			return
		}
	}
}

// TestServerStops: who waits when the server stops gets a ticket, and the work goes on
// with the server.
func TestServerStops(t *testing.T) {
	h := newHouse(t, nil)
	w := h.pending(h.post(h.taskTo("m-1", "hold", nil), "Prefer", "wait=0"))
	done := make(chan reply)
	go func() { done <- h.send(http.MethodGet, h.at(w.Location), plannerToken, "") }()
	h.until(w.Session, func(rec event.Record) bool { return rec.Type() == event.TypeModelRequested })
	h.restart()
	h.pending(<-done)
	h.pending(h.send(http.MethodGet, h.at(w.Location), plannerToken, "", "Prefer", "wait=0"))
	close(h.gate)
	if _, p := h.result(h.send(http.MethodGet, h.at(w.Location), plannerToken, "")); p.Text != "held" {
		t.Errorf("%+v", p)
	}
}

// TestAnyone: where there are no tokens, a sender is who it says, and the ids of one are
// not those of another.
func TestAnyone(t *testing.T) {
	h := newHouse(t, func(h *house) {
		h.change = func(o *envelope.DoorOptions) {
			auth, err := gateway.NewAuth(gateway.AuthOptions{Anyone: "local"})
			h.must(err)
			o.Auth = auth
		}
	})
	for sender, text := range map[string]string{"planner": "one", "writer": "two"} {
		e, p := h.result(h.send("POST", h.url, "", h.taskTo("m-1", text, map[string]string{"sender": `"` + sender + `"`})))
		if e.Receiver != sender || p.Text != "did: "+text {
			t.Errorf("%s: %+v %+v", sender, e, p)
		}
	}
	e, _ := h.result(h.send("POST", h.url, "", `{"proto":"2.0","sender":"writer","msg_id":"m-2"}`))
	if e.Receiver != "writer" {
		t.Errorf("%+v", e)
	}
	r := h.send("POST", h.url+"?dialect=to-content", "", `{"to":"executor","content":"three"}`)
	if r.status != 200 || !strings.Contains(r.body, `"to":"local"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := h.send("GET", h.url, "", ""); strings.Contains(r.body, `"you"`) {
		t.Errorf("%s", r.body)
	}
	w := h.pending(h.send("POST", h.url, "", h.taskTo("m-3", "hold", nil), "Prefer", "wait=0"))
	close(h.gate)
	h.result(h.send("GET", h.at(w.Location), "", ""))
}

// TestFailure: a run that fails is a result that says so, and why.
func TestFailure(t *testing.T) {
	h := newHouse(t, nil)
	_, p := h.result(h.post(h.taskTo("m-1", "fail", nil)))
	if p.OK || p.Error == "" || p.Text != "" || p.Code == "" {
		t.Errorf("%+v", p)
	}
}

// TestStop: who has the ticket can stop the work.
func TestStop(t *testing.T) {
	h := newHouse(t, nil)
	w := h.pending(h.post(h.taskTo("m-1", "hold", nil), "Prefer", "wait=0"))
	for range 2 {
		if r := h.send(http.MethodDelete, h.at(w.Location), plannerToken, ""); r.status != http.StatusNoContent {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	if _, p := h.result(h.send(http.MethodGet, h.at(w.Location), plannerToken, "")); p.OK || p.Code != "stopped" {
		t.Errorf("%+v", p)
	}
}

// TestOldMessage: a message that was long under way is marked.
func TestOldMessage(t *testing.T) {
	h := newHouse(t, nil)
	_, p := h.result(h.post(h.taskTo("m-1", "collect", map[string]string{"ts": "1000000000"})))
	if !strings.HasPrefix(p.Text, "did: This message was sent at 2001-09-09 01:46 UTC and arrived ") || !strings.HasSuffix(p.Text, "\ncollect") {
		t.Errorf("%q", p.Text)
	}
}

// TestUnknownVersion: a message of a version that is not known reaches the team as
// text, below one line, with a warning in the log, once.
func TestUnknownVersion(t *testing.T) {
	h := newHouse(t, nil)
	body := `{"msg_id":"m-1","sender":"planner","receiver":"executor","proto":"3.0","kind":"order","what":"collect"}`
	_, p := h.result(h.post(body))
	line, rest, _ := strings.Cut(strings.TrimPrefix(p.Text, "did: "), "\n")
	if !p.OK || p.RequestID != "m-1" || rest != body || !strings.Contains(line, `version "3.0"`) {
		t.Errorf("%+v", p)
	}
	h.result(h.post(body))
	if got := h.heard("env/planner/m-1"); len(got) != 1 {
		t.Errorf("the team heard %q", got)
	}
	warnings := 0
	for _, rec := range h.records("env/planner/m-1") {
		if d, ok := rec.Data.(event.Warning); ok && d.Code == "unknown_proto" {
			warnings++
			if !strings.Contains(d.Text, `proto is no known version: "3.0"`) {
				t.Errorf("warning %q", d.Text)
			}
		}
	}
	if warnings != 1 {
		t.Errorf("%d warnings", warnings)
	}
	if got := strings.Count(h.log.String(), "an envelope of an unknown version is handed over as text"); got != 2 {
		t.Errorf("%d lines in\n%s", got, h.log)
	}
	for _, odd := range []string{`{"proto":2}`, `{"proto":"2.0","receiver":"*","sender":"mallory","msg_id":7}`, `{"proto":"","receiver":"nobody","metadata":{"session":"q3"}}`} {
		if e, p := h.result(h.post(odd)); e.Receiver != "planner" || !p.OK || !strings.HasSuffix(p.Text, "\n"+odd) || !strings.HasPrefix(p.RequestID, "text-") {
			t.Errorf("%s: %+v", odd, p)
		}
	}
	if got := h.heard("q3"); len(got) != 1 {
		t.Errorf("q3 heard %q", got)
	}
	h.pending(h.post(h.taskTo("m-2", "hire hold", map[string]string{"metadata": `{"session":"q4"}`}), "Prefer", "wait=0"))
	h.until("q4", func(rec event.Record) bool { return rec.Agent == "fet_1" && rec.Type() == event.TypeModelRequested })
	toAgent := `{"proto":"3.0","receiver":"fet_1","metadata":{"session":"q4"}}`
	h.pending(h.post(toAgent, "Prefer", "wait=0"))
	close(h.gate)
	if e, p := h.result(h.post(toAgent)); e.Sender != "fet_1" || !strings.HasPrefix(p.Text, "fetched: What follows") || !strings.HasSuffix(p.Text, "\n"+toAgent) {
		t.Errorf("an agent at work: %+v from %s", p, e.Sender)
	}
}
