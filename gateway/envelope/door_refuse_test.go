package envelope_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/envelope"
)

// refusal is the body of a refusal.
type refusal struct {
	Code         int    `json:"code"`
	Who          string `json:"who"`
	Retryable    bool   `json:"retryable"`
	RetryAfterMS int    `json:"retry_after_ms"`
	Message      string `json:"message"`
	Hint         string `json:"hint"`
	Reason       string `json:"reason"`
	Field        string `json:"field"`
}

// refusal is what a request was refused with.
func (h *house) refusal(r reply) (b refusal) {
	h.Helper()
	if err := json.Unmarshal([]byte(r.body), &b); err != nil || b.Code != r.status || b.Who == "" || b.Message == "" || r.header.Get("Content-Type") != "application/json" {
		h.Errorf("status %d: %s: %v", r.status, r.body, err)
	}
	return b
}

// TestRefusals: each has a status, a reason, a field and a hint, and one line in
// the log that tells what arrived without what is in it.
func TestRefusals(t *testing.T) {
	h := newHouse(t, func(h *house) { h.change = func(o *envelope.DoorOptions) { o.MaxBytes = 2000 } })
	with := func(more map[string]string) string { return h.taskTo("m-1", "s3cret", more) }
	for _, tt := range []struct {
		name, body    string
		status        int
		reason, field string
	}{
		{"not JSON", `{"msg_id":`, 400, "bad_json", "msg_id"},
		{"nothing", ``, 400, "bad_json", ""},
		{"not UTF-8", "{\"msg_id\":\"\xff\"}", 400, "invalid_utf8", ""},
		{"nested too deep", `{"a":` + strings.Repeat("[", 70) + `}`, 400, "too_deep", "a[0][0][0][0][0][0][0]…"},
		{"twice", `{"msg_id":"a","msg_id":"b"}`, 400, "duplicate_key", "msg_id"},
		{"missing", `{"to":"executor"}`, 400, "missing_field", "msg_id"},
		{"everybody", with(map[string]string{"receiver": `"*"`}), 400, "broadcast", "receiver"},
		{"itself", with(map[string]string{"receiver": `"planner"`}), 400, "self_addressed", "receiver"},
		{"unknown receiver", with(map[string]string{"receiver": `"cook"`}), 404, "unknown_receiver", "receiver"},
		{"another sender", with(map[string]string{"sender": `"writer"`}), 403, "wrong_sender", "sender"},
		{"unknown type", with(map[string]string{"type": `"order"`}), 400, "bad_type", "type"},
		{"empty text", with(map[string]string{"payload": `" "`}), 400, "bad_field", "payload"},
		{"long id", with(map[string]string{"msg_id": `"` + strings.Repeat("x", 257) + `"`}), 400, "bad_field", "msg_id"},
		{"session", with(map[string]string{"metadata": `{"session":7}`}), 400, "bad_field", "metadata.session"},
		{"question", with(map[string]string{"metadata": `{"question":""}`}), 400, "bad_field", "metadata.question"},
		{"a result", with(map[string]string{"type": `"result"`}), 404, "unknown_request", "payload.request_id"},
		{"a result for nothing", with(map[string]string{"type": `"result"`, "payload": `{"request_id":"r-1"}`}), 404, "unknown_request", "payload.request_id"},
		{"unlisted tool", with(map[string]string{"type": `"tool_call"`, "payload": `{"name":"rm","params":{},"request_id":"r-1"}`}), 403, "unlisted_tool", "payload.name"},
		{"a call for nobody", with(map[string]string{"receiver": `"cook"`, "type": `"tool_call"`, "payload": `{"name":"mail","params":{},"request_id":"r-1"}`}), 404, "unknown_receiver", "receiver"},
		{"a call with a long id", with(map[string]string{"type": `"tool_call"`, "payload": `{"name":"mail","params":{},"request_id":"` + strings.Repeat("r", 300) + `"}`}), 400, "bad_field", "payload.request_id"},
		{"too large", with(map[string]string{"x": `"` + strings.Repeat("x", 2000) + `"`}), 413, "too_large", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := len(h.log.String())
			b := h.refusal(h.post(tt.body))
			if b.Code != tt.status || b.Reason != tt.reason || b.Field != tt.field || b.Hint == "" || b.Retryable || b.Who != "client" {
				t.Errorf("%+v", b)
			}
			line := h.log.String()[before:]
			if strings.Count(line, "\n") != 1 || !strings.Contains(line, "an envelope is refused") || strings.Contains(line, "s3cret") || tt.field != "" && !strings.Contains(line, tt.field) {
				t.Errorf("the log says %s", line)
			}
		})
	}
	if runs, _ := filepath.Glob(filepath.Join(h.dir, "s-*")); len(runs) != 0 || h.ran.Load() != 0 {
		t.Errorf("what was refused ran: %q, %d", runs, h.ran.Load())
	}
}

// TestConflict: an id that stands for something else is refused.
func TestConflict(t *testing.T) {
	h := newHouse(t, nil)
	h.result(h.post(h.taskTo("m-1", "one", nil)))
	if b := h.refusal(h.post(h.taskTo("m-1", "two", nil))); b.Code != 409 || b.Field != "msg_id" || b.Reason != "conflict" {
		t.Errorf("%+v", b)
	}
	if _, p := h.result(h.send(http.MethodPost, h.url, writerToken, h.taskTo("m-1", "two", map[string]string{"sender": `"writer"`}))); p.Text != "did: two" {
		t.Errorf("another sender: %+v", p)
	}
}

// TestConflictAtOnce sends different messages with one id at the same time: one of
// them is taken.
func TestConflictAtOnce(t *testing.T) {
	h := newHouse(t, nil)
	for round := range 5 {
		id := fmt.Sprintf("m-%d", round)
		var all sync.WaitGroup
		replies := make([]reply, 6)
		for i := range replies {
			all.Go(func() { replies[i] = h.post(h.taskTo(id, fmt.Sprintf("do %d", i), nil)) })
		}
		all.Wait()
		taken := 0
		for _, r := range replies {
			if r.status == http.StatusOK {
				taken++
			} else if b := h.refusal(r); b.Reason != string(envelope.Conflict) {
				t.Errorf("%+v", b)
			}
		}
		if taken != 1 {
			t.Errorf("of 6 messages called %s %d are taken", id, taken)
		}
	}
}

// TestRequests are requests that are wrong as such.
func TestRequests(t *testing.T) {
	h := newHouse(t, nil)
	good := h.taskTo("m-1", "collect", nil)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, good)
	_ = z.Close()
	for _, tt := range []struct {
		name   string
		r      reply
		status int
		hint   string
	}{
		{"no token", h.send("POST", h.url, "", good), 401, "Authorization"},
		{"a bad token", h.send("POST", h.url, "x"+plannerToken, good), 401, ""},
		{"another scheme", h.send("POST", h.url, "", good, "Authorization", "Basic "+plannerToken), 401, ""},
		{"a page", h.post(good, "Origin", "https://evil.example"), 403, "origin"},
		{"delete all", h.send("DELETE", h.url, plannerToken, ""), 405, "POST, GET"},
		{"head", h.send("PUT", h.url, plannerToken, good), 405, "POST"},
		{"write to a run", h.send("POST", h.url+"/x", plannerToken, good), 405, "GET, DELETE"},
		{"deeper", h.send("GET", h.url+"/x/y", plannerToken, ""), 404, ""},
		{"zipped", h.post(zipped.String(), "Content-Encoding", "gzip"), 415, "Content-Encoding"},
		{"latin", h.post(good, "Content-Type", "application/json; charset=latin-1"), 415, "UTF-8"},
		{"no dialect", h.send("POST", h.url+"?dialect=telegraph", plannerToken, good), 400, "to-content"},
	} {
		b := h.refusal(tt.r)
		if b.Code != tt.status || !strings.Contains(b.Hint, tt.hint) {
			t.Errorf("%s: %+v", tt.name, b)
		}
	}
	if r := h.send("POST", h.url, "", good); r.header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("header %v", r.header)
	}
	if r := h.send("PATCH", h.url, plannerToken, ""); r.header.Get("Allow") != "POST, GET" {
		t.Errorf("header %v", r.header)
	}
	about := `{"proto":"1.0","you":"planner","team":"executor","agents":["fetch"],"tools":["mail"],"dialects":["envelope","target-task","to-content"],"max_bytes":1048576}` + "\n"
	if r := h.send("GET", h.url, plannerToken, ""); r.status != 200 || r.body != about {
		t.Errorf("what is behind the door: %d %s", r.status, r.body)
	}
	for _, header := range [][]string{{"Content-Type", "application/json; charset=UTF-8"}, {"Content-Type", "text/plain"}, {"Content-Encoding", "identity"}, {"Prefer", "wait=x, respond-async=7"}} {
		if r := h.post(good, header...); r.status != 200 && r.status != 202 {
			t.Errorf("%q: %d %s", header, r.status, r.body)
		}
	}
	h.halt() // repeated refusals are told then
	audit, err := os.ReadFile(filepath.Join(h.dir, "audit.jsonl"))
	h.must(err)
	refused := 0
	for line := range strings.Lines(string(audit)) {
		var e gateway.AuditEntry
		h.must(json.Unmarshal([]byte(line), &e))
		if e.Event == gateway.AuditAuth && !e.OK {
			refused += max(e.Count, 1)
		}
	}
	if refused != 5 {
		t.Errorf("%d refusals in the audit:\n%s", refused, audit)
	}
	if strings.Contains(string(audit)+h.log.String(), plannerToken) {
		t.Error("a token stands in a log")
	}
}

// TestDoorLimits: messages and connections are bounded as on the sockets.
func TestDoorLimits(t *testing.T) {
	h := newHouse(t, func(h *house) {
		h.change = func(o *envelope.DoorOptions) {
			o.Limits = gateway.NewLimits(gateway.LimitOptions{Messages: 0.001, MessageBurst: 3, ConnectionsPerUser: 1})
		}
	})
	w := h.pending(h.post(h.taskTo("m-1", "hold", nil), "Prefer", "wait=0"))
	h.pending(h.post(h.taskTo("m-1", "hold", nil), "Prefer", "wait=0"))
	h.pending(h.send("GET", h.at(w.Location), plannerToken, "", "Prefer", "wait=0"))
	for _, method := range []string{"GET", "DELETE"} {
		r := h.send(method, h.at(w.Location), plannerToken, "")
		if b := h.refusal(r); b.Code != 429 || b.Who != "limit" || !b.Retryable || b.RetryAfterMS == 0 || r.header.Get("Retry-After") == "" {
			t.Errorf("%s: %+v, header %v", method, b, r.header)
		}
	}
	h.result(h.send("POST", h.url, writerToken, h.taskTo("m-1", "collect", map[string]string{"sender": `"writer"`})))

	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(h.url, "http://"), "/envelope"))
	h.must(err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /envelope HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+plannerToken+"\r\nContent-Length: 9\r\n\r\n{")
	h.must(err)
	for deadline := time.Now().Add(20 * time.Second); ; {
		if b := h.refusal(h.send("POST", h.url, plannerToken, "")); strings.Contains(b.Message, "connections") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a second connection is let in")
		}
	}
}

// TestBodies: a message that comes slowly, in pieces, or not to its end.
func TestBodies(t *testing.T) {
	h := newHouse(t, func(h *house) { h.change = func(o *envelope.DoorOptions) { o.BodyTimeout = 200 * time.Millisecond } })
	good := h.taskTo("m-1", "collect", nil)
	address := strings.TrimSuffix(strings.TrimPrefix(h.url, "http://"), "/envelope")
	head := "POST /envelope HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + plannerToken + "\r\n"
	for _, tt := range []struct {
		name, text, want string
		stays            bool // the connection, with nothing more on it
	}{
		{"whole", fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(good), good), "HTTP/1.1 200", true},
		{"in chunks", fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n5\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", head, good[:5], len(good)-5, good[5:]), "HTTP/1.1 200", true},
		{"slow", fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(good), good[:9]), "HTTP/1.1 408", true},
		{"cut", fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(good), good[:9]), "HTTP/1.1 400", false},
		{"bad chunks", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 400", true},
	} {
		conn, err := net.Dial("tcp", address)
		h.must(err)
		_, err = io.WriteString(conn, tt.text)
		h.must(err)
		if !tt.stays {
			h.must(conn.(*net.TCPConn).CloseWrite())
		}
		h.must(conn.SetReadDeadline(time.Now().Add(20 * time.Second)))
		got := make([]byte, 12)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v, want %s", tt.name, got, err, tt.want)
		}
		h.must(conn.Close())
	}
}
