package model

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// maxRefusal bounds what is read of a refused request's body, in bytes.
const maxRefusal = 1 << 20

// exchange is the HTTP side of one call, below go-openai: it gives the request
// the body that go-openai could not write (it leaves out empty contents, has no
// field for much, and writes every tool anew each time), turns a refusal into
// an [*Error] with its headers, and repairs the reply before go-openai reads it.
// It serves one call, in one goroutine.
type exchange struct {
	http   *http.Client
	text   []byte      // the body of the request
	header http.Header // put into the request

	progress func() // called when a piece brings the reply forward

	body *repair.Body
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
	x.body = repair.NewBody(resp.Body, x.progress)
	resp.Body = x.body
	return resp, nil
}

// fill puts the text in place of what go-openai wrote.
func (x *exchange) fill(req *http.Request) {
	req.ContentLength = int64(len(x.text))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.text)), nil }
	req.Body, _ = req.GetBody()
}
