package client_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway/client"
)

// cutter is a listener that can cut its connections.
type cutter struct {
	net.Listener
	mu    sync.Mutex // guards conns
	conns []net.Conn
}

func (c *cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// cut ends all connections so far, without a word.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

// browser finds a Chromium.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium here; .ci/run installs one")
	return ""
}

// pageSaw is what the page tells of its conversation.
type pageSaw struct {
	Seqs    []int64  `json:"seqs"`
	Pieces  int      `json:"pieces"`
	Tools   int      `json:"tools"`
	Opened  int      `json:"opened"`
	Resumed int      `json:"resumed"`
	Answers []string `json:"answers"`
	Session string   `json:"session"`
	Text    string   `json:"text"`
}

// A page in a real browser connects, executes a tool, streams, loses the connection
// in the middle, and goes on.
func TestBrowser(t *testing.T) {
	path := browser(t)
	saw := make(chan pageSaw, 1) // the page tells once
	var c *cutter
	r := newRig(t, func(r *rig) {
		r.wrap = func(l net.Listener) net.Listener { c = &cutter{Listener: l}; return c }
		r.pages = func(mux *http.ServeMux) {
			mux.Handle("/", http.FileServer(http.Dir("testdata/page")))
			mux.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) { c.cut() })
			mux.HandleFunc("POST /result", func(_ http.ResponseWriter, req *http.Request) { saw <- pageOf(t, req) })
		}
	})
	checkPage(t, r, browse(t, path, r.url, saw))
}

// browse opens the page of a server and returns what it tells.
func browse(t *testing.T, path, url string, saw <-chan pageSaw) pageSaw {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), url+"/?token="+annToken)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it ends its children
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }()
	select {
	case p := <-saw:
		return p
	case <-ctx.Done():
		t.Fatal("the page told nothing in time")
		return pageSaw{}
	}
}

func checkPage(t *testing.T, r *rig, p pageSaw) {
	t.Helper()
	for i, seq := range p.Seqs {
		if seq != int64(i)+1 {
			t.Fatalf("the page got message %d as number %d", seq, i+1)
		}
	}
	whole := r.whole(&peer{rig: r, session: p.Session})
	if len(p.Seqs) < len(whole)-1 {
		t.Errorf("the page got %d messages of %d", len(p.Seqs), len(whole))
	}
	if p.Opened != 2 || p.Resumed != 1 || p.Tools != 1 || p.Pieces < 5 {
		t.Errorf("the page saw %+v", p)
	}
	if len(p.Answers) != 2 || p.Answers[0] != "heard got sun" || !strings.HasSuffix(strings.TrimSpace(p.Answers[1]), "字59") || p.Answers[1] != p.Text {
		t.Errorf("the answers are %q, the text is %q", p.Answers, p.Text)
	}
}

// pageOf is what the page tells.
func pageOf(t *testing.T, req *http.Request) (p pageSaw) {
	t.Helper()
	if err := json.NewDecoder(req.Body).Decode(&p); err != nil {
		t.Error(err)
	}
	return p
}

// A page whose session the server does not know any more begins anew, and asks again.
func TestBrowserBeginsAnew(t *testing.T) {
	path := browser(t)
	saw := make(chan pageSaw, 1)
	var mu sync.Mutex
	connections, hellos := 0, []string{}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata/page")))
	mux.HandleFunc("POST /result", func(_ http.ResponseWriter, req *http.Request) { saw <- pageOf(t, req) })
	mux.HandleFunc("/client", func(w http.ResponseWriter, req *http.Request) {
		ws, err := websocket.Accept(w, req, &websocket.AcceptOptions{Subprotocols: []string{"bearer"}})
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		mu.Lock()
		defer mu.Unlock()
		connections++
		forgetful(req.Context(), ws, connections == 1, &hellos)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	p := browse(t, path, srv.URL, saw)
	if want := []string{"", "old", ""}; !slices.Equal(p.Answers, []string{"fetch sun", "stream 60"}) || p.Session != "new" || !slices.Equal(hellos, want) {
		t.Errorf("the page saw %+v, after hellos to %q, want %q", p, hellos, want)
	}
}

// forgetful serves a connection: the first one ends after the hello, and its session
// is not known any more. Prompts are answered by themselves.
func forgetful(ctx context.Context, ws *websocket.Conn, first bool, hellos *[]string) {
	for {
		_, text, err := ws.Read(ctx)
		if err != nil {
			return
		}
		m, err := client.Decode(text)
		if err != nil {
			return
		}
		answer := client.Message{ID: "a", SessionID: "old", ReplyTo: m.ID, Content: m.Content, Body: client.Response{Result: json.RawMessage("{}")}}
		if _, ok := m.Body.(client.Hello); ok {
			*hellos = append(*hellos, m.SessionID)
			switch {
			case m.SessionID != "":
				answer.Body = client.Expired{Reason: "gone"}
			case !first:
				answer.SessionID, answer.Body = "new", client.HelloAck{Protocol: 1}
			default:
				answer.Body = client.HelloAck{Protocol: 1}
			}
		}
		if text, err = answer.Encode(); err != nil || ws.Write(ctx, websocket.MessageText, text) != nil {
			return
		}
		if first {
			return
		}
	}
}
