package model

import "strings"

// between is what an assistant says between a tool result and a user message,
// where an endpoint wants something there.
const between = "…"

// callTool is what takes the place of a tool choice that an endpoint refuses.
const callTool = "Answer this request by calling one of the tools."

// arrange puts a conversation into the order that the endpoint takes
// (spec/endpoints.md, line 31). messages is not changed.
func arrange(p Profile, messages []Message) []Message {
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
