package model

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Client is the port to a chat model: one method.
//
// Stream asks the model and yields the reply in pieces. The sequence ends
// after the last piece, or with one error, which is a [*Error] where the cause
// is known; a consumer that stops early ends the call. A client is safe for
// use by many agents at once.
type Client interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is one question to a model.
type Request struct {
	// Agent and AgentRole say for whom it is, for example "uio_1" and "uio".
	Agent, AgentRole string
	// Messages is the whole conversation, the system prompt first.
	Messages []Message
	// Tools are the tools on offer; none means that the model must answer in text.
	Tools []Tool
	// MaxOutputTokens bounds the reply; 0 leaves it to the client's settings.
	MaxOutputTokens int
}

// Role is the author of a message, as the chat protocol names it.
type Role string

// The four roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Reasoning is what the model thought, on assistant messages.
	Reasoning string `json:"reasoning,omitempty"`
	// Calls are the tool calls of an assistant message.
	Calls []event.Call `json:"calls,omitempty"`
	// Extra is [Chunk.Extra] of the reply that an assistant message was.
	Extra string `json:"extra,omitempty"`
	// CallID and ToolName are set on tool results.
	CallID   string `json:"call_id,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
	// IsError marks a tool result that tells of an error.
	IsError bool `json:"is_error,omitempty"`
	// Origin says which mailbox message a user message is; adapters ignore it.
	Origin Origin `json:"origin,omitzero"`
}

// Origin is what the runtime knows of a user message, so that scripted models
// need not parse its text.
type Origin struct {
	Kind       event.Kind `json:"kind,omitempty"`
	From       string     `json:"from,omitempty"` // display name of the sender
	FromID     string     `json:"from_id,omitempty"`
	ID         string     `json:"id,omitempty"`
	QuestionID string     `json:"question_id,omitempty"` // the id to answer, for questions
	Content    string     `json:"-"`                     // without the frame
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments, an object with properties
}

// Chunk is a piece of a reply. Any of its fields may be set.
type Chunk struct {
	// Text and Reasoning are added to what came before.
	Text, Reasoning string
	// Calls are complete tool calls, added to those that came before.
	Calls []event.Call
	// Extra is what else of the reply must go back with it, as JSON that only
	// the client that made it reads; empty if there is nothing.
	Extra string
	// Finish says why the model stopped; RawFinish is the provider's word
	// when it is another.
	Finish    event.Finish
	RawFinish string
	// Usage replaces what came before: that of the whole call so far, also of
	// attempts and models that failed.
	Usage *event.Usage
	// Model names the model that is asked from now on, where a client has
	// several ([WithFallback]); what Usage grew by since it changed is that
	// model's. Empty means the same as before.
	Model string
	// Notice is a fact for the log: ModelRetried, ModelProfile or Warning.
	// After a ModelRetried the reply starts anew.
	Notice event.Data
}
