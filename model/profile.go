package model

// Profile is what one endpoint needs to be asked otherwise, or read otherwise,
// than the protocol says. The zero value is an endpoint that keeps to it.
// Profiles are compared with ==.
type Profile struct {
	// EchoReasoning says when reasoning goes back with the conversation.
	EchoReasoning Echo `json:"echo_reasoning,omitempty"`
	// ReasoningTags says how reasoning is marked inside the text.
	ReasoningTags Tags `json:"reasoning_tags,omitempty"`
	// ToolCallsAsText reads tool calls out of the text of a reply that has no
	// others; they must name a tool of the request.
	ToolCallsAsText bool `json:"tool_calls_as_text,omitempty"`
	// MaxTokensField names the body field of the output limit; empty means
	// "max_tokens".
	MaxTokensField string `json:"max_tokens_field,omitempty"`
	// NoTemperature leaves the temperature out.
	NoTemperature bool `json:"no_temperature,omitempty"`
	// NoStreamUsage leaves stream_options out; usage is estimated if none comes.
	NoStreamUsage bool `json:"no_stream_usage,omitempty"`
	// NoParallelToolCalls leaves parallel_tool_calls out, also where
	// [Endpoint.Extra] has it. Without tools it is never sent.
	NoParallelToolCalls bool `json:"no_parallel_tool_calls,omitempty"`
	// ContentWithCalls says what stands for the missing text beside tool calls.
	ContentWithCalls Content `json:"content_with_calls,omitempty"`
	// MergeSameRole joins user messages that follow each other.
	MergeSameRole bool `json:"merge_same_role,omitempty"`
	// AssistantBetweenToolAndUser puts a short assistant message between a tool
	// result and a user message.
	AssistantBetweenToolAndUser bool `json:"assistant_between_tool_and_user,omitempty"`
	// SingleSystem joins all system messages into the first message.
	SingleSystem bool `json:"single_system,omitempty"`
	// SingleCall writes an assistant message with several calls as several, each
	// with one call and its result behind it.
	SingleCall bool `json:"single_call,omitempty"`
	// SchemaDialect says how tool schemas are written.
	SchemaDialect Dialect `json:"schema_dialect,omitempty"`
	// NoRequiredToolChoice writes a tool_choice of "required" in
	// [Endpoint.Extra] as "auto", with an instruction to call a tool.
	NoRequiredToolChoice bool `json:"no_required_tool_choice,omitempty"`
	// NumCtx is the context size in tokens that a server such as Ollama is
	// asked for; 0 leaves it out.
	NumCtx int `json:"num_ctx,omitempty"`
}

// Echo says when reasoning is sent back to the endpoint that made it.
type Echo string

// The values of [Echo].
const (
	EchoNever    Echo = ""          // never
	EchoToolLoop Echo = "tool_loop" // since the last user message, beside tool calls
	EchoAlways   Echo = "always"    // with every assistant message
)

// Tags says how reasoning is marked inside the text of a reply.
type Tags string

// The values of [Tags].
const (
	TagsOff    Tags = ""       // it is not; text is passed on as it is
	TagsPaired Tags = "paired" // it stands at the beginning, between an opening and a closing tag
	TagsOpen   Tags = "open"   // the reply begins with it, without an opening tag
)

// Content says what stands for the missing text of an assistant message with
// tool calls.
type Content string

// The values of [Content].
const (
	ContentNull  Content = ""      // null
	ContentEmpty Content = "empty" // an empty text
	ContentOmit  Content = "omit"  // no field
)

// Dialect says which part of JSON Schema an endpoint takes.
type Dialect string

// The values of [Dialect].
const (
	DialectFull   Dialect = ""       // all; always an object with properties
	DialectBasic  Dialect = "basic"  // without references, additionalProperties, formats and exclusive bounds
	DialectStrict Dialect = "strict" // every property required, optional ones nullable, nothing else allowed
)
