package streams

// Header says what a command is about and who is concerned.
type Header struct {
	MessageID string // the task; of a Resume the task to go on with
	SessionID string
	TraceID   string
	// SourceAgentType is the caller's type, and only when it wants a reply.
	// Clients leave it empty: a worker takes anything else for a caller.
	SourceAgentType             string
	TargetAgentType             string
	ParentMessageID             string // of a call the caller's task, of a reply the child's
	TaskGroupID                 string
	UserCode                    string
	UserName                    string
	Metadata                    Values
	TraceParentSpanID           string
	LangfuseParentObservationID string

	raw object
}

func (h *Header) fields() []field {
	return []field{
		{name: "message_id", to: &h.MessageID, keyed: true, always: true},
		{name: "session_id", to: &h.SessionID, keyed: true, always: true},
		{name: "trace_id", to: &h.TraceID, keyed: true, always: true},
		{name: "source_agent_type", to: &h.SourceAgentType, always: true},
		{name: "target_agent_type", to: &h.TargetAgentType, always: true},
		{name: "parent_message_id", to: &h.ParentMessageID, always: true},
		{name: "task_group_id", to: &h.TaskGroupID, always: true},
		{name: "user_code", to: &h.UserCode, always: true},
		{name: "user_name", to: &h.UserName, always: true},
		{name: "metadata", to: &h.Metadata, noNull: true, always: true},
		{name: "trace_parent_span_id", to: &h.TraceParentSpanID, always: true},
		{name: "langfuse_parent_observation_id", to: &h.LangfuseParentObservationID, always: true},
	}
}

// UnmarshalJSON reads as much of a header as can be read, also when it returns
// an error, which is a [WireError].
func (h *Header) UnmarshalJSON(text []byte) error {
	o, err := parseObject(text)
	if err != nil {
		return fault("header", "", err)
	}
	*h = Header{raw: o}
	return o.read("header", h.fields())
}

// MarshalJSON writes the header with what it was read with beside its fields.
func (h Header) MarshalJSON() ([]byte, error) { return h.raw.marshal("header", h.fields()) }
