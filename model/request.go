package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	openai "github.com/sashabaranov/go-openai"
)

// chatRequest is what go-openai checks before a request goes out: the model,
// the effort, and whether there are tools. Its text is not sent; the exchange
// puts the body of [chatBody] in its place.
func (a *adapter) chatRequest(req Request) openai.ChatCompletionRequest {
	chat := openai.ChatCompletionRequest{Model: a.endpoint.Model, Stream: true}
	chat.ReasoningEffort, _ = a.endpoint.Extra["reasoning_effort"].(string)
	if len(req.Tools) > 0 {
		chat.ToolChoice = "auto" // as good as a tool, and written without work
	}
	return chat
}

// body is the text of the request for req, as the profile wants it.
func (a *adapter) body(p Profile, req Request) ([]byte, error) {
	tools, err := a.offers.text(req.Tools, p.SchemaDialect)
	if err != nil {
		return nil, err
	}
	b := &chatBody{
		model: a.endpoint.Model, from: a.ref(), profile: p, messages: req.Messages, tools: tools, fields: a.callFields(p, req),
	}
	if p.NoRequiredToolChoice && askedForTool(b.fields) {
		b.fields[toolChoice] = json.RawMessage(`"auto"`)
		b.messages = instructed(b.messages)
	}
	b.messages = arrange(p, b.messages)
	return b.append(make([]byte, 0, b.size())), nil
}

// Body fields that depend on the profile.
const (
	toolChoice        = "tool_choice"
	parallelToolCalls = "parallel_tool_calls"
	temperature       = "temperature"
	options           = "options"
)

// callFields are the body fields of one request beside those that all have.
func (a *adapter) callFields(p Profile, req Request) map[string]json.RawMessage {
	fields := make(map[string]json.RawMessage, len(a.fields)+2)
	if limit := cmp.Or(req.MaxOutputTokens, a.endpoint.MaxOutputTokens); limit != 0 {
		fields[cmp.Or(p.MaxTokensField, "max_tokens")] = strconv.AppendInt(nil, int64(limit), 10)
	}
	if p.NumCtx > 0 {
		fields[options] = fmt.Appendf(nil, `{"num_ctx":%d}`, p.NumCtx)
	}
	maps.Copy(fields, a.fields)
	if p.NoTemperature {
		delete(fields, temperature)
	}
	if p.NoParallelToolCalls || len(req.Tools) == 0 {
		delete(fields, parallelToolCalls)
	}
	if len(req.Tools) == 0 {
		delete(fields, toolChoice)
	}
	return fields
}

// askedForTool reports whether the fields demand a tool call.
func askedForTool(fields map[string]json.RawMessage) bool {
	return string(fields[toolChoice]) == `"required"`
}
