package repair

import "strconv"

// message is a chunk in the form that the client library reads well.
type message struct {
	content, reasoning, refusal string
	finish                      []byte
	usage                       *Usage
}

// write makes m the event to hand on.
func (b *Body) write(m *message) {
	out := append(b.parts[:0], `data: {"choices":[{"index":0,"delta":{`...)
	first := true
	field := func(name, text string) {
		if text == "" {
			return
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, '"')
		out = append(out, name...)
		out = append(out, `":`...)
		out = appendQuoted(out, text)
	}
	field("content", m.content)
	field("reasoning_content", m.reasoning)
	field("refusal", m.refusal)
	out = append(out, `},"finish_reason":`...)
	if isReason(m.finish) {
		finish, _ := Whole(m.finish)
		out = appendQuoted(out, finish)
	} else {
		out = append(out, "null"...)
	}
	out = append(out, "}]"...)
	if m.usage != nil {
		out = m.usage.append(out)
	}
	out = append(out, "}\n"...)
	b.parts, b.out = out, out
}

// appendQuoted appends valid UTF-8 as a JSON string.
func appendQuoted(out []byte, text string) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[from:i]...)
		from = i + 1
		if c == '"' || c == '\\' {
			out = append(out, '\\', c)
		} else {
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(out, text[from:]...), '"')
}

// append appends the field usage, after a comma.
func (u *Usage) append(out []byte) []byte {
	number := func(name string, n int) {
		out = append(out, name...)
		out = strconv.AppendInt(out, int64(n), 10)
	}
	number(`,"usage":{"prompt_tokens":`, u.Prompt)
	number(`,"completion_tokens":`, u.Completion)
	number(`,"total_tokens":`, u.Prompt+u.Completion)
	number(`,"prompt_tokens_details":{"cached_tokens":`, u.Cached)
	number(`},"completion_tokens_details":{"reasoning_tokens":`, u.Reasoning)
	return append(out, "}}"...)
}
