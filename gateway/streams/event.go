package streams

import "encoding/json"

// EventType is the kind of an event, in the words of the protocol.
type EventType string

// The types. Of these the Python SDK itself writes the first four; the source
// page knows the last five.
const (
	AnswerDelta       EventType = "answerDelta"
	ReasoningLogDelta EventType = "reasoningLogDelta"
	FinalAnswer       EventType = "finalAnswer"
	AppStreamResponse EventType = "appStreamResponse" // the end of a root run
	StateChange       EventType = "stateChange"
	Artifact          EventType = "artifact"
	AskUser           EventType = "askUser"
	TaskCreate        EventType = "taskCreate"
	TaskStop          EventType = "taskStop"
)

// ContentType is the code of what an event carries.
type ContentType string

// The codes that Troupe writes or looks at; others pass.
const (
	ContentText      ContentType = "1002"
	ContentState     ContentType = "3003"
	ContentArtifact  ContentType = "3010"
	ContentForm      ContentType = "3013"
	ContentQuestions ContentType = "3014"
)

// Event is one entry of a data stream.
type Event struct {
	TraceID         string
	SessionID       string
	Type            EventType
	SourceAgentType string // the type that runs, not the sender of the command
	MessageID       string // the task, or a step of it
	ParentMessageID string
	Timestamp       int64 // milliseconds since 1970
	Data            EventData
	StateMsg        string
	ArtifactURL     string
	Metadata        Values

	// What the flat forms of the source page carry in place of Data.
	content, state, url, prompt string
	raw                         object
}

func (e *Event) fields() []field {
	return []field{
		{name: "trace_id", alias: "traceId", to: &e.TraceID, always: true},
		{name: "session_id", alias: "sessionId", to: &e.SessionID, always: true},
		{name: "event_type", alias: "eventType", to: &e.Type, keyed: true, noNull: true, always: true},
		{name: "source_agent_type", alias: "sourceAgentType", to: &e.SourceAgentType, always: true},
		{name: "message_id", alias: "messageId", to: &e.MessageID, always: true},
		{name: "parent_message_id", alias: "parentMessageId", to: &e.ParentMessageID, always: true},
		{name: "timestamp", to: &e.Timestamp, always: true},
		{name: "data", to: &e.Data, always: true},
		{name: "state_msg", alias: "stateMsg", to: &e.StateMsg, always: true},
		{name: "artifact_url", alias: "artifactUrl", to: &e.ArtifactURL, always: true},
		{name: "metadata", to: &e.Metadata, always: true},
	}
}

// flatFields are those that only the forms of the source page have.
func (e *Event) flatFields() []field {
	return []field{
		{name: "content", to: &e.content},
		{name: "state", to: &e.state},
		{name: "url", to: &e.url},
		{name: "prompt", to: &e.prompt},
	}
}

// DecodeEvent reads the text of an entry: the form of the Python SDK, or a flat
// form of the source page with names in either case, whose header may be an
// object of its own. Unknown fields are kept. The error is a [WireError].
func DecodeEvent(text []byte) (Event, error) {
	o, err := parseObject(text)
	if err != nil {
		return Event{}, fault("event", "", err)
	}
	e := Event{raw: o}
	if err := o.read("event", e.fields()); err != nil {
		return e, err
	}
	if _, sdk := o.values["data"]; sdk {
		return e, nil
	}
	if err := o.read("event", e.flatFields()); err != nil {
		return e, err
	}
	return e, e.readHeader(o.values["header"])
}

// readHeader takes what the event does not say itself from its header.
func (e *Event) readHeader(text json.RawMessage) error {
	if text == nil {
		return nil
	}
	header, err := parseObject(text)
	if err != nil {
		return fault("event", "header", ErrType)
	}
	var missing []field
	for _, f := range e.fields() {
		if _, ok := e.raw.values[f.nameIn(e.raw)]; !ok && f.alias != "" {
			f.keyed = false
			missing = append(missing, f)
		}
	}
	return fault("event", "header", header.read("event", missing))
}

// Encode writes the event in the form of the Python SDK, or, when it was read,
// as it was read but for what was changed. The error is a [WireError].
func (e Event) Encode() ([]byte, error) {
	return e.raw.marshal("event", append(e.fields(), e.flatFields()...))
}

// EventData is the inner part of an event.
type EventData struct {
	ID            string // 32 hexadecimal digits, new for each event
	Created       int64  // seconds since 1970
	Model         string
	Object        string
	ContentType   ContentType
	AgentID       string
	OrderID       string // the event's MessageID
	ParentOrderID string // the event's ParentMessageID
	ObjectType    string
	Status        string
	Choices       []Choice

	raw object
}

func (d *EventData) fields() []field {
	return []field{
		{name: "id", to: &d.ID, always: true},
		{name: "created", to: &d.Created, always: true},
		{name: "model", to: &d.Model, always: true},
		{name: "object", to: &d.Object, always: true},
		{name: "contentType", to: &d.ContentType, always: true},
		{name: "agentId", to: (*nullable)(&d.AgentID), always: true},
		{name: "orderId", to: &d.OrderID, always: true},
		{name: "parentOrderId", to: &d.ParentOrderID, always: true},
		{name: "objectType", to: (*nullable)(&d.ObjectType), always: true},
		{name: "status", to: (*nullable)(&d.Status), always: true},
		{name: "choices", to: &d.Choices, always: true},
	}
}

// UnmarshalJSON reads the data; the error is a [WireError].
func (d *EventData) UnmarshalJSON(text []byte) error {
	*d = EventData{}
	if string(text) == "null" {
		return nil
	}
	o, err := parseObject(text)
	if err != nil {
		return ErrType
	}
	d.raw = o
	return o.read("data", d.fields())
}

// MarshalJSON writes the data with what it was read with beside its fields.
func (d EventData) MarshalJSON() ([]byte, error) { return d.raw.marshal("data", d.fields()) }

// Choice is the one element of an event's choices.
type Choice struct {
	Index        int64
	FinishReason string
	Delta        Delta

	raw object
}

func (c *Choice) fields() []field {
	return []field{
		{name: "index", to: &c.Index, always: true},
		{name: "finish_reason", to: &c.FinishReason, always: true},
		{name: "delta", to: &c.Delta, always: true},
	}
}

// UnmarshalJSON reads the choice; the error is a [WireError].
func (c *Choice) UnmarshalJSON(text []byte) error {
	o, err := parseObject(text)
	if err != nil {
		return ErrType
	}
	*c = Choice{raw: o}
	return o.read("choice", c.fields())
}

// MarshalJSON writes the choice with what it was read with beside its fields.
func (c Choice) MarshalJSON() ([]byte, error) { return c.raw.marshal("choice", c.fields()) }

// Delta is what an event brings: words, or calls of tools and their results.
type Delta struct {
	Role             string
	Content          *string // nil is null
	FunctionCall     json.RawMessage
	FunctionResponse json.RawMessage
	ToolCalls        json.RawMessage
	ToolResponses    json.RawMessage

	raw object
}

func (d *Delta) fields() []field {
	return []field{
		{name: "role", to: (*nullable)(&d.Role), always: true},
		{name: "content", to: &d.Content, always: true},
		{name: "function_call", to: &d.FunctionCall, always: true},
		{name: "function_response", to: &d.FunctionResponse, always: true},
		{name: "tool_calls", to: &d.ToolCalls, always: true},
		{name: "tool_responses", to: &d.ToolResponses, always: true},
	}
}

// UnmarshalJSON reads the delta; the error is a [WireError].
func (d *Delta) UnmarshalJSON(text []byte) error {
	o, err := parseObject(text)
	if err != nil {
		return ErrType
	}
	*d = Delta{raw: o}
	return o.read("delta", d.fields())
}

// MarshalJSON writes the delta with what it was read with beside its fields.
func (d Delta) MarshalJSON() ([]byte, error) { return d.raw.marshal("delta", d.fields()) }
