package repair

import (
	"strconv"

	"github.com/troupe-go/troupe/internal/appendjson"
)

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
		out = appendjson.String(out, text)
	}
	field("content", m.content)
	field("reasoning_content", m.reasoning)
	field("refusal", m.refusal)
	out = append(out, `},"finish_reason":`...)
	if isReason(m.finish) {
		finish, _ := Whole(m.finish)
		out = appendjson.String(out, finish)
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
