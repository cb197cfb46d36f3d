package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// envelope is what all messages have in common, as JSON.
type envelope struct {
	ID        string `json:"id,omitempty"`
	Seq       *int64 `json:"seq,omitempty"` // nil for none
	Type      Type   `json:"type"`
	Role      string `json:"role,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	TraceID   string `json:"trace_id,omitempty"`
	ReplyTo   string `json:"reply_to,omitempty"`
	Content   []Part `json:"content,omitempty"`
	Time      string `json:"timestamp,omitempty"`
	Ack       bool   `json:"ack,omitempty"`
}

// timeForm is RFC 3339 in UTC, to the millisecond.
const timeForm = "2006-01-02T15:04:05.000Z"

// maxID bounds the ids of messages, in bytes.
const maxID = 128

// Encode writes the message as one JSON object, without a number that is 0.
func (m Message) Encode() ([]byte, error) { return m.encode(m.Seq != 0) }

// encode writes the message, with its number or without.
func (m Message) encode(numbered bool) ([]byte, error) {
	if m.Body == nil || m.Body.Type() == "" {
		return nil, errors.New("client: a message without a body")
	}
	env := envelope{
		ID: m.ID, Type: m.Body.Type(), Role: m.Role, SessionID: m.SessionID, TraceID: m.TraceID,
		ReplyTo: m.ReplyTo, Content: m.Content, Ack: m.Ack,
	}
	if numbered {
		env.Seq = &m.Seq
	}
	if !m.Time.IsZero() {
		env.Time = m.Time.UTC().Format(timeForm)
	}
	text, err := appendjson.Value(nil, env)
	if err != nil {
		return nil, fmt.Errorf("client: message %s: %w", m.ID, err)
	}
	if _, ok := m.Body.(Unknown); ok {
		return text, nil
	}
	body, err := appendjson.Value(nil, m.Body)
	if err != nil {
		return nil, fmt.Errorf("client: message %s: %w", m.ID, err)
	}
	if len(body) > len("{}") { // two objects become one
		text = append(append(text[:len(text)-1], ','), body[1:]...)
	}
	return text, nil
}

// Decode reads a message. Fields that it does not know are ignored. It fails with
// [gateway.StatusBad]; then the message has what of the envelope could be read.
func Decode(text []byte) (Message, error) {
	if !utf8.Valid(text) {
		return Message{}, gateway.NewError(gateway.StatusBad, "the message is no UTF-8 text")
	}
	var compact bytes.Buffer // values that are kept as they are have one form only
	if err := json.Compact(&compact, text); err == nil {
		text = compact.Bytes()
	}
	var env envelope
	err := json.Unmarshal(text, &env)
	m := Message{
		ID: env.ID, Seq: env.seq(), Role: env.Role, SessionID: env.SessionID, TraceID: env.TraceID,
		ReplyTo: env.ReplyTo, Content: env.Content, Ack: env.Ack,
	}
	if len(m.Content) == 0 {
		m.Content = nil
	}
	if err != nil {
		return m, wrong(text, err)
	}
	if m.Time, err = env.time(); err != nil {
		return m, err
	}
	if err := env.check(); err != nil {
		return m, err
	}
	read, ok := bodies[env.Type]
	if !ok {
		m.Body = Unknown{env.Type}
		return m, nil
	}
	if m.Body, err = read(text); err != nil {
		return m, wrong(text, err)
	}
	return m, nil
}

// check refuses what no message has.
func (env *envelope) check() error {
	switch {
	case env.Type == "":
		return gateway.NewError(gateway.StatusBad, "the message has no type").WithHint(`name one, such as "request"`)
	case env.seq() < 0:
		return gateway.NewError(gateway.StatusBad, "seq is %d; it counts from 1", env.seq())
	case len(env.ID) > maxID:
		return gateway.NewError(gateway.StatusBad, "the id has %d bytes; at most %d", len(env.ID), maxID)
	}
	return nil
}

// seq is the number, 0 for none.
func (env *envelope) seq() int64 {
	if env.Seq == nil {
		return 0
	}
	return *env.Seq
}

// time reads the timestamp.
func (env *envelope) time() (time.Time, error) {
	if env.Time == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, env.Time)
	at = at.UTC().Truncate(time.Millisecond)
	if err != nil || at.Year() < 0 || at.Year() > 9999 {
		return time.Time{}, gateway.NewError(gateway.StatusBad, "timestamp is no time of RFC 3339").WithHint("write it as 2026-01-31T12:00:00.000Z, or leave it out")
	}
	return at, nil
}

// wrong says what is wrong with the JSON of a message, without the names of our
// types.
func wrong(text []byte, err error) error {
	typ, isType := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !json.Valid(text):
		return gateway.NewError(gateway.StatusBad, "the message is no JSON: %v", err)
	case isType && typ.Field == "":
		return gateway.NewError(gateway.StatusBad, "the message is a JSON %s; it is an object", typ.Value)
	case isType:
		return gateway.NewError(gateway.StatusBad, "%s: a JSON %s is no value for it", typ.Field, typ.Value)
	}
	return gateway.NewError(gateway.StatusBad, "%v", err)
}

// readBody reads the fields of a body.
func readBody[T Body](text []byte) (Body, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

// typeContent is an older name of TypeChunk, which is read and never written.
const typeContent Type = "agent.content"

// bodies has a reader for every type.
var bodies = map[Type]func([]byte) (Body, error){
	TypeHello:      readBody[Hello],
	TypeHelloAck:   readBody[HelloAck],
	TypeResumed:    readBody[Resumed],
	TypeExpired:    readBody[Expired],
	TypeRequest:    readBody[Request],
	TypeResponse:   readBody[Response],
	TypeChunk:      readBody[Chunk],
	typeContent:    readBody[Chunk],
	TypeFinal:      readBody[Final],
	TypeToolCall:   readBody[ToolCall],
	TypeToolResult: readBody[ToolResult],
	TypeEvent:      readBody[Event],
	TypePing:       readBody[Ping],
	TypePong:       readBody[Pong],
	TypeFragment:   readBody[Fragment],
}

// Types lists the types of messages that this version knows, in order.
func Types() []Type {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(bodies)), func(t Type) bool { return t == typeContent })
}

// UnmarshalJSON reads a failure, or the bare text of one.
func (f *ToolFailure) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &f.Message) == nil {
		return nil
	}
	type plain ToolFailure
	return json.Unmarshal(text, (*plain)(f))
}
