package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// part is what a message is in its conversation.
type part int

const (
	partSystem part = iota
	partPerson
	partModel
	partTool
	partSpeaker // the role is the name of a speaker
)

// partOf tells what the role of a message means; all that is no word of a
// known protocol is a name.
func partOf(role string) part {
	switch strings.ToLower(strings.TrimSpace(role)) {
	case "system", "developer":
		return partSystem
	case "user", "human", "person":
		return partPerson
	case "assistant", "ai", "gpt", "model", "chatgpt", "bot":
		return partModel
	case "tool", "function", "observation":
		return partTool
	}
	return partSpeaker
}

// chatMessage is one message, read.
type chatMessage struct {
	place      string
	role, name string
	part       part
	text       string
	reasoning  string
	calls      []event.Call
	callID     string // of a result
	failed     bool   // a result that is an error
	usage      event.Usage
	model      string
	finish     string
	at         time.Time
}

// readMessage reads one message and notes what has no place.
func readMessage(n *notes, raw json.RawMessage, place string) chatMessage {
	m := object(raw)
	msg := chatMessage{place: place, role: m.text(roleKeys...)}
	msg.part = partOf(msg.role)
	msg.name = strings.TrimSpace(m.text("name"))
	msg.text = paragraphs(
		plainText(n, m.take("content"), place), m.text("value", "text"), m.text("refusal"),
	)
	msg.reasoning = m.text("reasoning_content", "reasoning", "thinking")
	msg.callID = m.text("tool_call_id")
	msg.model, msg.finish = m.text("model"), m.text("finish_reason", "stop_reason")
	msg.usage = chatUsage(n, m.take("usage"), place)
	for _, name := range []string{"timestamp", "created_at", "created", "time"} {
		if t := asTime(m[name]); !t.IsZero() {
			msg.at = t
			delete(m, name)
			break
		}
	}
	msg.failed = string(m.take("is_error")) == "true"
	for i, c := range array(m.take("tool_calls")) {
		msg.calls = append(msg.calls, readCall(n, c, fmt.Sprintf("%s call %d", place, i+1)))
	}
	if old := m.take("function_call"); old != nil {
		msg.calls = append(msg.calls, readFunction(object(old)))
	}
	m.drop("weight", "index")
	if audio := m.take("audio"); audio != nil {
		msg.text = paragraphs(msg.text, placeholder("audio", object(audio).text("transcript", "id")))
	}
	if rest := m.rest(); len(rest) > 0 {
		n.add("members of a message of "+msg.role+": "+strings.Join(rest, ", "), place)
	}
	return msg
}

// readCall reads one call of a message.
func readCall(n *notes, raw json.RawMessage, place string) event.Call {
	m := object(raw)
	id := m.text("id", "call_id")
	function := object(m.take("function"))
	if function == nil {
		if custom := object(m.take("custom")); custom != nil {
			function = custom
		} else {
			function = m
		}
	}
	c := readFunction(function)
	c.ID = id
	m.drop("type", "index", "name", "arguments", "input")
	if rest := m.rest(); len(rest) > 0 {
		n.add("members of a call: "+strings.Join(rest, ", "), place)
	}
	return c
}

// readFunction reads the name and the arguments of a call.
func readFunction(m members) event.Call {
	c := event.Call{Name: cmp.Or(m.text("name"), "unknown")}
	for _, name := range []string{"arguments", "input", "parameters"} {
		if raw := m.take(name); raw != nil {
			c.Arguments = compactJSON(raw)
			break
		}
	}
	return c
}

// chatUsage reads the tokens of a reply.
func chatUsage(n *notes, raw json.RawMessage, place string) event.Usage {
	if raw == nil {
		return event.Usage{}
	}
	var u struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		OutputDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if json.Unmarshal(raw, &u) != nil {
		n.add("a usage that is none", place)
		return event.Usage{}
	}
	return event.Usage{
		Input:       max(0, cmp.Or(u.Prompt, u.Input)),
		Output:      max(0, cmp.Or(u.Completion, u.Output)),
		CachedInput: max(0, u.Details.Cached),
		Reasoning:   max(0, u.OutputDetails.Reasoning),
	}
}
