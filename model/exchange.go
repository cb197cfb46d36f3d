package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
)

// maxRefusal bounds what is read of a refused request's body, in bytes.
const maxRefusal = 1 << 20

// exchange is the HTTP side of one call, below go-openai: it adds to the
// request what go-openai has no field for, turns a refusal into an [*Error]
// with its headers, and watches the body for the end mark. It serves one call,
// in one goroutine.
type exchange struct {
	http   *http.Client
	fields map[string]json.RawMessage // put into the body, over go-openai's own
	header http.Header                // put into the request
	bare   bool                       // some messages have no content, which go-openai leaves out

	body *watchedBody
}

// Do sends the request; a reply with an error status is an [*Error].
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if err := x.fill(req); err != nil {
		return nil, err
	}
	maps.Copy(req.Header, x.header)
	resp, err := x.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		if err != nil && req.Context().Err() != nil {
			return nil, context.Cause(req.Context())
		}
		return nil, refusal(resp.StatusCode, resp.Header, text)
	}
	x.body = &watchedBody{ReadCloser: resp.Body}
	resp.Body = x.body
	return resp, nil
}

// done reports whether the end mark was read.
func (x *exchange) done() bool { return x.body != nil && x.body.done() }

// fill merges the extra fields into the request's body.
func (x *exchange) fill(req *http.Request) error {
	if len(x.fields) == 0 && !x.bare {
		return nil
	}
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("model: request body: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("model: request body: %w", err)
	}
	if x.bare {
		if fields["messages"], err = fillContent(fields["messages"]); err != nil {
			return err
		}
	}
	maps.Copy(fields, x.fields)
	if text, err = json.Marshal(fields); err != nil {
		return fmt.Errorf("model: request body: %w", err)
	}
	req.ContentLength = int64(len(text))
	req.Body = io.NopCloser(bytes.NewReader(text))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return nil
}

// fillContent gives each message without content an empty one: null beside
// tool calls, else the empty text (spec/endpoints.md, line 30).
func fillContent(messages json.RawMessage) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(messages, &list); err != nil {
		return nil, fmt.Errorf("model: request messages: %w", err)
	}
	for _, m := range list {
		if _, ok := m["content"]; ok {
			continue
		}
		if _, ok := m["tool_calls"]; ok {
			m["content"] = json.RawMessage("null")
		} else {
			m["content"] = json.RawMessage(`""`)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("model: request messages: %w", err)
	}
	return text, nil
}

// watchedBody looks for the line that ends a stream, which go-openai does not
// tell from a body that just ends.
type watchedBody struct {
	io.ReadCloser

	line []byte // the beginning of the current line
	seen bool
}

// lineStart is how much of a line is looked at; the end mark is shorter.
const lineStart = 64

// Read reads on and looks at what it read.
func (w *watchedBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0 && !w.seen; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		w.line = append(w.line, line[:min(len(line), lineStart-len(w.line))]...)
		if ended {
			w.seen = isEndMark(w.line)
			w.line = w.line[:0]
		}
		rest = after
	}
	return n, err
}

// done reports whether the end mark was read, also as a last line without its
// end.
func (w *watchedBody) done() bool { return w.seen || isEndMark(w.line) }

func isEndMark(line []byte) bool {
	payload, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
	return ok && string(bytes.TrimSpace(payload)) == "[DONE]"
}
