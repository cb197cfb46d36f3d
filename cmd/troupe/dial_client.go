package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// clientSpeaker speaks the client protocol: it says hello, makes each line a
// prompt, and answers pings.
type clientSpeaker struct {
	first client.Message
	model string
	open  map[string]bool // the hello, and requests, that have no answer
	no    *gateway.Error  // the first refusal of a request
}

func speakClient(d *dialCommand) (speaker, error) {
	s := &clientSpeaker{model: d.model, open: map[string]bool{}, first: client.Message{SessionID: d.session}}
	hello := client.Hello{
		Protocol: client.Protocol, Token: d.token, ClientInfo: client.Info{Name: "troupe dial", Version: version().Version},
		Capabilities: client.Abilities{Streaming: true},
	}
	if d.resume != "" {
		session, seq, ok := strings.Cut(d.resume, "@")
		last, err := strconv.ParseInt(seq, 10, 64)
		if session == "" || !ok || err != nil || last < 0 || d.session != "" && d.session != session {
			return nil, usageError(fmt.Sprintf(d.words.badSample, "resume", d.resume, "SESSION@SEQ"), "")
		}
		s.first.SessionID, hello.LastSeq = session, last
	}
	s.first.Body = hello
	return s, d.onlyFor("client", map[string]string{"project": d.project, "workdir": d.workDir})
}

func (s *clientSpeaker) hello() []byte {
	s.first.ID = messageID()
	s.open[s.first.ID] = true
	return clientMessage(s.first)
}

func (s *clientSpeaker) line(text string) []byte {
	return s.asks(clientMessage(client.Message{Content: []client.Part{client.Text(text)}, Body: client.Request{Method: client.MethodPrompt, Model: s.model}}))
}

// object gives a message an id if it has none.
func (s *clientSpeaker) object(text []byte) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(text, &fields) != nil || fields["id"] != nil {
		return s.asks(text)
	}
	fields["id"] = encoded(messageID())
	return s.asks(encoded(fields))
}

// asks notes that a message, if it is a request, wants a response.
func (s *clientSpeaker) asks(text []byte) []byte {
	if m, err := client.Decode(text); err == nil && m.Body.Type() == client.TypeRequest {
		s.open[m.ID] = true
	}
	return text
}

func (s *clientSpeaker) heard(text []byte) (answer []byte, over bool) {
	m, err := client.Decode(text)
	if err != nil {
		return nil, false
	}
	switch body := m.Body.(type) {
	case client.Ping:
		answer = clientMessage(client.Message{ReplyTo: m.ID, Body: client.Pong{}})
	case client.HelloAck:
		delete(s.open, m.ReplyTo)
	case client.Response:
		if m.ReplyTo == s.first.ID {
			break // a hello that is refused is followed by the end, which says why
		}
		delete(s.open, m.ReplyTo)
		s.no = cmp.Or(s.no, body.Error)
	default:
	}
	return answer, false
}

// settled reports whether all that was asked is answered.
func (s *clientSpeaker) settled() bool { return len(s.open) == 0 }

// refusal is the error of what was asked and refused, nil when nothing was.
func (s *clientSpeaker) refusal() error {
	if s.no == nil {
		return nil
	}
	return &failure{code: exitFailed, text: s.no.Message, hint: s.no.Hint, err: s.no}
}

func (*clientSpeaker) read(text []byte) []byte { return text }
func (*clientSpeaker) oneByOne() bool          { return false }

func messageID() string { return "msg_" + strings.ToLower(rand.Text()) }

// clientMessage is a message as it is sent, with an id.
func clientMessage(m client.Message) []byte {
	m.ID = cmp.Or(m.ID, messageID())
	text, _ := m.Encode() // what dial says has a JSON form
	return text
}
