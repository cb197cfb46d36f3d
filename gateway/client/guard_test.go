package client_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// fresh is a peer that is connected and has not said hello.
func (r *rig) fresh(path string) *peer {
	r.Helper()
	p := &peer{rig: r, parts: map[string][]string{}}
	p.dialIn(path)
	return p
}

// isRefused reports whether the audit has a refusal with these words.
func (r *rig) isRefused(about gateway.AuditEvent, words string) bool {
	r.Helper()
	return slices.ContainsFunc(r.audited(), func(e gateway.AuditEntry) bool {
		return e.Event == about && !e.OK && strings.Contains(e.Detail, words) && e.Protocol == "client" && e.TraceID != "" && e.Remote != ""
	})
}

// The token comes in the hello, in a header or as a subprotocol; without one, or
// with a bad one, nobody comes in.
func TestWhoMayComeIn(t *testing.T) {
	r := newRig(t, nil)
	hello := `{"type":"hello"}`
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	for name, open := range map[string]func() (*websocket.Conn, int, error){
		"a header":      func() (*websocket.Conn, int, error) { return r.connect("/client", bearer(annToken)) },
		"a subprotocol": func() (*websocket.Conn, int, error) { return r.connect("/client", nil, "bearer", annToken) },
	} {
		ws, _, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := &peer{rig: r, ws: ws, parts: map[string][]string{}}
		p.write(hello)
		if m := p.next(); m.Body.Type() != client.TypeHelloAck {
			t.Errorf("%s: %+v", name, m)
		}
		p.drop()
	}
	for name, try := range map[string]func() (*websocket.Conn, int, error){
		"a bad header": func() (*websocket.Conn, int, error) {
			return r.connect("/client", bearer("wrong-token-0123456"))
		},
		"a bad subprotocol": func() (*websocket.Conn, int, error) { return r.connect("/client", nil, "bearer", "wrong") },
	} {
		if _, status, err := try(); err == nil || status != http.StatusUnauthorized {
			t.Errorf("%s: %d, %v", name, status, err)
		}
	}
	for _, text := range []string{hello, `{"type":"hello","token":"wrong-token-0123456"}`} {
		p := r.fresh("/client")
		p.write(text)
		m := p.next()
		if e, _ := m.Body.(client.Response); e.Error == nil || e.Error.Code != gateway.StatusUnauthorized {
			t.Errorf("%s was answered by %+v", text, m)
		}
		if code := p.closedWith(); code != 4401 {
			t.Errorf("%s: closed with %d, want 4401", text, code)
		}
	}
	if !r.isRefused(gateway.AuditAuth, "not known") || !r.isRefused(gateway.AuditAuth, "no token") {
		t.Errorf("the audit does not say who was refused: %+v", r.audited())
	}
	r.noSecrets()
}

// A page of another origin does not come in.
func TestOrigins(t *testing.T) {
	r := newRig(t, nil)
	_, status, err := r.connect("/client", http.Header{"Origin": {"https://evil.example"}})
	if err == nil || status != http.StatusForbidden {
		t.Errorf("a page of another origin: %d, %v", status, err)
	}
	if !r.isRefused(gateway.AuditAuth, "evil.example") {
		t.Error("the audit does not say so")
	}
	ws, _, err := r.connect("/client", http.Header{"Origin": {r.url}})
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.CloseNow()
}

// A session is that of its user: for another one it is not there.
func TestSessionOfAnother(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	p.says("say secret")
	q := r.fresh("/client/" + p.session)
	q.send(client.Message{SessionID: p.session, Body: client.Hello{Token: bobToken}})
	if m := q.next(); m.Body.Type() != client.TypeExpired {
		t.Errorf("another user got %+v", m)
	}
	for _, id := range []string{"../ann/" + p.session, "ann/" + p.session, strings.Repeat("x", 300), "a\x00b"} {
		q := r.fresh("/client")
		q.send(client.Message{SessionID: id, Body: client.Hello{Token: bobToken}})
		if m := q.next(); m.Body.Type() != client.TypeExpired && m.Body.Type() != client.TypeResponse {
			t.Errorf("session %q was answered by %+v", id, m)
		}
		q.drop()
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	for _, tt := range []struct {
		text string
		code int
	}{
		{`{"id":"m1","type":"request","method":"dance"}`, 400},
		{`{"id":"m2","type":"request"}`, 400},
		{`{"id":"m3","type":"wish"}`, 400},
		{`{"id":"m4","type":"hello"}`, 409},
		{`{"id":"m5","type":"stream.final"}`, 400},
		{`{"id":"m6","type":"request","method":"prompt"}`, 400},
		{`{"id":"m7","type":"request","method":"steer","agent":"uio_9","text":"x"}`, 409},
		{`{"id":"m8","type":"request","method":"answer","question_id":"ask_tl_001","text":"x"}`, 404},
		{`{"id":"m9","type":"request","method":"approve","approval_id":"apr_001","decision":"allow"}`, 404},
		{`{"id":"m10","type":"request","method":"approve","approval_id":"apr_001","decision":"perhaps"}`, 400},
		{`{"id":"m11","type":"request","method":"cancel","mode":"perhaps"}`, 400},
		{`{"id":"m12","type":"tool.result","call_id":"tl/x"}`, 1001},
		{`{"id":"m13","type":"request","method":"prompt","content":[{"type":"file","ref":"file_x"}]}`, 404},
		{`{"id":"m14","type":"request","method":"prompt","content":"x"}`, 400},
		{`{"id":"m15","type":"request","method":"refresh"}`, 400},
	} {
		p.write(tt.text)
		var m struct{ ID string }
		unmarshal(t, []byte(tt.text), &m)
		e := p.refused(m.ID, tt.code)
		if e.Error != nil && !r.isRefused(gateway.AuditSession, e.Error.Message) && !r.isRefused(gateway.AuditToolResult, e.Error.Message) && !r.isRefused(gateway.AuditApproval, e.Error.Message) {
			t.Errorf("the audit does not have %q", e.Error.Message)
		}
	}
	p.write(`{"type":"request","method":"prompt","text":"x"}`)
	if m := p.next(); m.Body.(client.Response).Error == nil {
		t.Errorf("a request without an id was answered by %+v", m)
	}
	p.write(`{"type":"event","event":"of.tomorrow"}`) // is ignored
	p.write(`{"id":"a1","type":"event","event":"of.tomorrow","ack":true}`)
	p.write(`{"id":"a2","type":"ping","ack":true}`)
	for _, want := range []client.Type{client.TypePong, client.TypeEvent} {
		if m := p.next(); m.Body.Type() != want || m.ReplyTo != "a2" {
			t.Errorf("the answer to a2 is %+v, want %s", m, want)
		}
	}
	if got := p.says("say still here"); got != "still here" {
		t.Errorf("the answer is %q", got)
	}
}

// A number that leaves a gap is refused, and what was sent again is not.
func TestNumbersOfTheClient(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	for _, tt := range []struct {
		seq  int64
		code int
	}{{7, 0}, {8, 0}, {8, 0}, {7, 0}, {10, 409}, {9, 0}, {10, 0}} {
		id := p.send(client.Message{Seq: tt.seq, Body: client.Request{Method: client.MethodAgents}})
		_, res := p.response(id)
		if got := res.Error; (got == nil) != (tt.code == 0) || got != nil && (int(got.Code) != tt.code || !got.Retryable) {
			t.Errorf("message %d was answered by %v", tt.seq, got)
		}
	}
	p.drop()
	q := r.fresh("/client")
	q.send(client.Message{SessionID: p.session, Body: client.Hello{Token: annToken}})
	q.next()
	if m, _ := q.next().Body.(client.Resumed); m.ClientSeq != 10 {
		t.Errorf("the server has processed %d, want 10", m.ClientSeq)
	}
}

// What is too large is refused with both ways out, which work, and the connection
// stays; what goes on for ever is cut off.
func TestLargeMessages(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	large := strings.Repeat("long ", 8000)
	id := p.ask(client.MethodPrompt, "say "+large)
	e := p.refused(id, 413)
	if e.Error != nil && (!strings.Contains(e.Error.Hint, "fragment") || !strings.Contains(e.Error.Hint, "/files") || !strings.Contains(e.Error.Message, "16384")) {
		t.Errorf("the refusal says %v", e.Error)
	}
	p.write(strings.Repeat("x", 100_000))
	if m := p.next(); m.ReplyTo != "" || m.Body.(client.Response).Error.Code != 413 {
		t.Errorf("what is no message was answered by %+v", m)
	}

	// In fragments.
	whole, err := client.Message{ID: "msg_large", Content: []client.Part{client.Text("say " + large)}, Body: client.Request{Method: client.MethodPrompt}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	p.inFragments("f1", string(whole), 7000)
	if m, _ := p.response("msg_large"); text0(m) != strings.TrimSpace(large) && text0(m) != large {
		t.Errorf("the answer has %d bytes", len(text0(m)))
	}

	// As a file.
	status, body := r.do("POST", "/files?name=long.txt", annToken, "say "+large)
	var file client.Uploaded
	unmarshal(t, []byte(body), &file)
	if status != http.StatusCreated || file.Size != int64(len(large)+4) || file.Name != "long.txt" {
		t.Errorf("the upload: %d %s", status, body)
	}
	id = p.send(client.Message{Content: []client.Part{{Kind: "file", Ref: file.Ref}}, Body: client.Request{Method: client.MethodPrompt}})
	if m, _ := p.response(id); len(text0(m)) < len(large)-10 {
		t.Errorf("the answer has %d bytes", len(text0(m)))
	}

	// Endless.
	for i := 0; ; i++ {
		text, _ := client.Message{Body: client.Fragment{Of: "e", Index: i, Count: 4 << 20, Data: strings.Repeat("x", 16000)}}.Encode()
		if err := p.ws.Write(t.Context(), websocket.MessageText, text); err != nil || i > 300 {
			if i < 200 || i > 300 {
				t.Errorf("cut off after %d bytes, %v", i*16000, err)
			}
			break
		}
		if i == 262 {
			if code := p.closedWith(); code != websocket.StatusMessageTooBig {
				t.Errorf("closed with %d", code)
			}
			break
		}
	}
	if !r.isRefused(gateway.AuditLimit, "more than 4194304") {
		t.Error("the audit does not have the end")
	}
}

// inFragments sends a text in fragments of n bytes.
func (p *peer) inFragments(of, text string, n int) {
	p.Helper()
	count := (len(text) + n - 1) / n
	for i := range count {
		p.send(client.Message{Body: client.Fragment{Of: of, Index: i, Count: count, Data: text[i*n : min(len(text), (i+1)*n)]}})
	}
}

// Fragments that do not fit together are refused, and come again from the first.
func TestFragmentsOutOfOrder(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	send := func(f client.Fragment) string { return p.send(client.Message{Body: f}) }
	p.refused(send(client.Fragment{Of: "a", Index: 1, Count: 2, Data: "x"}), 400)
	send(client.Fragment{Of: "a", Index: 0, Count: 3, Data: "x"})
	p.refused(send(client.Fragment{Of: "a", Index: 2, Count: 3, Data: "x"}), 400)
	for _, f := range []client.Fragment{{Of: "", Count: 1, Data: "x"}, {Of: "b", Count: 0, Data: "x"}, {Of: "b", Index: -1, Count: 1, Data: "x"}, {Of: "b", Count: 1}} {
		p.refused(send(f), 400)
	}
	for _, of := range []string{"1", "2", "3", "4"} {
		send(client.Fragment{Of: of, Count: 2, Data: "x"})
	}
	p.refused(send(client.Fragment{Of: "5", Count: 2, Data: "x"}), 400)
	text := `{"id":"msg_whole","type":"request","method":"agents"}`
	send(client.Fragment{Of: "1", Index: 0, Count: 2, Data: text[:20]}) // anew
	send(client.Fragment{Of: "1", Index: 0, Count: 2, Data: text[:20]})
	send(client.Fragment{Of: "1", Index: 1, Count: 2, Data: text[20:]})
	p.response("msg_whole")
	inner, _ := client.Message{Body: client.Fragment{Of: "x", Count: 1, Data: "x"}}.Encode()
	send(client.Fragment{Of: "6", Count: 1, Data: string(inner)})
	if m := p.next(); m.Body.(client.Response).Error == nil {
		t.Errorf("fragments in fragments: %+v", m)
	}
}

// The server keeps to the size that the client takes.
func TestServerObeysTheSize(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{Streaming: true, MaxMessageSize: 2048}, nil)
	largest := 0
	p.raw = func(text []byte) { largest = max(largest, len(text)) }
	if got := p.says("big 30000"); got != strings.Repeat("\"", 30000) {
		t.Errorf("the answer has %d bytes", len(got))
	}
	if largest > 2048 || largest < 1024 {
		t.Errorf("the largest message has %d bytes", largest)
	}
	q := r.fresh("/client")
	q.send(client.Message{Body: client.Hello{Token: annToken, Capabilities: client.Abilities{MaxMessageSize: 10}}})
	if m := q.next(); m.Body.(client.Response).Error.Code != 400 {
		t.Errorf("a size that is too small: %+v", m)
	}
}

// A file is that of its user, and no path.
func TestFiles(t *testing.T) {
	r := newRig(t, nil)
	_, body := r.do("POST", "/files", annToken, "hello")
	var file client.Uploaded
	unmarshal(t, []byte(body), &file)
	for _, tt := range []struct {
		method, path, token, body string
		status                    int
	}{
		{"GET", "/files/" + file.Ref, annToken, "", 200},
		{"GET", "/files/" + file.Ref, bobToken, "", 404},
		{"GET", "/files/" + file.Ref, "", "", 401},
		{"POST", "/files", "", "x", 401},
		{"GET", "/files/..%2F..%2Fetc%2Fpasswd", annToken, "", 404},
		{"GET", "/files/file_aaaaaaaaaaaaaaaaaaaaaaaaaa", annToken, "", 404},
		{"POST", "/files?name=" + strings.Repeat("x", 300), annToken, "x", 400},
		{"POST", "/files", annToken, strings.Repeat("x", 16<<20+1), 413},
	} {
		if status, text := r.do(tt.method, tt.path, tt.token, tt.body); status != tt.status || status == 200 && text != "hello" {
			t.Errorf("%s %.80s: %d %.200s, want %d", tt.method, tt.path, status, text, tt.status)
		}
	}
	found, err := filepath.Glob(filepath.Join(r.dir, "files", "*", "*"))
	if err != nil || len(found) != 1 {
		t.Errorf("the files are %q, %v", found, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", found[0], info.Mode(), err)
	}
}

// Too much is refused with the wait; who goes on is sent away.
func TestRates(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.limits = gateway.LimitOptions{Messages: 5, MessageBurst: 10, Patience: 20, ConnectionsPerUser: 2, Bytes: -1}
	})
	p := r.open(client.Abilities{}, nil)
	r.open(client.Abilities{}, nil)
	q := r.fresh("/client")
	q.send(client.Message{Body: client.Hello{Token: annToken}})
	if e, _ := q.next().Body.(client.Response); e.Error == nil || e.Error.Code != 429 || e.Error.RetryAfterMS == 0 {
		t.Errorf("one connection too many: %+v", e)
	}
	if code := q.closedWith(); code != websocket.StatusTryAgainLater {
		t.Errorf("closed with %d", code)
	}
	var last string
	for range 15 {
		last = p.ask(client.MethodAgents, "")
	}
	e := p.refused(last, 429)
	if e.Error.RetryAfterMS <= 0 || e.Error.RetryAfterMS > 1000 || !e.Error.Retryable {
		t.Errorf("the wait is %d ms", e.Error.RetryAfterMS)
	}
	<-time.After(time.Duration(e.Error.RetryAfterMS) * time.Millisecond)
	p.response(p.ask(client.MethodAgents, ""))
	for range 40 {
		text, _ := client.Message{ID: fmt.Sprint("x", ids.Add(1)), Body: client.Ping{}}.Encode()
		if p.ws.Write(t.Context(), websocket.MessageText, text) != nil {
			break
		}
	}
	if code := p.closedWith(); code != websocket.StatusPolicyViolation {
		t.Errorf("abuse: closed with %d", code)
	}
	if !r.isRefused(gateway.AuditLimit, "too many") {
		t.Error("the audit does not have it")
	}
}

// history is paged, and what all clients were told.
func TestHistory(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	for range 20 {
		p.says("say x")
	}
	p.says("big 200000") // letters of two bytes, and told three times
	want := r.whole(p)
	var got []string
	for after := int64(0); ; {
		id := p.send(client.Message{Body: client.Request{Method: client.MethodHistory, After: after}})
		_, res := p.response(id)
		var h client.History
		unmarshal(t, res.Result, &h)
		size := 0
		for _, m := range h.Messages {
			got = append(got, string(m))
			size += len(m)
		}
		if size > 1<<20 && len(h.Messages) > 1 {
			t.Errorf("an answer has %d bytes in %d messages", size, len(h.Messages))
		}
		after = int64(len(got))
		if !h.More {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("history has %d messages, want %d", len(got), len(want))
	}
}

// A frame without end ends the connection, before the hello and behind it, and the
// audit says so.
func TestEndlessFrame(t *testing.T) {
	r := newRig(t, nil)
	for i, p := range []*peer{r.fresh("/client"), r.open(client.Abilities{}, nil)} {
		p.write(strings.Repeat("x", 4<<20+2)) // all of it is read, or the code would be lost
		if code := p.closedWith(); code != websocket.StatusMessageTooBig {
			t.Errorf("peer %d: closed with %d", i, code)
		}
	}
	r.stop()
	cut := 0
	for _, e := range r.audited() {
		if e.Event == gateway.AuditLimit && !e.OK && strings.Contains(e.Detail, "more than 4194304") {
			cut++
		}
	}
	if cut != 2 {
		t.Errorf("the audit has %d ends of 2", cut)
	}
}

// Hellos are messages: who connects again and again is told to wait, wherever the
// token stands.
func TestTooManyHellos(t *testing.T) {
	r := newRig(t, func(r *rig) { r.limits = gateway.LimitOptions{Messages: 0.01, MessageBurst: 3} })
	for i := range 5 {
		p := r.fresh("/client")
		id := p.send(client.Message{Body: client.Hello{Token: annToken}})
		if i < 3 {
			p.find(ofType(client.TypeHelloAck))
		} else if e := p.refused(id, 429); e.Error != nil && e.Error.RetryAfterMS == 0 {
			t.Error("it does not say how long to wait")
		}
		p.drop()
	}
	if !r.isRefused(gateway.AuditLimit, "too many") {
		t.Error("the audit does not say so")
	}
}
