package model

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
)

// maxRefusal bounds what is read of a refused request's body, in bytes.
const maxRefusal = 1 << 20

// exchange is the HTTP side of one call, below go-openai: it gives the request
// the body that go-openai could not write (it leaves out empty contents, has no
// field for much, and writes every tool anew each time), turns a refusal into
// an [*Error] with its headers, and watches the reply for the end mark. It
// serves one call, in one goroutine.
type exchange struct {
	http   *http.Client
	text   []byte      // the body of the request
	header http.Header // put into the request

	body *watchedBody
}

// Do sends the request; a reply with an error status is an [*Error].
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	x.fill(req)
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

// fill puts the text in place of what go-openai wrote.
func (x *exchange) fill(req *http.Request) {
	req.ContentLength = int64(len(x.text))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.text)), nil }
	req.Body, _ = req.GetBody()
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
