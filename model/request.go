package model

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"
)

// noParameters is the schema of a tool that takes none; some endpoints refuse
// a schema that is absent or has no properties.
var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// chatRequest writes req in go-openai's words. bare reports whether a message
// has no content, which go-openai leaves out of the body.
func chatRequest(modelName string, req Request) (out openai.ChatCompletionRequest, bare bool) {
	out = openai.ChatCompletionRequest{
		Model:         modelName,
		Messages:      make([]openai.ChatCompletionMessage, 0, len(req.Messages)),
		Stream:        true,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, chatMessage(m))
		bare = bare || m.Content == ""
	}
	for _, t := range req.Tools {
		schema := t.Schema
		if len(schema) == 0 || string(schema) == "null" {
			schema = noParameters
		}
		out.Tools = append(out.Tools, openai.Tool{
			Type:     openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: schema},
		})
	}
	return out, bare
}

// chatMessage writes one message; reasoning is not sent back.
func chatMessage(m Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Content}
	if m.Role == ToolRole {
		out.ToolCallID = m.CallID
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID:       c.ID,
			Type:     openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments},
		})
	}
	return out
}
