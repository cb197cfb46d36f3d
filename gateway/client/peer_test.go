package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway/client"
)

// ids counts the messages of all peers.
var ids atomic.Int64

// peer is a client of the protocol, as a test plays it.
type peer struct {
	*rig
	ws      *websocket.Conn
	session string
	window  string       // instance that it says it is, on each of its connections
	last    int64        // newest number of the server that it has
	raw     func([]byte) // sees each frame, if set
	parts   map[string][]string
}

// tooled are the capabilities of a client that executes fetch.
func tooled() client.Abilities {
	return client.Abilities{Streaming: true, ToolCallbacks: true, Tools: []client.Tool{
		{Name: "fetch", Description: "fetch a thing", Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)},
	}}
}

// open connects and says hello as ann, to a new session or to one that p0 had.
func (r *rig) open(can client.Abilities, before *peer) *peer {
	r.Helper()
	p := &peer{rig: r, parts: map[string][]string{}}
	p.window = fmt.Sprintf("window_%d", ids.Add(1))
	hello := client.Hello{Token: annToken, Capabilities: can}
	if before != nil {
		p.session, p.last, p.window, hello.LastSeq = before.session, before.last, before.window, before.last
	}
	hello.ClientInfo = client.Info{Name: "test", Instance: p.window}
	p.dialIn("/client")
	p.send(client.Message{SessionID: p.session, Body: hello})
	ack := p.next()
	if _, ok := ack.Body.(client.HelloAck); !ok {
		r.Fatalf("hello was answered by %+v", ack)
	}
	p.session = ack.SessionID
	return p
}

// dialIn opens the connection.
func (p *peer) dialIn(path string) {
	p.Helper()
	ws, _, err := p.connect(path, nil)
	if err != nil {
		p.Fatal(err)
	}
	ws.SetReadLimit(8 << 20)
	p.ws = ws
	p.Cleanup(func() { _ = ws.CloseNow() })
}

// send sends a message, with an id if it has none.
func (p *peer) send(m client.Message) (id string) {
	p.Helper()
	if m.ID == "" {
		m.ID = fmt.Sprintf("msg_test_%d", ids.Add(1))
	}
	text, err := m.Encode()
	if err != nil {
		p.Fatal(err)
	}
	p.write(string(text))
	return m.ID
}

// write sends a text frame.
func (p *peer) write(text string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := p.ws.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		p.Fatal(err)
	}
}

// ask sends a request.
func (p *peer) ask(method, text string) (id string) {
	p.Helper()
	m := client.Message{Body: client.Request{Method: method}}
	if text != "" {
		m.Content = []client.Part{client.Text(text)}
	}
	return p.send(m)
}

// read waits for a message; it puts fragments together.
func (p *peer) read(wait time.Duration) (client.Message, error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	for {
		_, text, err := p.ws.Read(ctx)
		if err != nil {
			return client.Message{}, err
		}
		if p.raw != nil {
			p.raw(text)
		}
		if !bytes.Contains(text, []byte(`"seq":`)) {
			return client.Message{}, fmt.Errorf("a message without a number: %s", text)
		}
		m, err := client.Decode(text)
		if err != nil {
			return m, fmt.Errorf("%s: %w", text, err)
		}
		if f, ok := m.Body.(client.Fragment); ok {
			p.check(m)
			p.parts[f.Of] = append(p.parts[f.Of], f.Data)
			if f.Index != len(p.parts[f.Of])-1 {
				return m, fmt.Errorf("fragment %d came as number %d", f.Index, len(p.parts[f.Of]))
			}
			if f.Index < f.Count-1 {
				continue
			}
			if m, err = client.Decode([]byte(strings.Join(p.parts[f.Of], ""))); err != nil {
				return m, err
			}
		}
		p.check(m)
		return m, nil
	}
}

// check holds the numbers of messages to their rule: the next, or that of the one
// before.
func (p *peer) check(m client.Message) {
	p.Helper()
	if m.Seq != p.last && m.Seq != p.last+1 {
		p.Errorf("message %d came after %d: %+v", m.Seq, p.last, m)
	}
	p.last = m.Seq
	if len(m.TraceID) != 32 || m.ID == "" || m.Time.IsZero() {
		p.Errorf("an envelope is not complete: %+v", m)
	}
}

// next waits for a message that must come.
func (p *peer) next() client.Message {
	p.Helper()
	m, err := p.read(30 * time.Second)
	if err != nil {
		p.Fatalf("nothing came: %v", err)
	}
	return m
}

// until reads up to the first message that fits, and returns all of them.
func (p *peer) until(fits func(client.Message) bool) (list []client.Message) {
	p.Helper()
	for {
		m := p.next()
		if list = append(list, m); fits(m) {
			return list
		}
	}
}

// find reads up to the first message that fits, and returns that.
func (p *peer) find(fits func(client.Message) bool) client.Message {
	p.Helper()
	list := p.until(fits)
	return list[len(list)-1]
}

// answerTo fits the response to a message.
func answerTo(id string) func(client.Message) bool {
	return func(m client.Message) bool {
		_, ok := m.Body.(client.Response)
		return ok && m.ReplyTo == id
	}
}

// ofType fits a type.
func ofType(t client.Type) func(client.Message) bool {
	return func(m client.Message) bool { return m.Body.Type() == t }
}

// isEvent fits an event.
func isEvent(name string) func(client.Message) bool {
	return func(m client.Message) bool {
		e, ok := m.Body.(client.Event)
		return ok && e.Event == name
	}
}

// response waits for the response to a message.
func (p *peer) response(id string) (m client.Message, r client.Response) {
	p.Helper()
	m = p.find(answerTo(id))
	r, _ = m.Body.(client.Response)
	return m, r
}

// says gives a prompt and returns what the team answers.
func (p *peer) says(text string) string {
	p.Helper()
	m, r := p.response(p.ask(client.MethodPrompt, text))
	if r.Error != nil {
		p.Fatalf("%q failed: %v", text, r.Error)
	}
	return text0(m)
}

func text0(m client.Message) string {
	if len(m.Content) == 0 {
		return ""
	}
	return m.Content[0].Text
}

// refused waits for the response to a message, which must be an error with a code.
func (p *peer) refused(id string, code int) client.Response {
	p.Helper()
	_, r := p.response(id)
	if r.Error == nil || int(r.Error.Code) != code {
		p.Errorf("%s was answered by %s, %v, want the error %d", id, r.Result, r.Error, code)
		return r
	}
	if r.Error.Who == "" || r.Error.Message == "" {
		p.Errorf("the error says too little: %+v", r.Error)
	}
	return r
}

// closedWith reads to the end of the connection and returns how it was closed.
func (p *peer) closedWith() websocket.StatusCode {
	p.Helper()
	for {
		if _, err := p.read(time.Hour); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// drop cuts the connection without a word.
func (p *peer) drop() { _ = p.ws.CloseNow() }
