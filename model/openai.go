package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"

	openai "github.com/sashabaranov/go-openai"

	"github.com/troupe-go/troupe/model/internal/repair"
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
		callCtx, watch := watchStall(callCtx, a.endpoint.Stall)
		defer watch.end()
		body, err := a.body(a.endpoint.Profile, req)
		if err != nil {
			yield(Chunk{}, a.failure(ctx, callCtx, err, ""))
			return
		}
		x := &exchange{http: a.http, text: body, header: a.header, progress: watch.progress}
		config := a.config
		config.HTTPClient = x
		stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(callCtx, a.chatRequest(req))
		if err != nil {
			yield(Chunk{}, a.failure(ctx, callCtx, err, ""))
			return
		}
		defer stream.Close()
		a.read(ctx, callCtx, req, stream, x.body, yield)
	}
}

// read hands on the reply piece by piece, up to its end.
func (a *adapter) read(ctx, callCtx context.Context, req Request, stream *openai.ChatCompletionStream, body *repair.Body, yield func(Chunk, error) bool) {
	reply := newAssembly(a.endpoint.Profile, a.ref())
	for {
		said, err := recv(stream, body)
		kept := body.Take()
		if err == nil && !reply.fits(said, kept) {
			err = longReply()
		}
		if err != nil {
			e := reply.end(req, err, body.Facts().Done)
			if e.err != nil {
				e.err = a.failure(ctx, callCtx, e.err, reply.text.String())
			}
			e.yield(yield)
			return
		}
		if c := reply.add(said, kept); (c.Text != "" || c.Reasoning != "") && !yield(c, nil) {
			return
		}
	}
}

// recv returns what the next event says. Looking at it has told that already,
// mostly; decoding JSON is most of what reading a reply costs.
func recv(stream *openai.ChatCompletionStream, body *repair.Body) (repair.Said, error) {
	raw, err := stream.RecvRaw()
	if err != nil {
		return repair.Said{}, err
	}
	if said, ok := body.Said(); ok {
		return said, nil
	}
	return decodeEvent(raw)
}

// decodeEvent reads an event in go-openai's words.
func decodeEvent(raw []byte) (repair.Said, error) {
	var (
		resp openai.ChatCompletionStreamResponse
		said repair.Said
	)
	if err := json.Unmarshal(raw, &resp); err != nil {
		return said, err
	}
	for _, choice := range resp.Choices {
		if choice.Index != 0 {
			continue // one reply was asked for
		}
		said.Content += choice.Delta.Content + choice.Delta.Refusal
		said.Reasoning += choice.Delta.ReasoningContent
		for _, c := range choice.Delta.ToolCalls {
			said.Calls = append(said.Calls, repair.SaidCall{Index: c.Index, ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		if f := string(choice.FinishReason); f != "null" {
			said.Finish = cmp.Or(f, said.Finish)
		}
	}
	if u := resp.Usage; u != nil {
		said.Usage = &repair.Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens}
		if d := u.PromptTokensDetails; d != nil {
			said.Usage.Cached = d.CachedTokens
		}
		if d := u.CompletionTokensDetails; d != nil {
			said.Usage.Reasoning = d.ReasoningTokens
		}
	}
	return said, nil
}

// target is the endpoint with its key; the address is that of [Info.BaseURL].
func (a *adapter) target() target { return target{redacted(a.address), a.endpoint.Key} }

// ref names the model as references do.
func (a *adapter) ref() string { return a.endpoint.Provider + "/" + a.endpoint.Model }
