package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"

	openai "github.com/sashabaranov/go-openai"
)

// errTimeout is the cause of a call that took longer than its endpoint allows.
var errTimeout = errors.New("model: the reply did not end in time")

// adapter is the client of one endpoint.
type adapter struct {
	endpoint Endpoint
	address  *url.URL
	config   openai.ClientConfig
	http     *http.Client
	fields   map[string]json.RawMessage // body fields of every request
	header   http.Header
	offers   offers
}

// Stream asks the endpoint; see [Client].
func (a *adapter) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		callCtx, cancel := context.WithTimeoutCause(ctx, a.endpoint.Timeout, errTimeout)
		defer cancel()
		body, err := a.body(req)
		if err != nil {
			yield(Chunk{}, a.failure(ctx, callCtx, err, ""))
			return
		}
		x := &exchange{http: a.http, text: body, header: a.header}
		config := a.config
		config.HTTPClient = x
		stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(callCtx, a.chatRequest(req))
		if err != nil {
			yield(Chunk{}, a.failure(ctx, callCtx, err, ""))
			return
		}
		defer stream.Close()
		var reply assembly
		for {
			resp, err := stream.Recv()
			if err != nil {
				last, err := reply.end(req, err, x.done())
				if err != nil {
					err = a.failure(ctx, callCtx, err, reply.text.String())
				}
				yieldLast(yield, last, err)
				return
			}
			if c := reply.add(resp); (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
				return
			}
		}
	}
}

// yieldLast yields the last piece if it says something, then the error if
// there is one.
func yieldLast(yield func(Chunk, error) bool, last Chunk, err error) {
	if last.Usage != nil && !yield(last, nil) {
		return
	}
	if err != nil {
		yield(Chunk{}, err)
	}
}

// callFields are the body fields of one request.
func (a *adapter) callFields(req Request) map[string]json.RawMessage {
	limit := req.MaxOutputTokens
	if limit == 0 {
		limit = a.endpoint.MaxOutputTokens
	}
	if limit == 0 {
		return a.fields
	}
	name := cmp.Or(a.endpoint.Profile.MaxTokensField, "max_tokens")
	fields := map[string]json.RawMessage{name: json.RawMessage(fmt.Sprint(limit))}
	maps.Copy(fields, a.fields)
	return fields
}
