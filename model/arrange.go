package model

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// between is what an assistant says between a tool result and a user message,
// where an endpoint wants something there.
const between = "…"

// callTool is what takes the place of a tool choice that an endpoint refuses.
const callTool = "Answer this request by calling one of the tools."

// arrange puts a conversation into the order that the endpoint takes. messages
// is not changed.
func arrange(p Profile, messages []Message) []Message {
	if p.SingleCall {
		messages = oneByOne(messages)
	}
	if !p.SingleSystem && !p.MergeSameRole && !p.AssistantBetweenToolAndUser {
		return messages
	}
	out := make([]Message, 0, len(messages)+1)
	for _, m := range messages {
		var last *Message
		if len(out) > 0 {
			last = &out[len(out)-1]
		}
		switch {
		case last == nil:
		case p.SingleSystem && m.Role == System && out[0].Role == System:
			out[0].Content = joined(out[0].Content, m.Content)
			continue
		case p.SingleSystem && m.Role == System:
			out = append([]Message{m}, out...)
			continue
		case p.MergeSameRole && m.Role == User && last.Role == User:
			last.Content = joined(last.Content, m.Content)
			continue
		case p.AssistantBetweenToolAndUser && m.Role == User && last.Role == ToolRole:
			out = append(out, Message{Role: Assistant, Content: between})
		}
		out = append(out, m)
	}
	return out
}

// oneByOne writes each assistant message with several calls as if the model had
// made one call after the other: what it said stands with the first. Results
// follow in the order of their calls.
func oneByOne(messages []Message) []Message {
	out := make([]Message, 0, len(messages))
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if len(m.Calls) < 2 {
			out = append(out, m)
			continue
		}
		one := m
		for _, c := range m.Calls {
			one.Calls = []event.Call{c}
			out = append(out, one)
			if i+1 < len(messages) && messages[i+1].CallID == c.ID {
				i++
				out = append(out, messages[i])
			}
			one = Message{Role: Assistant}
		}
	}
	return out
}

// joined puts a blank line between two texts.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// instructed returns the conversation with the instruction to call a tool.
func instructed(messages []Message) []Message {
	out := make([]Message, 0, len(messages)+1)
	if len(messages) == 0 || messages[0].Role != System {
		out = append(out, Message{Role: System, Content: callTool})
		return append(out, messages...)
	}
	out = append(out, messages...)
	if !strings.HasSuffix(out[0].Content, callTool) {
		out[0].Content = joined(out[0].Content, callTool)
	}
	return out
}
