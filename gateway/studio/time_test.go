package studio_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/studio"
)

// TestSilentClient says nothing: it is told, and cut after ten seconds.
func TestSilentClient(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		began := time.Now()
		messages, code := r.open().rest()
		if took := time.Since(began); took != 10*time.Second {
			r.Errorf("it was cut after %v", took)
		}
		if code != websocket.StatusPolicyViolation || len(messages) != 1 || !strings.Contains(messages[0].Content, "in time") {
			r.Errorf("close code %d, %v", code, messages)
		}
	})
}

// TestTooManySilentClients bounds those of whom nobody knows who they are.
func TestTooManySilentClients(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		for range studio.MaxWaiting {
			c := r.open()
			defer func() { _ = c.ws.CloseNow() }()
		}
		if _, resp, err := r.connect(nil); err == nil || resp == nil || resp.StatusCode != http.StatusTooManyRequests { //nolint:bodyclose // the library closes it
			r.Errorf("one more: %v, %v", resp, err)
		}
		r.pass(30 * time.Second) // they were cut
		if got := r.ask("s1", "hi").answer(); got != "回答 hi" {
			r.Errorf("answered %q", got)
		}
	})
}

// raw is a connection on which the handshake was made and the prompt sent by hand:
// it answers nothing by itself.
func (r *rig) raw(text string) net.Conn {
	r.Helper()
	near, err := r.pipes.dial(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(near, "GET /studio HTTP/1.1\r\nHost: studio.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	}()
	resp, err := http.ReadResponse(bufio.NewReaderSize(near, 16), nil) //nolint:bodyclose // the library closes it
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		r.Fatalf("handshake: %v, %v", resp, err)
	}
	// A text frame with a mask of zeros, of a length that needs two bytes.
	frame := append([]byte{0x81, 0x80 | 126, byte(len(text) >> 8), byte(len(text)), 0, 0, 0, 0}, text...)
	if _, err := near.Write(frame); err != nil {
		r.Fatal(err)
	}
	return near
}

// prompt is a user-input of alice with enough words.
func prompt(words string) string {
	return `{"type":"user-input","apiKey":"` + aliceToken + `","sessionId":"s1","userInput":"` + words + `"}` + strings.Repeat(" ", 126)
}

// TestHalfOpen has a client that reads, and answers no ping: after two heartbeats
// it is dead, and its session free.
func TestHalfOpen(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		conn := r.raw(prompt(slowly + strings.Repeat("word ", 300)))
		defer conn.Close()
		began := time.Now()
		_, _ = io.Copy(io.Discard, conn) // to the end of the connection
		if took := time.Since(began); took < 40*time.Second || took > 50*time.Second {
			r.Errorf("it was cut after %v", took)
		}
		// The team works on.
		if got := r.ask("s1", "are you there?").answer(); !strings.Contains(got, "回答 are you there?") {
			r.Errorf("answered %q", got)
		}
	})
}

// TestHeartbeat has a client that answers pings: it waits as long as it takes.
func TestHeartbeat(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		got := r.ask("s1", slowly+strings.Repeat("word ", 10*60)).answer()
		if !strings.HasPrefix(got, "word word") {
			r.Errorf("answered %.40q", got)
		}
	})
}

// TestSlowReader has a client that does not read: the server waits for it no longer
// than it has to, and the team works on.
func TestSlowReader(t *testing.T) {
	bubble(t, nil, func(r *rig) {
		conn := r.raw(prompt(slowly + "one two three"))
		defer conn.Close()
		r.pass(time.Minute)
		if _, err := conn.Write([]byte{0x89, 0x80, 0, 0, 0, 0}); err == nil {
			r.Error("the connection is still there")
		}
		records := r.records("s1")
		if d, ok := records[len(records)-1].Data.(event.RunFinished); !ok || d.Answer != "one two three" {
			r.Errorf("the session ends with %+v", records[len(records)-1])
		}
		if got := r.ask("s1", "hi").answer(); got != "回答 hi" {
			r.Errorf("answered %q", got)
		}
	})
}
