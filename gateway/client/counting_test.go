package client_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// A client that counts all that it sends, what is refused too, is never left with a
// number that it cannot get over.
func TestCountingAll(t *testing.T) {
	r := newRig(t, nil)
	p := r.fresh("/client")
	n := int64(0)
	send := func(text string) {
		t.Helper()
		n++
		p.write(fmt.Sprintf(`{"id":"m%d","seq":%d,%s}`, n, n, text))
	}
	served := func(after string) {
		t.Helper()
		send(`"type":"request","method":"agents"`)
		if _, answer := p.response(fmt.Sprintf("m%d", n)); answer.Error != nil {
			t.Errorf("after %s: %v", after, answer.Error)
		}
	}
	hello := func(more string) { send(`"type":"hello","token":"` + annToken + `"` + more) }
	hello("")
	ack := p.next()
	for name, text := range map[string]string{
		"one of a wrong kind":   `"type":"request","content":"x"`,
		"one without a type":    `"text":"x"`,
		"one of the server's":   `"type":"hello.ack"`,
		"one of no known type":  `"type":"wish"`,
		"one of no method":      `"type":"request","method":"dance"`,
		"a second hello":        `"type":"hello"`,
		"one that is too large": `"type":"request","method":"prompt","text":"` + strings.Repeat("x", 20<<10) + `"`,
		"a ping":                `"type":"ping"`,
		"an event":              `"type":"event","event":"seen"`,
		"a fragment":            `"type":"fragment","of":"f","index":0,"count":9,"data":"{"`,
		"a bad fragment":        `"type":"fragment","of":"g","index":3,"count":2,"data":"{"`,
	} {
		send(text)
		served(name)
	}
	p.drop()
	p.dialIn("/client")
	n += 2 // which were lost
	hello(fmt.Sprintf(`,"session_id":%q`, ack.SessionID))
	p.find(ofType(client.TypeResumed))
	served("a hello behind a gap")
	send(`"type":"ping"`)
	n++
	send(`"type":"request","method":"agents"`)
	p.refused(fmt.Sprintf("m%d", n), 409) // what was lost in this connection is still missed
}

// The largest number is one like others.
func TestLargestNumber(t *testing.T) {
	r := newRig(t, nil)
	p := r.open(client.Abilities{}, nil)
	for range 2 {
		id := p.send(client.Message{Seq: math.MaxInt64, Body: client.Request{Method: client.MethodAgents}})
		if _, answer := p.response(id); answer.Error != nil {
			t.Error(answer.Error)
		}
	}
}

// A user keeps so many files and no more, empty ones too, however many come at once;
// another user has as many again.
func TestFilesOfAUserAreBounded(t *testing.T) {
	const most, attempts = 5, 12
	r := newRig(t, func(r *rig) {
		r.limits = gateway.LimitOptions{ConnectionsPerUser: -1, Messages: -1, Bytes: -1, FilesPerUser: most}
	})
	answers := make(chan string, attempts)
	for range attempts {
		go func() {
			status, text := r.do("POST", "/files", annToken, "")
			answers <- fmt.Sprint(status, " ", text)
		}()
	}
	taken := 0
	for range attempts {
		switch text := <-answers; {
		case strings.HasPrefix(text, "201 "):
			taken++
		case !strings.HasPrefix(text, "429 ") || !strings.Contains(text, "you keep 5 files at this server; at most 5") || strings.Contains(text, `"retryable":true`):
			t.Errorf("a file too many: %s", text)
		}
	}
	if taken != most {
		t.Errorf("%d files were taken, want %d", taken, most)
	}
	if status, text := r.do("POST", "/files", bobToken, ""); status != 201 {
		t.Errorf("the first file of another: %d %s", status, text)
	}
	if !r.isRefused(gateway.AuditLimit, "you keep 5 files") {
		t.Errorf("the audit does not say so: %+v", r.audited())
	}
}

// Requests for files count among the connections and the messages of their user, and
// the audit tells why one was refused.
func TestFilesAreCounted(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.limits = gateway.LimitOptions{ConnectionsPerUser: 1, Messages: 0.01, MessageBurst: 3, Bytes: -1}
	})
	p := r.open(client.Abilities{}, nil) // one message
	for _, method := range []string{"POST", "GET"} {
		path := map[string]string{"POST": "/files", "GET": "/files/file_x"}[method]
		if status, text := r.do(method, path, annToken, ""); status != 429 {
			t.Errorf("%s beside another connection: %d %s", method, status, text)
		}
		if status, text := r.do(method, path, "wrong-token-0123456", ""); status != 401 {
			t.Errorf("%s of nobody: %d %s", method, status, text)
		}
	}
	_ = p.ws.Close(websocket.StatusNormalClosure, "")
	var seen []int
	for len(seen) < 3 {
		status, text := r.do("GET", "/files/file_x", annToken, "")
		if !strings.Contains(text, "connections") { // it takes a moment to leave
			seen = append(seen, status)
		}
	}
	if !slices.Equal(seen, []int{404, 404, 429}) {
		t.Errorf("three requests are answered by %v", seen)
	}
	if !r.isRefused(gateway.AuditLimit, "1 connections") || !r.isRefused(gateway.AuditLimit, "too many messages") || !r.isRefused(gateway.AuditAuth, "not known") {
		t.Errorf("the audit does not say so: %+v", r.audited())
	}
}
