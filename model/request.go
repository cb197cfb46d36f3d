package model

import (
	openai "github.com/sashabaranov/go-openai"
)

// chatRequest is what go-openai checks before a request goes out: the model,
// the effort, and whether there are tools. Its text is not sent; the exchange
// puts the body of [appendBody] in its place.
func (a *adapter) chatRequest(req Request) openai.ChatCompletionRequest {
	chat := openai.ChatCompletionRequest{Model: a.endpoint.Model, Stream: true}
	chat.ReasoningEffort, _ = a.endpoint.Extra["reasoning_effort"].(string)
	if len(req.Tools) > 0 {
		chat.Tools = []openai.Tool{{Type: openai.ToolTypeFunction}}
	}
	return chat
}

// body is the text of the request for req.
func (a *adapter) body(req Request) ([]byte, error) {
	tools, err := a.offers.text(req.Tools)
	if err != nil {
		return nil, err
	}
	return appendBody(make([]byte, 0, bodySize(req, tools)), a.endpoint.Model, req, tools, a.callFields(req)), nil
}
