package model

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/appendjson"
)

// chatBody is what the body of a request is written from. It is what go-openai
// would write, with a content in every message, and with what the endpoint
// wants otherwise.
type chatBody struct {
	model    string
	from     string // the endpoint's model, whose own fields go back to it
	profile  Profile
	messages []Message
	tools    []byte                     // the text of the tools; empty if there are none
	fields   map[string]json.RawMessage // go over everything else
}

// append appends the text of the body.
func (b *chatBody) append(dst []byte) []byte {
	sep := byte('{')
	member := func(name string, value func([]byte) []byte) {
		dst = append(dst, sep)
		sep = ','
		dst = append(appendjson.String(dst, name), ':')
		dst = value(dst)
	}
	own := func(name string, value func([]byte) []byte) {
		if _, ok := b.fields[name]; !ok {
			member(name, value)
		}
	}
	own("model", func(dst []byte) []byte { return appendjson.String(dst, b.model) })
	own("messages", b.appendMessages)
	own("stream", func(dst []byte) []byte { return append(dst, "true"...) })
	if !b.profile.NoStreamUsage {
		own("stream_options", func(dst []byte) []byte { return append(dst, `{"include_usage":true}`...) })
	}
	if len(b.tools) > 0 {
		own("tools", func(dst []byte) []byte { return append(dst, b.tools...) })
	}
	for _, name := range slices.Sorted(maps.Keys(b.fields)) {
		member(name, func(dst []byte) []byte { return append(dst, b.fields[name]...) })
	}
	return append(dst, '}')
}

// size is about how many bytes the body needs: texts grow a little when they
// are quoted.
func (b *chatBody) size() int {
	const rest, perMessage, perCall = 256, 64, 96
	n := rest + len(b.tools)
	for _, m := range b.messages {
		n += perMessage + len(m.Content)*9/8
		for _, c := range m.Calls {
			n += perCall + len(c.Arguments)*5/4 + len(c.Extra)
		}
	}
	return n
}

func (b *chatBody) appendMessages(dst []byte) []byte {
	lastUser := 0
	for i, m := range b.messages {
		if m.Role == User {
			lastUser = i
		}
	}
	dst = append(dst, '[')
	for i, m := range b.messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = b.appendMessage(dst, m, i > lastUser)
	}
	return append(dst, ']')
}

// appendMessage appends one message; inLoop says that no user message comes
// after it.
func (b *chatBody) appendMessage(dst []byte, m Message, inLoop bool) []byte {
	dst = append(dst, `{"role":`...)
	dst = appendjson.String(dst, string(m.Role))
	dst = b.appendContent(dst, m)
	extra := b.extraOf(m)
	if len(m.Calls) > 0 {
		dst = appendCalls(append(dst, `,"tool_calls":`...), m.Calls, extra.From != "")
	}
	if m.Role == ToolRole && m.CallID != "" {
		dst = append(dst, `,"tool_call_id":`...)
		dst = appendjson.String(dst, m.CallID)
	}
	if b.echoes(m, inLoop) {
		dst = appendReasoning(dst, m.Reasoning, extra)
	}
	if len(extra.Fields) > 0 { // few messages have any, and asking takes memory
		for _, name := range slices.Sorted(maps.Keys(extra.Fields)) {
			dst = append(appendjson.String(append(dst, ','), name), ':')
			dst = append(dst, extra.Fields[name]...)
		}
	}
	return append(dst, '}')
}

// appendContent appends the text of a message.
func (b *chatBody) appendContent(dst []byte, m Message) []byte {
	if m.Content == "" && len(m.Calls) > 0 {
		switch b.profile.ContentWithCalls {
		case ContentOmit:
			return dst
		case ContentNull:
			return append(dst, `,"content":null`...)
		case ContentEmpty:
		}
	}
	return appendjson.String(append(dst, `,"content":`...), m.Content)
}

// extraOf is what else goes back with a message to the endpoint's model; zero
// if the message came from another.
func (b *chatBody) extraOf(m Message) replyExtra {
	if m.Extra == "" {
		return replyExtra{}
	}
	var extra replyExtra
	if json.Unmarshal([]byte(m.Extra), &extra) != nil || extra.From != b.from {
		return replyExtra{}
	}
	return extra
}

// echoes reports whether the reasoning of a message goes back.
func (b *chatBody) echoes(m Message, inLoop bool) bool {
	if m.Role != Assistant {
		return false
	}
	switch b.profile.EchoReasoning {
	case EchoAlways:
		return m.Reasoning != "" || len(m.Calls) > 0
	case EchoToolLoop:
		return inLoop && len(m.Calls) > 0
	case EchoNever:
	}
	return false
}

// appendReasoning appends reasoning under the name under which it came.
func appendReasoning(dst []byte, reasoning string, extra replyExtra) []byte {
	dst = append(appendjson.String(append(dst, ','), cmp.Or(extra.Field, "reasoning_content")), ':')
	dst = appendjson.String(dst, reasoning)
	if len(extra.Details) > 0 {
		dst = append(dst, `,"reasoning_details":`...)
		for i, item := range extra.Details {
			dst = append(append(dst, "[,"[min(i, 1)]), item...)
		}
		dst = append(dst, ']')
	}
	return dst
}

// appendCalls appends calls; withExtra says that fields that only the provider
// knows go with them.
func appendCalls(dst []byte, calls []event.Call, withExtra bool) []byte {
	sep := byte('[')
	for _, c := range calls {
		dst = append(dst, sep)
		sep = ','
		dst = append(dst, '{')
		if c.ID != "" {
			dst = append(appendjson.String(append(dst, `"id":`...), c.ID), ',')
		}
		dst = append(dst, `"type":"function","function":{`...)
		if c.Name != "" {
			dst = append(appendjson.String(append(dst, `"name":`...), c.Name), ',')
		}
		dst = append(dst, `"arguments":`...)
		dst = appendjson.String(dst, sentArguments(c.Arguments))
		dst = append(dst, '}')
		if fields := strings.TrimSpace(c.Extra); withExtra && len(fields) > len("{}") && fields[0] == '{' {
			dst = append(append(dst, ','), fields[1:len(fields)-1]...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// sentArguments are arguments as they may stand in a conversation: many
// endpoints refuse what is no JSON.
func sentArguments(args string) string {
	switch {
	case args == "":
		return "{}"
	case json.Valid([]byte(args)):
		return args
	}
	return string(append(appendjson.String([]byte(`{"invalid_arguments":`), args), '}'))
}
