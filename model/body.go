package model

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// appendBody appends the body of a request for req: what go-openai would
// write, with a content in every message (spec/endpoints.md, line 30), and
// with fields over everything else. tools is the text of req.Tools.
func appendBody(dst []byte, modelName string, req Request, tools []byte, fields map[string]json.RawMessage) []byte {
	sep := byte('{')
	member := func(name string, value func([]byte) []byte) {
		dst = append(dst, sep)
		sep = ','
		dst = append(appendString(dst, name), ':')
		dst = value(dst)
	}
	own := func(name string, value func([]byte) []byte) {
		if _, ok := fields[name]; !ok {
			member(name, value)
		}
	}
	own("model", func(dst []byte) []byte { return appendString(dst, modelName) })
	own("messages", func(dst []byte) []byte { return appendMessages(dst, req.Messages) })
	own("stream", func(dst []byte) []byte { return append(dst, "true"...) })
	own("stream_options", func(dst []byte) []byte { return append(dst, `{"include_usage":true}`...) })
	if len(req.Tools) > 0 {
		own("tools", func(dst []byte) []byte { return append(dst, tools...) })
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		member(name, func(dst []byte) []byte { return append(dst, fields[name]...) })
	}
	return append(dst, '}')
}

// bodySize is about how many bytes appendBody needs for req: texts grow a
// little when they are quoted.
func bodySize(req Request, tools []byte) int {
	const rest, perMessage, perCall = 256, 64, 96
	n := rest + len(tools)
	for _, m := range req.Messages {
		n += perMessage + len(m.Content)*9/8
		for _, c := range m.Calls {
			n += perCall + len(c.Arguments)*5/4
		}
	}
	return n
}

func appendMessages(dst []byte, messages []Message) []byte {
	dst = append(dst, '[')
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMessage(dst, m)
	}
	return append(dst, ']')
}

// appendMessage appends one message; reasoning is not sent back.
func appendMessage(dst []byte, m Message) []byte {
	dst = append(dst, `{"role":`...)
	dst = appendString(dst, string(m.Role))
	dst = append(dst, `,"content":`...)
	if m.Content == "" && len(m.Calls) > 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, m.Content)
	}
	if len(m.Calls) > 0 {
		dst = appendCalls(append(dst, `,"tool_calls":`...), m.Calls)
	}
	if m.Role == ToolRole && m.CallID != "" {
		dst = append(dst, `,"tool_call_id":`...)
		dst = appendString(dst, m.CallID)
	}
	return append(dst, '}')
}

func appendCalls(dst []byte, calls []event.Call) []byte {
	sep := byte('[')
	for _, c := range calls {
		dst = append(dst, sep)
		sep = ','
		dst = append(dst, '{')
		if c.ID != "" {
			dst = append(appendString(append(dst, `"id":`...), c.ID), ',')
		}
		dst = append(dst, `"type":"function","function":{`...)
		if c.Name != "" {
			dst = append(appendString(append(dst, `"name":`...), c.Name), ',')
		}
		dst = append(dst, `"arguments":`...)
		dst = appendString(dst, c.Arguments)
		dst = append(dst, `}}`...)
	}
	return append(dst, ']')
}

// appendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}
