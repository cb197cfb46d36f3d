package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// dialed is a server that plays for each connection, and its address.
func dialed(t *testing.T, play func(ctx context.Context, ws *websocket.Conn)) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		play(context.WithoutCancel(r.Context()), ws)
	}))
	t.Cleanup(srv.Close)
	return "ws" + strings.TrimPrefix(srv.URL, "http")
}

func TestDialRaw(t *testing.T) {
	p := newProcess(t)
	got := make(chan string, 3)
	url := dialed(t, func(ctx context.Context, ws *websocket.Conn) {
		_ = ws.Write(ctx, websocket.MessageText, []byte("{\n \"a\": 1,\n \"b\": \"<\"\n}")) // before anybody said anything
		for range 3 {
			_, text, err := ws.Read(ctx)
			if err != nil {
				return
			}
			got <- string(text)
			_ = ws.Write(ctx, websocket.MessageText, text)
		}
		_ = ws.Close(websocket.StatusNormalClosure, "bye")
	})
	put(t, "send.txt", "second\n")
	p.Piped, p.Stdin = true, strings.NewReader("{\"third\":1}\n")
	if code := p.call(t.Context(), "dial", url, "first", "--send", "send.txt"); code != exitOK {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
	if want := "{\"a\":1,\"b\":\"<\"}\nfirst\nsecond\n{\"third\":1}\n"; p.stdout.String() != want || len(got) != 3 {
		t.Errorf("stdout %q, want %q; %d messages were sent", &p.stdout, want, len(got))
	}
	if !strings.Contains(p.stderr.String(), "→ first\n→ second\n") || !strings.Contains(p.stderr.String(), "closed by the server: 1000 bye") {
		t.Errorf("stderr %s", &p.stderr)
	}
}

// TestDialReadsWhatTheDocumentWrites takes the commas of the protocol's own examples.
func TestDialReadsWhatTheDocumentWrites(t *testing.T) {
	p := newProcess(t)
	url := dialed(t, func(ctx context.Context, ws *websocket.Conn) {
		_, _, _ = ws.Read(ctx)
		_ = ws.Write(ctx, websocket.MessageText, []byte("{\n  \"id\": \"a\",\n  \"type\": \"response-state\",\n  \"event\": \"end\",\n},"))
		_ = ws.Close(websocket.StatusNormalClosure, "")
	})
	if code := p.call(t.Context(), "dial", url, "--protocol", "studio", "hi"); code != exitOK || p.stdout.String() != `{"id":"a","type":"response-state","event":"end"}`+"\n" {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, &p.stdout, &p.stderr)
	}
}

// TestDialOneByOne makes a connection for each line that comes after a response.
func TestDialOneByOne(t *testing.T) {
	p := newProcess(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var n atomic.Int32
	url := dialed(t, func(ctx context.Context, ws *websocket.Conn) {
		_, text, _ := ws.Read(ctx)
		_ = ws.Write(ctx, websocket.MessageText, text)
		_ = ws.Close(websocket.StatusNormalClosure, "")
		if n.Add(1) == 1 {
			_, _ = writer.WriteString("two\n")
			return
		}
		_ = writer.Close()
	})
	p.Piped, p.Stdin = true, reader
	_, _ = writer.WriteString("one\n")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	code := p.call(ctx, "dial", url, "--protocol", "studio", "--session", "s1")
	if code != exitOK || n.Load() != 2 || strings.Count(p.stdout.String(), `"sessionId":"s1"`) != 2 {
		t.Errorf("exit code %d, %d connections, stdout %s, stderr %s", code, n.Load(), &p.stdout, &p.stderr)
	}
}

// TestDialSlowServer gives up when the server does not take a message.
func TestDialSlowServer(t *testing.T) {
	p := newProcess(t)
	hold := make(chan struct{})
	url := dialed(t, func(context.Context, *websocket.Conn) { <-hold })
	defer close(hold)
	put(t, "large.txt", strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 16)) // more than the buffers of a connection
	if code := p.call(t.Context(), "dial", url, "--send", "large.txt", "--send-timeout", "200ms"); code != exitFailed || !strings.Contains(p.stderr.String(), "within 200ms") {
		t.Errorf("exit code %d, stderr %.300s", code, p.stderr.String()[max(0, p.stderr.Len()-300):])
	}
}

func TestDialRefused(t *testing.T) {
	p := newProcess(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not for you", http.StatusForbidden) }))
	defer srv.Close()
	if code := p.call(t.Context(), "dial", "ws"+strings.TrimPrefix(srv.URL, "http")); code != exitFailed || !strings.Contains(p.stderr.String(), "403 Forbidden: not for you") {
		t.Errorf("exit code %d, stderr %s", code, &p.stderr)
	}
}
