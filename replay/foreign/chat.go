package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// roleKeys are the members that name who speaks, in the order of preference.
var roleKeys = []string{"role", "from", "speaker"}

// conversationKeys are the usual names of the member that has the messages.
var conversationKeys = []string{"messages", "traj", "history", "conversation", "conversations", "trajectory", "choices"}

// maxDepth is how deep an array of messages may stand in other values.
const maxDepth = 6

// conversation is an array of messages and what stood around it.
type conversation struct {
	place    string
	messages []json.RawMessage
	lines    []int // of the messages, when each stands on a line of its own
	model    string
	tools    []string
}

// importChat reads chat messages in the form of OpenAI.
func importChat(b *builder, f file, head *event.RunStarted) error {
	r := &chatReader{b: b}
	if json.Valid(f.text) {
		r.find(f.text, "$", "", nil, 0)
	} else {
		r.findLines(f.text)
	}
	if len(r.loose) > 0 {
		r.found = append(r.found, conversation{place: "line", messages: r.loose, lines: r.lines})
	}
	if len(r.found) == 0 {
		return fmt.Errorf("%w: it has no messages with a role", ErrFormat)
	}
	head.Import.ID = r.id
	for i, c := range r.found {
		newChat(b, c, i+1).read()
	}
	return nil
}

// chatReader looks for arrays of messages.
type chatReader struct {
	b     *builder
	found []conversation
	loose []json.RawMessage // messages that stand on lines of their own
	lines []int             // the line of each loose message
	id    string
}

// findLines reads one value a line.
func (r *chatReader) findLines(text []byte) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		place := fmt.Sprintf("line %d", n)
		switch m := object(line); {
		case !json.Valid(line):
			r.b.notes.add("a line that is no JSON", place)
		case isMessage(m):
			r.loose, r.lines = append(r.loose, slices.Clone(line)), append(r.lines, n)
		default:
			r.find(line, place, "", nil, 0)
		}
	}
}

// find looks for messages in a value and notes the rest of it.
func (r *chatReader) find(raw json.RawMessage, place, model string, tools []string, depth int) {
	if list := array(raw); list != nil {
		if isConversation(list) {
			r.found = append(r.found, conversation{place: place, messages: list, model: model, tools: tools})
			return
		}
		for i, item := range list {
			r.find(item, fmt.Sprintf("%s[%d]", place, i), model, tools, depth+1)
		}
		return
	}
	m := object(raw)
	switch {
	case m == nil || depth > maxDepth:
		r.b.notes.add("a value without messages", place)
		return
	case isMessage(m):
		r.found = append(r.found, conversation{place: place, messages: []json.RawMessage{raw}, model: model, tools: tools})
		return
	case object(m["message"]) != nil && isMessage(object(m["message"])): // one of the choices of a reply
		raw := m.take("message")
		r.found = append(r.found, conversation{place: place, messages: []json.RawMessage{raw}, model: model, tools: tools})
		m.drop("index", "logprobs", "finish_reason")
	}
	model = cmp.Or(m.text("model"), model)
	if defined := toolNames(m.take("tools")); defined != nil {
		tools = defined
	}
	if r.id == "" {
		r.id = m.text("id", "session_id", "conversation_id")
	}
	r.b.at(asTime(m.take("created")))
	r.inside(m, place, model, tools, depth)
	if rest := m.rest(); len(rest) > 0 {
		r.b.notes.add("members beside messages: "+strings.Join(rest, ", "), place)
	}
}

// inside looks at the members of an object that have messages.
func (r *chatReader) inside(m members, place, model string, tools []string, depth int) {
	before := len(r.found)
	for _, name := range m.rest() {
		usual := slices.Contains(conversationKeys, name)
		if usual || holdsMessages(m[name], depth) {
			r.find(m.take(name), place+"."+name, model, tools, depth+1)
		}
	}
	if usage := m.take("usage"); usage != nil && len(r.found) > before {
		last := &r.found[len(r.found)-1]
		if n := len(last.messages); n > 0 { // of a reply: it belongs to its message
			last.messages[n-1] = withMember(last.messages[n-1], "usage", usage)
		}
	}
}

// holdsMessages reports whether there is an array of messages in a value.
func holdsMessages(raw json.RawMessage, depth int) bool {
	if depth > maxDepth {
		return false
	}
	if list := array(raw); list != nil {
		return isConversation(list) || slices.ContainsFunc(list, func(item json.RawMessage) bool {
			return holdsMessages(item, depth+1)
		})
	}
	for _, value := range object(raw) {
		if holdsMessages(value, depth+1) {
			return true
		}
	}
	return false
}

// isConversation reports whether all of a list are messages.
func isConversation(list []json.RawMessage) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(raw json.RawMessage) bool { return !isMessage(object(raw)) })
}

// isMessage reports whether an object says who speaks and what.
func isMessage(m members) bool {
	spoken := slices.ContainsFunc([]string{"content", "value", "text", "tool_calls", "function_call", "refusal"}, func(name string) bool {
		_, ok := m[name]
		return ok
	})
	return spoken && slices.ContainsFunc(roleKeys, func(name string) bool {
		role, ok := asText(m[name])
		return ok && strings.TrimSpace(role) != ""
	})
}

// toolNames are the names of the tools of a request.
func toolNames(raw json.RawMessage) []string {
	var names []string
	for _, item := range array(raw) {
		m := object(item)
		if f := object(m["function"]); f != nil {
			m = f
		}
		if name := m.text("name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// withMember adds a member to an object that has none of that name.
func withMember(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	m := object(raw)
	if _, ok := m[name]; ok || m == nil {
		return raw
	}
	m[name] = value
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}
