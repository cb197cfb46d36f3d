package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// ChatRequest is a request as the server read it.
type ChatRequest struct {
	// Number counts the requests of the server from 1.
	Number int
	// Model is the model asked for.
	Model string
	// Messages is the conversation; Origin is never set.
	Messages []model.Message
	// Tools are the tools on offer.
	Tools []model.Tool
	// Stream and IncludeUsage say how the reply is wanted.
	Stream, IncludeUsage bool
	// Fields are all fields of the body.
	Fields map[string]json.RawMessage
	// Header has the headers, Authorization among them.
	Header http.Header
	// Body is the exact body.
	Body []byte
}

// Reply returns the number of the reply that is asked for, from 1: the count
// of assistant messages plus one.
func (r ChatRequest) Reply() int { return number(r.Messages) }

// Last returns the last message of the role; zero if there is none.
func (r ChatRequest) Last(role model.Role) model.Message {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == role {
			return m
		}
	}
	return model.Message{}
}

// The protocol's JSON, as far as a chat needs it.
type (
	requestJSON struct {
		Model         string        `json:"model"`
		Stream        bool          `json:"stream"`
		Messages      []messageJSON `json:"messages"`
		Tools         []toolJSON    `json:"tools"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	messageJSON struct {
		Role             model.Role      `json:"role,omitempty"`
		Content          json.RawMessage `json:"content,omitempty"`
		ReasoningContent string          `json:"reasoning_content,omitempty"`
		ToolCalls        []callJSON      `json:"tool_calls,omitempty"`
		ToolCallID       string          `json:"tool_call_id,omitempty"`
	}
	callJSON struct {
		Index    *int         `json:"index,omitempty"`
		ID       string       `json:"id,omitempty"`
		Type     string       `json:"type,omitempty"`
		Function functionJSON `json:"function"`
	}
	functionJSON struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
	toolJSON struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	choiceJSON struct {
		Index        int          `json:"index"`
		Delta        *messageJSON `json:"delta,omitempty"`
		Message      *messageJSON `json:"message,omitempty"`
		FinishReason *string      `json:"finish_reason"`
	}
	answerJSON struct {
		ID      string       `json:"id"`
		Object  string       `json:"object"`
		Created int64        `json:"created"`
		Model   string       `json:"model"`
		Choices []choiceJSON `json:"choices"`
		Usage   *usageJSON   `json:"usage,omitempty"`
	}
	usageJSON struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		PromptDetails    struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails struct {
			ReasoningTokens int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	modelList struct {
		Object string        `json:"object"`
		Data   []listedModel `json:"data"`
	}
	listedModel struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
	}
)

// parseRequest reads a chat request and refuses what a strict endpoint would.
func parseRequest(r *http.Request) (ChatRequest, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ChatRequest{}, fmt.Errorf("reading the body: %w", err)
	}
	var in requestJSON
	if err := json.Unmarshal(body, &in); err != nil {
		return ChatRequest{}, fmt.Errorf("body is no chat request: %w", err)
	}
	out := ChatRequest{
		Model: in.Model, Stream: in.Stream, IncludeUsage: in.StreamOptions.IncludeUsage,
		Header: r.Header.Clone(), Body: body,
	}
	if err := json.Unmarshal(body, &out.Fields); err != nil {
		return ChatRequest{}, fmt.Errorf("body is no object: %w", err)
	}
	if in.Model == "" {
		return ChatRequest{}, fmt.Errorf("model is missing")
	}
	for i, m := range in.Messages {
		message, err := m.message()
		if err != nil {
			return ChatRequest{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		out.Messages = append(out.Messages, message)
	}
	for i, t := range in.Tools {
		if t.Type != "function" || t.Function.Name == "" || len(t.Function.Parameters) == 0 {
			return ChatRequest{}, fmt.Errorf("tools[%d]: a function with a name and parameters is wanted", i)
		}
		out.Tools = append(out.Tools, model.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	return out, nil
}

// message checks and converts one message of the conversation.
func (m messageJSON) message() (model.Message, error) {
	out := model.Message{Role: m.Role, CallID: m.ToolCallID, Reasoning: m.ReasoningContent}
	switch {
	case m.Content == nil:
		return out, fmt.Errorf("content is missing")
	case string(m.Content) == "null" && len(m.ToolCalls) == 0:
		return out, fmt.Errorf("content is null without tool calls")
	case string(m.Content) != "null":
		if err := json.Unmarshal(m.Content, &out.Content); err != nil {
			return out, fmt.Errorf("content: %w", err)
		}
	}
	switch m.Role {
	case model.System, model.User:
	case model.Assistant:
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Function.Name == "" {
				return out, fmt.Errorf("tool call without an id or a name")
			}
			out.Calls = append(out.Calls, event.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
	case model.ToolRole:
		if m.ToolCallID == "" {
			return out, fmt.Errorf("tool result without tool_call_id")
		}
	default:
		return out, fmt.Errorf("unknown role %q", m.Role)
	}
	return out, nil
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) //nolint:errcheck // the client may be gone
}

func writeError(w http.ResponseWriter, status int, words string) {
	var body struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	body.Error.Message, body.Error.Type = words, "test_error"
	writeJSON(w, status, body)
}
