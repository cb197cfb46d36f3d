package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// DefaultStall is how long a reply may make no progress.
const DefaultStall = 120 * time.Second

// stallTransport ends a call whose reply makes no progress: no piece of text,
// reasoning or a call for a while (spec/endpoints.md, lines 1 and 10). Comments
// and empty pieces are none. The call then fails with class stalled.
type stallTransport struct {
	base  http.RoundTripper
	after time.Duration
}

// RoundTrip sends the request; the time for the first piece begins here.
func (t *stallTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	stalled := NewError(ClassStalled, fmt.Sprintf("nothing of a reply came for %s", t.after))
	grace := min(t.after/16, time.Second)
	p := &progress{
		after: t.after + grace, grace: grace, last: time.Now(), cancel: cancel,
		failed: func(err error) error {
			if errors.Is(context.Cause(ctx), stalled) {
				return stalled
			}
			return err
		},
	}
	p.timer = time.AfterFunc(p.after, func() { cancel(stalled) })
	resp, err := t.base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		p.end()
		return nil, p.failed(err)
	}
	p.ReadCloser, resp.Body = resp.Body, p
	return resp, nil
}

// progress is the body of a reply that is watched for useful pieces. To keep
// the looking cheap, pieces are not looked at within grace of a useful one.
type progress struct {
	io.ReadCloser

	after, grace time.Duration
	last         time.Time // of the last useful piece
	timer        *time.Timer
	cancel       context.CancelCauseFunc
	failed       func(error) error // the error to return for one of the body

	line []byte // the beginning of the current line
}

// maxWatched is how much of a line is looked at, in bytes; longer ones are
// useful.
const maxWatched = 64 << 10

// Read reads on; useful pieces give the reply more time.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.look(b[:n])
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.failed(err)
	}
	return n, err
}

// Close ends the reply.
func (p *progress) Close() error {
	defer p.end()
	return p.ReadCloser.Close()
}

func (p *progress) end() {
	p.timer.Stop()
	p.cancel(nil)
}

// look finds the lines in what was read.
func (p *progress) look(text []byte) {
	for {
		end := lineEnd(text)
		part := text
		if end >= 0 {
			part = text[:end]
		}
		p.line = append(p.line, part[:min(len(part), maxWatched-len(p.line))]...)
		if end < 0 && len(p.line) < maxWatched {
			return
		}
		p.judge()
		if end < 0 {
			return
		}
		p.line, text = p.line[:0], text[end+1:]
	}
}

// lineEnd is where the first line of text ends, -1 if it does not.
func lineEnd(text []byte) int {
	end := bytes.IndexByte(text, '\n')
	if end >= 0 {
		text = text[:end]
	}
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 {
		return cr
	}
	return end
}

// judge gives the reply more time if the line is useful.
func (p *progress) judge() {
	now := time.Now()
	if now.Sub(p.last) < p.grace || len(p.line) < maxWatched && !useful(p.line) {
		return
	}
	if p.timer.Stop() {
		p.timer.Reset(p.after)
		p.last = now
	}
}

// useful reports whether a line of a reply brings it forward.
func useful(line []byte) bool {
	line = bytes.TrimSpace(line)
	name, payload, ok := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "": // blank, or a comment
		return false
	case "event", "id", "retry":
		return !ok
	case "data":
		return usefulData(bytes.TrimSpace(payload))
	}
	return true // of a plain body
}

// usefulData reports whether an event brings a reply forward. What looks like
// a part of a longer one does.
func usefulData(payload []byte) bool {
	if len(payload) == 0 || payload[0] != '{' {
		return string(payload) == "[DONE]"
	}
	var chunk struct {
		Error   any `json:"error"`
		Choices []struct {
			Delta        map[string]any `json:"delta"`
			Message      map[string]any `json:"message"`
			FinishReason string         `json:"finish_reason"`
		} `json:"choices"`
	}
	if json.Unmarshal(payload, &chunk) != nil {
		return true
	}
	for _, c := range chunk.Choices {
		if c.FinishReason != "" || says(c.Delta) || says(c.Message) {
			return true
		}
	}
	return chunk.Error != nil
}

// says reports whether a message holds more than its role.
func says(message map[string]any) bool {
	for name, value := range message {
		switch v := value.(type) {
		case nil:
		case string:
			if v != "" && name != "role" {
				return true
			}
		case []any:
			if len(v) > 0 {
				return true
			}
		case map[string]any:
			if len(v) > 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}
