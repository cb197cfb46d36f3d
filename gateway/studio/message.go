package studio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// Types of messages.
const (
	TypeUserInput       = "user-input"
	TypeResponse        = "response-state"
	TypeIteration       = "iteration-state"
	TypeModelInvocation = "model-invocation-state"
	TypeThinking        = "think-output"
	TypeChat            = "chat-output"
	TypeToolCall        = "tool-call"
	TypeError           = "error"
)

// What a message tells of its stream, for [Message.Event].
const (
	EventStart = "start"
	EventDelta = "delta"
	EventEnd   = "end"
	EventError = "error"
)

// UserInput is the message that a studio sends.
type UserInput struct {
	Type      string `json:"type"` // TypeUserInput
	APIKey    string `json:"apiKey"`
	ProjectID string `json:"projectId,omitempty"`
	// WorkDir is the folder to work in; a leading slash means the workspace of the
	// server.
	WorkDir string `json:"workDir,omitempty"`
	// SessionID names the conversation: who sends it again goes on with it.
	SessionID string `json:"sessionId,omitempty"`
	UserInput string `json:"userInput"`
	// PreferredModel is provider:model, as the studio calls them.
	PreferredModel string `json:"preferredModel,omitempty"`
}

// Message is a message that an agent sends. Messages with one ID make a stream.
type Message struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Event   string `json:"event"`
	Content string `json:"content,omitempty"`
	// Func and Args, a JSON object, are those of a tool call.
	Func string          `json:"func,omitempty"`
	Args json.RawMessage `json:"args,omitempty"`
}

// text is the message as it is sent.
func (m Message) text() ([]byte, error) {
	text, err := appendjson.Value(nil, m)
	if err != nil {
		return nil, fmt.Errorf("studio: %w", err)
	}
	return text, nil
}

// parseInput reads a user-input, whatever it says. It fails in words that repeat
// nothing of the text, which has a token.
func parseInput(text []byte) (UserInput, error) {
	var in UserInput
	if !utf8.Valid(text) {
		return in, gateway.NewError(gateway.StatusBad, "the message is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&in); err != nil {
		return UserInput{}, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return UserInput{}, gateway.NewError(gateway.StatusBad, "the message is more than one JSON object").WithHint("send each in a message of its own")
	}
	return in, nil
}

// check fails when a user-input asks for nothing.
func (in UserInput) check() error {
	switch {
	case in.Type != TypeUserInput:
		return gateway.NewError(gateway.StatusBad, "the type of the message is not %s", TypeUserInput).WithHint("a client sends nothing else")
	case strings.TrimSpace(in.UserInput) == "":
		return gateway.NewError(gateway.StatusBad, "userInput is empty")
	}
	return nil
}

// badJSON words why a text is no user-input.
func badJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := wrong.Field
		if field == "" {
			return gateway.NewError(gateway.StatusBad, "the message is no JSON object")
		}
		return gateway.NewError(gateway.StatusBad, "%s is not a text", field)
	}
	e := gateway.NewError(gateway.StatusBad, "the message is no JSON").WithHint("strict JSON has no comma behind the last field, and no comments")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		e.Message = fmt.Sprintf("the message is no JSON: byte %d", syntax.Offset)
	}
	return e
}
