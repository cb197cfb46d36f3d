package model

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// tapeLine is a line of a recording: a request, a piece of its reply, or its
// end. The calls of an agent are numbered from 1 in the order of their
// requests.
type tapeLine struct {
	Agent   string       `json:"agent"`
	Call    int          `json:"call"`
	Request *tapeRequest `json:"request,omitempty"`
	Chunk   *tapeChunk   `json:"chunk,omitempty"`
	Error   *tapeError   `json:"error,omitempty"`
	End     tapeEnd      `json:"end,omitempty"`
}

// tapeEnd says how a call without an error ended.
type tapeEnd string

const (
	tapeDone    tapeEnd = "done"    // after the last piece
	tapeStopped tapeEnd = "stopped" // the consumer wanted no more
)

// tapeRequest is a request by what is new in it against the one before of the
// same agent.
type tapeRequest struct {
	Digest    string    `json:"digest"`
	Role      string    `json:"role,omitempty"`
	MaxTokens int       `json:"max_output_tokens,omitempty"`
	Same      int       `json:"same,omitempty"` // messages that it begins with as the one before
	Messages  []Message `json:"messages,omitempty"`
	SameTools bool      `json:"same_tools,omitempty"`
	Tools     []Tool    `json:"tools,omitempty"`
}

// requestForm is a request as recordings compare it: the JSON of each message
// and tool. What is no UTF-8 text in it counts as the replacement character.
type requestForm struct {
	role            string
	maxTokens       int
	messages, tools []string
}

func formOf(req Request) (requestForm, error) {
	messages, err := formTexts(req.Messages)
	if err != nil {
		return requestForm{}, err
	}
	tools, err := formTexts(req.Tools)
	return requestForm{req.AgentRole, req.MaxOutputTokens, messages, tools}, err
}

func formTexts[T any](list []T) (texts []string, err error) {
	for _, v := range list {
		text, err := jsonText(v)
		if err != nil {
			return nil, fmt.Errorf("model: recording: %w", err)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// digest is the SHA-256 of a request, in hex.
func (f requestForm) digest() string {
	sum := sha256.New()
	write := func(texts ...string) {
		for _, t := range texts {
			_, _ = fmt.Fprintf(sum, "%d:%s", len(t), t)
		}
	}
	write(f.role, strconv.Itoa(f.maxTokens), strconv.Itoa(len(f.tools)))
	write(f.tools...)
	write(f.messages...)
	return hex.EncodeToString(sum.Sum(nil))
}

// tapeText is text that need not be UTF-8: a piece may end inside a character.
type tapeText string

// MarshalJSON writes a string, or an object with the bytes in base64.
func (t tapeText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(t))})
}

// UnmarshalJSON reads either form.
func (t *tapeText) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(t))
	}
	var coded struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(text, &coded)
	*t = tapeText(coded.Base64)
	return err
}

// tapeChunk is a [Chunk].
type tapeChunk struct {
	Text      tapeText     `json:"text,omitempty"`
	Reasoning tapeText     `json:"reasoning,omitempty"`
	Calls     []tapeCall   `json:"calls,omitempty"`
	Extra     tapeText     `json:"extra,omitempty"`
	Finish    event.Finish `json:"finish,omitempty"`
	RawFinish tapeText     `json:"raw_finish,omitempty"`
	Usage     *event.Usage `json:"usage,omitempty"`
	Model     tapeText     `json:"model,omitempty"`
	// Notice is a record without place and time.
	Notice *event.Record `json:"notice,omitempty"`
}

// tapeCall is an [event.Call].
type tapeCall struct {
	ID        tapeText `json:"id,omitempty"`
	Name      tapeText `json:"name,omitempty"`
	Arguments tapeText `json:"arguments,omitempty"`
	Extra     tapeText `json:"extra,omitempty"`
}

func tapedChunk(c Chunk) *tapeChunk {
	t := &tapeChunk{
		Text: tapeText(c.Text), Reasoning: tapeText(c.Reasoning), Extra: tapeText(c.Extra),
		Finish: c.Finish, RawFinish: tapeText(c.RawFinish), Usage: c.Usage, Model: tapeText(c.Model),
	}
	for _, call := range c.Calls {
		t.Calls = append(t.Calls, tapeCall{tapeText(call.ID), tapeText(call.Name), tapeText(call.Arguments), tapeText(call.Extra)})
	}
	if c.Notice != nil {
		t.Notice = &event.Record{V: event.Version, Data: c.Notice}
	}
	return t
}

func (t *tapeChunk) chunk() Chunk {
	c := Chunk{
		Text: string(t.Text), Reasoning: string(t.Reasoning), Extra: string(t.Extra),
		Finish: t.Finish, RawFinish: string(t.RawFinish), Model: string(t.Model),
	}
	if t.Usage != nil {
		usage := *t.Usage
		c.Usage = &usage
	}
	for _, call := range t.Calls {
		c.Calls = append(c.Calls, event.Call{
			ID: string(call.ID), Name: string(call.Name), Arguments: string(call.Arguments), Extra: string(call.Extra),
		})
	}
	if t.Notice != nil {
		c.Notice = t.Notice.Data
	}
	return c
}

// tapeError is what ended a call. Its words come back, and of its causes an
// [*Error] and those of a context.
type tapeError struct {
	Text  tapeText   `json:"text"`
	Model *tapeModel `json:"model,omitempty"`
	Cause string     `json:"cause,omitempty"` // "canceled" or "deadline"
}

// tapeModel is an [*Error].
type tapeModel struct {
	Class      string        `json:"class"`
	Like       string        `json:"like,omitempty"`
	Who        string        `json:"who,omitempty"`
	Status     int           `json:"status,omitempty"`
	Retryable  bool          `json:"retryable,omitempty"`
	Message    tapeText      `json:"message,omitempty"`
	Hint       tapeText      `json:"hint,omitempty"`
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	Partial    tapeText      `json:"partial,omitempty"`
}

func tapedError(err error) *tapeError {
	t := &tapeError{Text: tapeText(err.Error())}
	switch {
	case errors.Is(err, context.Canceled):
		t.Cause = "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		t.Cause = "deadline"
	}
	if e, ok := errors.AsType[*Error](err); ok {
		t.Model = &tapeModel{
			Class: e.Class, Like: e.Like, Who: e.Who, Status: e.Status, Retryable: e.Retryable,
			Message: tapeText(e.Message), Hint: tapeText(e.Hint), RetryAfter: e.RetryAfter, Partial: tapeText(e.Partial),
		}
	}
	return t
}

// replayedError has the words of a recorded error and the causes of it that a
// recording keeps.
type replayedError struct {
	text  string
	cause error
}

// Error returns the recorded words.
func (e *replayedError) Error() string { return e.text }

// Unwrap returns the cause below, or nil.
func (e *replayedError) Unwrap() error { return e.cause }

func (t *tapeError) err() error {
	var cause error
	switch t.Cause {
	case "canceled":
		cause = context.Canceled
	case "deadline":
		cause = context.DeadlineExceeded
	}
	if m := t.Model; m != nil {
		e := &Error{
			Class: m.Class, Like: m.Like, Who: m.Who, Status: m.Status, Retryable: m.Retryable,
			Message: string(m.Message), Hint: string(m.Hint), RetryAfter: m.RetryAfter, Partial: string(m.Partial), Err: cause,
		}
		if e.Error() == string(t.Text) {
			return e
		}
		cause = e
	}
	return &replayedError{string(t.Text), cause}
}
