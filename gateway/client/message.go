package client

import (
	"encoding/json"
	"time"

	"github.com/troupe-go/troupe/gateway"
)

// Protocol is the version of the protocol.
const Protocol = 1

// Type says what a message is.
type Type string

// The types of messages. Request, response and event are the three bases, all
// others are kinds of them.
const (
	TypeHello      Type = "hello"
	TypeHelloAck   Type = "hello.ack"
	TypeResumed    Type = "session.resumed"
	TypeExpired    Type = "session.expired"
	TypeRequest    Type = "request"
	TypeResponse   Type = "response"
	TypeChunk      Type = "stream.chunk"
	TypeFinal      Type = "stream.final"
	TypeToolCall   Type = "tool.call"
	TypeToolResult Type = "tool.result"
	TypeEvent      Type = "event"
	TypePing       Type = "ping"
	TypePong       Type = "pong"
	TypeFragment   Type = "fragment"
)

// Message is one message, in either direction: what all have in common, and a
// body.
type Message struct {
	// ID is unique among the messages of its sender in the session. A message that
	// is sent again has the same.
	ID string
	// Seq counts the messages of one direction of a session from 1; a message of
	// the server that is not made from the log has that of the one before. 0 in a
	// message of a client that does not count.
	Seq int64
	// Role is whose words they are: "user", "assistant" or "tool".
	Role      string
	SessionID string
	TraceID   string // W3C trace id, 32 hex digits
	// ReplyTo is the id of the message that this one answers.
	ReplyTo string
	Content []Part
	Time    time.Time // in UTC, to the millisecond
	// Ack asks the other side for the event "ack".
	Ack  bool
	Body Body
}

// Roles of a message.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// Body is what a message carries beside the envelope. The set is closed: the
// structs of this file, and [Unknown].
//
//sumtype:decl
type Body interface {
	// Type is the type of messages with this body.
	Type() Type
	body()
}

// Hello begins a connection.
type Hello struct {
	// Protocol is the version that the client speaks; 0 means 1.
	Protocol int `json:"protocol,omitempty"`
	// LastSeq is the newest Seq of the server that the client has; 0 means none.
	LastSeq      int64     `json:"last_seq,omitempty"`
	ClientInfo   Info      `json:"client_info,omitzero"`
	Capabilities Abilities `json:"capabilities,omitzero"`
	// Token says who it is, when neither a header nor a subprotocol did.
	Token string `json:"token,omitempty"`
}

// Info says what program the client is.
type Info struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Instance is a random id that the client keeps over its connections, so that
	// it gets its own open tool calls again and not those of another window.
	Instance string `json:"instance,omitempty"`
}

// Abilities are what the client can do; what it does not name it cannot.
type Abilities struct {
	Streaming     bool `json:"streaming,omitempty"`
	ToolCallbacks bool `json:"tool_callbacks,omitempty"`
	// MaxMessageSize is the largest message that the client takes, in bytes; 0
	// means that of the server.
	MaxMessageSize int `json:"max_message_size,omitempty"`
	// Tools are the tools that the client executes.
	Tools []Tool `json:"tools,omitempty"`
}

// Tool is a tool that the client executes.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// HelloAck says what holds for the connection.
type HelloAck struct {
	Protocol     int          `json:"protocol"`
	Capabilities Capabilities `json:"capabilities"`
}

// Capabilities are what holds between both sides.
type Capabilities struct {
	Streaming     bool     `json:"streaming"`
	ToolCallbacks bool     `json:"tool_callbacks"`
	Models        []string `json:"models,omitempty"`
	Tools         []string `json:"tools,omitempty"` // of the team, which the server executes
	// ContextWindow is that of the leader's model in tokens, 0 if unknown.
	ContextWindow int `json:"context_window,omitempty"`
	// Concurrency is how many sessions may work at once.
	Concurrency    int `json:"concurrency,omitempty"`
	MaxMessageSize int `json:"max_message_size"` // bytes
	HeartbeatS     int `json:"heartbeat_s"`      // seconds
}

// Resumed says where the session goes on; the messages from FirstSeq on follow.
type Resumed struct {
	// ClientSeq is the newest Seq of the client that was processed, 0 if the server
	// does not know.
	ClientSeq int64 `json:"client_seq"`
	FirstSeq  int64 `json:"first_seq"`
}

// Expired says that the session cannot be gone on with.
type Expired struct {
	Reason string `json:"reason"`
}

// Methods of a [Request].
const (
	MethodPrompt  = "prompt"  // Content or Text is for the team
	MethodCancel  = "cancel"  // stops the team, or Agent
	MethodSteer   = "steer"   // tells Agent something
	MethodAnswer  = "answer"  // answers QuestionID
	MethodApprove = "approve" // decides about ApprovalID
	MethodAgents  = "agents"  // asks who does what
	MethodHistory = "history" // asks for the messages after After
	MethodRefresh = "refresh" // brings or asks for a new token
)

// Request asks for something; it has one [Response].
type Request struct {
	Method string `json:"method"`
	// Text is the text of a prompt, a steer or an answer, when Content has none.
	Text string `json:"text,omitempty"`
	// Model of a prompt is one of the server's, in place of the team's, for the turn
	// that it begins.
	Model      string `json:"model,omitempty"`
	Agent      string `json:"agent,omitempty"` // id or display name
	QuestionID string `json:"question_id,omitempty"`
	ApprovalID string `json:"approval_id,omitempty"`
	Decision   string `json:"decision,omitempty"` // "allow" or "deny"
	// Rule is that of the approval, to allow such calls from now on.
	Rule   string `json:"rule,omitempty"`
	Reason string `json:"reason,omitempty"` // told to the model when a call is denied
	After  int64  `json:"after,omitempty"`
	// Mode of a cancel: "now" (the default), "soft" or "terminate".
	Mode string `json:"mode,omitempty"`
	// Token of a refresh is a new one; without it the server makes one.
	Token string `json:"token,omitempty"`
}

// Response is what came of a request: a result or an error.
type Response struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *gateway.Error  `json:"error,omitempty"`
}

// Outcome is the result of a prompt.
type Outcome struct {
	// Status is "finished", "partial" (a limit ended it) or "cancelled".
	Status     string `json:"status"`
	Limit      string `json:"limit,omitempty"`
	Usage      Usage  `json:"usage,omitzero"`
	DurationMS int64  `json:"duration_ms,omitempty"`
}

// Chunk is a piece of a text that is being written; it is never sent twice.
type Chunk struct {
	Stream string `json:"stream,omitempty"`
	Agent  string `json:"agent,omitempty"`
	// Offset is where it begins in the text, in bytes of UTF-8. One below what the
	// client has means that the text begins anew there.
	Offset int `json:"offset,omitempty"`
}

// Final is a whole text, in place of its chunks.
type Final struct {
	Stream     string `json:"stream,omitempty"`
	Agent      string `json:"agent,omitempty"`
	Usage      Usage  `json:"usage,omitzero"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	// Incomplete says that the model failed in the middle of the text.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Usage counts tokens.
type Usage struct {
	InputTokens       int  `json:"input_tokens"`
	OutputTokens      int  `json:"output_tokens"`
	CachedInputTokens int  `json:"cached_input_tokens,omitempty"`
	ReasoningTokens   int  `json:"reasoning_tokens,omitempty"`
	Estimated         bool `json:"estimated,omitempty"`
}

// ToolCall asks the client to execute a tool. A client that has executed CallID
// answers with the result it has, and does not execute it again.
type ToolCall struct {
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	// TimeoutMS is how long the agent waits, in milliseconds; 0 means for ever.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Again says that the call was sent before and is still open.
	Again bool `json:"again,omitempty"`
}

// ToolResult answers a [ToolCall], by Content or by Error.
type ToolResult struct {
	CallID string       `json:"call_id"`
	Error  *ToolFailure `json:"error,omitempty"`
}

// ToolFailure says why a tool failed.
type ToolFailure struct {
	Message string `json:"message"`
}

// Event tells of something: mostly of a record of the log, by its type.
type Event struct {
	Event string `json:"event"`
	Agent string `json:"agent,omitempty"`
	Turn  int    `json:"turn,omitempty"`
	// Of is the id of the message that an "ack" is about.
	Of   string          `json:"of,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Events that are no records of the log.
const (
	EventMessage  = "agent.message"  // a message of the mailbox, in place of the record message.sent
	EventSkipped  = "skipped"        // stands for a message that the client cannot have
	EventAck      = "ack"            // the message Of has come
	EventExpiring = "token.expiring" // the token of the connection ends soon
	EventError    = "error"          // something is wrong that answers no message
)

// Ping asks for a [Pong]; both say that the other side lives.
type Ping struct{}

// Pong answers a [Ping].
type Pong struct{}

// Fragment is a part of the text of a message that is too large for one.
type Fragment struct {
	Of    string `json:"of"`    // names the message, the same in all its fragments
	Index int    `json:"index"` // from 0
	Count int    `json:"count"`
	Data  string `json:"data"`
}

// Unknown is a message of a type that this version does not know; its envelope is
// kept.
type Unknown struct {
	Name Type
}

// Type returns the type of messages with this body.
func (Hello) Type() Type      { return TypeHello }
func (HelloAck) Type() Type   { return TypeHelloAck }
func (Resumed) Type() Type    { return TypeResumed }
func (Expired) Type() Type    { return TypeExpired }
func (Request) Type() Type    { return TypeRequest }
func (Response) Type() Type   { return TypeResponse }
func (Chunk) Type() Type      { return TypeChunk }
func (Final) Type() Type      { return TypeFinal }
func (ToolCall) Type() Type   { return TypeToolCall }
func (ToolResult) Type() Type { return TypeToolResult }
func (Event) Type() Type      { return TypeEvent }
func (Ping) Type() Type       { return TypePing }
func (Pong) Type() Type       { return TypePong }
func (Fragment) Type() Type   { return TypeFragment }
func (u Unknown) Type() Type  { return u.Name }

func (Hello) body()      {}
func (HelloAck) body()   {}
func (Resumed) body()    {}
func (Expired) body()    {}
func (Request) body()    {}
func (Response) body()   {}
func (Chunk) body()      {}
func (Final) body()      {}
func (ToolCall) body()   {}
func (ToolResult) body() {}
func (Event) body()      {}
func (Ping) body()       {}
func (Pong) body()       {}
func (Fragment) body()   {}
func (Unknown) body()    {}
