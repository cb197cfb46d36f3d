package streams

import (
	"encoding/json"
	"time"
)

// Voice makes the events of one run.
type Voice struct {
	TraceID         string
	SessionID       string
	AgentType       string
	MessageID       string
	ParentMessageID string
	// Sub says that the run has a caller: what it says is log, and it does not
	// end the stream.
	Sub bool
}

// Stamp is what makes an event the one it is.
type Stamp struct {
	ID string // 32 hexadecimal digits
	At time.Time
}

// event makes an event with one delta.
func (v Voice) event(s Stamp, t EventType, code ContentType, d Delta) Event {
	return Event{
		TraceID:         v.TraceID,
		SessionID:       v.SessionID,
		Type:            t,
		SourceAgentType: v.AgentType,
		MessageID:       v.MessageID,
		ParentMessageID: v.ParentMessageID,
		Timestamp:       s.At.UnixMilli(),
		Data: EventData{
			ID:            s.ID,
			Created:       s.At.Unix(),
			ContentType:   code,
			AgentID:       v.AgentType,
			OrderID:       v.MessageID,
			ParentOrderID: v.ParentMessageID,
			Choices:       []Choice{{Delta: d}},
		},
	}
}

const assistant = "assistant"

// Text is a piece of the answer.
func (v Voice) Text(s Stamp, piece string) Event {
	return v.event(s, v.said(AnswerDelta), ContentText, Delta{Role: assistant, Content: &piece})
}

// Log is a piece of reasoning or of a log.
func (v Voice) Log(s Stamp, piece string) Event {
	return v.event(s, ReasoningLogDelta, ContentText, Delta{Role: assistant, Content: &piece})
}

// ToolCalls is a piece that carries calls of tools, a JSON list.
func (v Voice) ToolCalls(s Stamp, calls json.RawMessage) Event {
	return v.event(s, v.said(AnswerDelta), ContentText, Delta{Role: assistant, ToolCalls: calls})
}

// ToolResponses is a piece that carries results of tools, a JSON list.
func (v Voice) ToolResponses(s Stamp, responses json.RawMessage) Event {
	return v.event(s, v.said(AnswerDelta), ContentText, Delta{Role: "tool", ToolResponses: responses})
}

// State says in a word what the agent does.
func (v Voice) State(s Stamp, word string) Event {
	return v.event(s, ReasoningLogDelta, ContentState, Delta{Content: &word})
}

// Artifact says where something can be found that the agent made.
func (v Voice) Artifact(s Stamp, address string) Event {
	content := jsonText([]file{{FileURL: address}})
	return v.event(s, ReasoningLogDelta, ContentArtifact, Delta{Content: &content})
}

// Question asks the user. A prompt that is a JSON object with questions is
// passed on as it is, any other becomes a form.
func (v Voice) Question(s Stamp, prompt string) Event {
	if o, err := parseObject([]byte(prompt)); err == nil && o.values["questions"] != nil {
		return v.event(s, ReasoningLogDelta, ContentQuestions, Delta{Role: assistant, Content: &prompt})
	}
	content := jsonText(form{Fields: []formField{{
		FormType: "textarea", FieldName: "user_input", FieldCode: "user_input", Description: prompt, Required: true,
	}}})
	return v.event(s, ReasoningLogDelta, ContentForm, Delta{Role: assistant, Content: &content})
}

// Answer is the whole answer.
func (v Voice) Answer(s Stamp, text string) Event {
	return v.event(s, v.said(FinalAnswer), ContentText, Delta{Role: assistant, Content: &text})
}

// End marks the end of a root run; a run with a caller writes none.
func (v Voice) End(s Stamp) Event {
	return v.event(s, AppStreamResponse, ContentText, Delta{Role: assistant, Content: new(string)})
}

// said is the type of an event with words, which is log in a run with a caller.
func (v Voice) said(t EventType) EventType {
	if v.Sub {
		return ReasoningLogDelta
	}
	return t
}

// jsonText writes a value without raw parts.
func jsonText(value any) string {
	text, err := encode(value)
	if err != nil {
		return "" // it has no raw parts
	}
	return string(text)
}

// Flat writes the event in the flat form of the source page, for consumers
// that were built from it; ok is false when the page has no form for it.
func (e Event) Flat() (text []byte, ok bool) {
	content := map[Kind]string{KindText: "content", KindState: "state", KindArtifact: "url", KindQuestion: "prompt"}
	types := map[Kind]EventType{KindText: AnswerDelta, KindState: StateChange, KindArtifact: Artifact, KindQuestion: AskUser}
	name, ok := content[e.Kind()]
	if !ok {
		return nil, false
	}
	o := object{values: map[string]json.RawMessage{}}
	o.set(name, quote(e.Text()))
	o.set("event_type", quote(string(types[e.Kind()])))
	o.set("trace_id", quote(e.TraceID))
	o.set("session_id", quote(e.SessionID))
	o.set("source_agent_type", quote(e.SourceAgentType))
	o.set("message_id", quote(e.MessageID))
	o.set("parent_message_id", quote(e.ParentMessageID))
	text, err := o.MarshalJSON()
	return text, err == nil
}
