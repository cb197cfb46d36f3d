package envelope

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Proto is the version of the envelope that this program writes.
const Proto = "1.0"

// Type says what a message wants. The set is closed.
type Type string

// The types of messages.
const (
	Task   Type = "task"      // work for a team or an agent
	Call   Type = "tool_call" // one call of a tool
	Result Type = "result"    // what came of a task or a call
)

// Types lists the types of messages.
func Types() []Type { return []Type{Task, Call, Result} }

// Envelope is one message. What [Decode] returns keeps to the rules of the
// fields; what a program fills in is held to them by [Encode].
type Envelope struct {
	MsgID    string // unique among the messages of its sender
	Sender   string
	Receiver string // a team or one of its agents
	Type     Type
	// TS is when it was sent, in seconds since the epoch, as it was written;
	// see [Stamp] and [Envelope.Time]. It is for people: the order of messages
	// is that of their arrival.
	TS json.Number
	// Proto is the version, "major.minor". Decode fills in [Proto] where a
	// message says none, and Encode does for an empty one.
	Proto string
	// Payload is one JSON value without white space around its parts: an
	// object, or a text where the type allows one.
	Payload json.RawMessage
	// Metadata holds what the sender added, unknown fields of the top level
	// included; nil for none.
	Metadata map[string]json.RawMessage
}

// Stamp is a time as the field ts has it, to the microsecond.
func Stamp(t time.Time) json.Number {
	return json.Number(strconv.FormatFloat(float64(t.UnixMicro())/1e6, 'f', -1, 64))
}

// Years in seconds since the epoch.
const (
	year3001  = 32_535_216_000  // from here on a time is in milliseconds
	year10000 = 253_402_300_800 // that no log can write
)

// Time is when the message was sent, in UTC. A number beyond the year 3000 is
// taken for milliseconds; one that no calendar has, even so, is the zero time.
func (e Envelope) Time() time.Time {
	seconds, err := e.TS.Float64()
	if err == nil && seconds >= year3001 {
		seconds /= 1000
	}
	if err != nil || seconds >= year10000 || seconds < 0 {
		return time.Time{}
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// Text is what a model reads of the payload: the text that it is; the detail
// of a task that says nothing else; or else the payload as JSON.
func (e Envelope) Text() string {
	var text string
	if json.Unmarshal(e.Payload, &text) == nil {
		return text
	}
	var fields map[string]json.RawMessage
	if e.Type != Task || json.Unmarshal(e.Payload, &fields) != nil {
		return string(e.Payload)
	}
	delete(fields, "task_id")
	detail, ok := fields["detail"]
	if !ok || len(fields) != 1 || json.Unmarshal(detail, &text) != nil {
		return string(e.Payload)
	}
	return text
}

// ToolCall is the payload of a message of type [Call].
type ToolCall struct {
	Name string `json:"name"`
	// Params is a JSON object.
	Params json.RawMessage `json:"params"`
	// RequestID names the call: the same call sent again has the same.
	RequestID string `json:"request_id"`
}

// ToolCall is the call that a message of type [Call] asks for; ok is false for
// other types.
func (e Envelope) ToolCall() (c ToolCall, ok bool) {
	if e.Type != Call || len(e.Payload) == 0 || e.Payload[0] != '{' {
		return c, false
	}
	// Not into the struct: package json takes "Name" for its name too.
	p := parse(e.Payload)
	return ToolCall{Name: textOf(p["name"]), Params: p["params"], RequestID: textOf(p["request_id"])}, true
}

// RequestID is what a result is about: for a task its message id, for a call
// its request id, and for a result the request that it answers, which may be
// empty.
func (e Envelope) RequestID() string {
	if e.Type == Task {
		return e.MsgID
	}
	return textOf(parse(e.Payload)["request_id"]) // a text names no request
}

// Outcome is what came of a task or a call.
type Outcome struct {
	Text   string
	Failed bool // Text says why
	// Code is a short word for why it failed, and Retryable says whether the same
	// may work later; both may be empty.
	Code      string
	Retryable bool
	// Limit is the limit that ended the work before it was done; empty for none.
	Limit string
}

// Answer is the result that goes back to the sender of e. The payload is
// {ok, request_id, text}, with {limit} for work that a limit ended, or {error, ok,
// request_id} for a failure, with {code, retryable} where they are known. The
// texts must be valid UTF-8.
func (e Envelope) Answer(msgID string, at time.Time, o Outcome) Envelope {
	said := fields{"request_id": appendjson.String(nil, e.RequestID()), "ok": json.RawMessage(strconv.FormatBool(!o.Failed))}
	for name, text := range map[string]string{"code": o.Code, "limit": o.Limit} {
		if text != "" {
			said[name] = appendjson.String(nil, text)
		}
	}
	switch {
	case o.Failed:
		said["error"] = appendjson.String(nil, o.Text)
	case o.Text != "":
		said["text"] = appendjson.String(nil, o.Text)
	}
	if o.Retryable {
		said["retryable"] = json.RawMessage("true")
	}
	return Envelope{
		MsgID: msgID, Sender: e.Receiver, Receiver: e.Sender, Type: Result, TS: Stamp(at), Proto: Proto, Payload: object(said),
	}
}
