//go:build unix

package main

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// clientTalk is a connection of the client protocol.
type clientTalk struct {
	*serving
	ws      *websocket.Conn
	session string
	last    int64
}

// hello connects, to a new session or to that of another connection.
func (s *serving) hello(before *clientTalk) *clientTalk {
	s.Helper()
	ws, _, err := websocket.Dial(s.Context(), s.url, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = ws.CloseNow() })
	ws.SetReadLimit(1 << 20)
	c := &clientTalk{serving: s, ws: ws}
	if before != nil {
		c.session, c.last = before.session, before.last
	}
	c.say(client.Message{SessionID: c.session, Body: client.Hello{LastSeq: c.last, Capabilities: client.Abilities{Streaming: true}}})
	c.session = c.until(func(m client.Message) bool { return m.Body.Type() == client.TypeHelloAck }).SessionID
	return c
}

func (c *clientTalk) say(m client.Message) {
	c.Helper()
	m.ID = messageID()
	text, err := m.Encode()
	if err == nil {
		err = c.ws.Write(c.Context(), websocket.MessageText, text)
	}
	if err != nil {
		c.Fatal(err)
	}
}

// until reads to a message that fits, and checks that none is left out.
func (c *clientTalk) until(fits func(client.Message) bool) client.Message {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 30*time.Second)
	defer cancel()
	for {
		_, text, err := c.ws.Read(ctx)
		if err != nil {
			c.Fatalf("%v; the server says %s", err, c.log())
		}
		m, err := client.Decode(text)
		if err != nil || m.Seq < c.last || m.Seq > c.last+1 {
			c.Fatalf("after message %d: %s, %v", c.last, text, err)
		}
		if c.last = m.Seq; fits(m) {
			return m
		}
	}
}

// TestServeClient streams, kills the server in the middle, starts it again, and
// gets the rest.
func TestServeClient(t *testing.T) {
	p := spokenProcess(t)
	s := p.serve(t, "--client")
	if !strings.HasSuffix(s.url, "/client") {
		t.Errorf("it serves at %s", s.url)
	}
	c := s.hello(nil)
	c.say(client.Message{Content: []client.Part{client.Text("begin")}, Body: client.Request{Method: client.MethodPrompt}})
	c.until(func(m client.Message) bool { return m.Body.Type() == client.TypeChunk })
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	s = p.serve(t, "--client")
	c = s.hello(c)
	answer := c.until(func(m client.Message) bool { return m.Body.Type() == client.TypeResponse })
	if r, _ := answer.Body.(client.Response); r.Error != nil || len(answer.Content) != 1 || answer.Content[0].Text == "" {
		t.Errorf("the answer is %+v", answer)
	}
	ended := make(chan websocket.StatusCode)
	go func() {
		for {
			if _, _, err := c.ws.Read(context.Background()); err != nil {
				ended <- websocket.CloseStatus(err)
				return
			}
		}
	}()
	if code := s.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit code %d: %s", code, s.log())
	}
	if code := <-ended; code != websocket.StatusGoingAway {
		t.Errorf("the connection was closed with %d", code)
	}
}

// TestDialClient talks over the client protocol by the program itself, and goes on
// where it was.
func TestDialClient(t *testing.T) {
	p := spokenProcess(t)
	s := p.serve(t, "--client")
	dial := func(args ...string) string {
		t.Helper()
		if code := p.call(t.Context(), append([]string{"dial", s.url}, args...)...); code != exitOK || !strings.Contains(p.stdout.String(), `"type":"response"`) {
			t.Fatalf("exit code %d, %s, %s", code, &p.stdout, &p.stderr)
		}
		return p.stdout.String()
	}
	first := dial("in blue")
	_, session, _ := strings.Cut(first, `"session_id":"`)
	session, _, _ = strings.Cut(session, `"`)
	again := dial("--resume", session+"@2", "in blue, again")
	if !strings.Contains(again, `"first_seq":3`) || !strings.Contains(again, `"seq":3,`) || strings.Contains(again, `"id":"msg_2"`) {
		t.Errorf("resumed behind message 2: %s", again)
	}
	if code := p.call(t.Context(), "dial", s.url); code != exitOK || !strings.Contains(p.stdout.String(), `"type":"hello.ack"`) {
		t.Errorf("with nothing to say: exit code %d, %s, %s", code, &p.stdout, &p.stderr)
	}
	if code := p.call(t.Context(), "dial", s.url, `{"type":"request","method":"nonsense"}`); code != exitFailed || !strings.Contains(p.stderr.String(), "nonsense") {
		t.Errorf("with something that is refused: exit code %d, %s", code, &p.stderr)
	}
	if code := p.call(t.Context(), "dial", s.url, "--resume", "nonsense", "x"); code != exitUsage {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
	s.end(syscall.SIGTERM)
}

// TestDialWaitsForTheHello: a hello that is refused is not all there was to say, or dial
// would end as if it had come in.
func TestDialWaitsForTheHello(t *testing.T) {
	for name, c := range map[string]struct {
		answer  client.Body
		settled bool
	}{
		"taken":   {client.HelloAck{Protocol: client.Protocol}, true},
		"refused": {client.Response{Error: gateway.NewError(gateway.StatusUnauthorized, "no")}, false},
		"expired": {client.Expired{Reason: "gone"}, false},
	} {
		s := &clientSpeaker{open: map[string]bool{}, first: client.Message{Body: client.Hello{}}}
		hello, err := client.Decode(s.hello())
		if err != nil || s.settled() {
			t.Fatalf("%s: settled before an answer, %v", name, err)
		}
		text, err := client.Message{ReplyTo: hello.ID, Body: c.answer}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if s.heard(text); s.settled() != c.settled {
			t.Errorf("%s: settled %t", name, s.settled())
		}
	}
}
