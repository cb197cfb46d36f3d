package repair

import (
	"bytes"
	"io"
)

// pass hands a clean chunk on; raw is the line that it came in, if it ends as
// the library expects.
func (b *Body) pass(payload, raw []byte) {
	if b.out = raw; raw == nil {
		b.parts = append(append(append(b.parts[:0], "data: "...), payload...), '\n')
		b.out = b.parts
	}
}

// value takes in the payload of one event that cannot just pass.
func (b *Body) value(payload []byte) {
	v := bytes.TrimSpace(payload)
	switch {
	case len(v) == 0 || v[0] == ':':
		b.facts.Skipped++
	case isEndMark(v):
		b.facts.Done = true
		b.finish(io.EOF)
	case b.errorEvent:
		b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(v)})
	case v[0] == '{':
		b.object(v)
	case v[0] == '[':
		b.list(v)
	case v[0] == '"' && valid(v):
		b.words(unquote(v[1 : len(v)-1]))
	case valid(v):
		b.facts.Skipped++ // null, true, false or a number
	default:
		b.words(v)
	}
}

// isEndMark reports whether a payload says that the stream is over.
func isEndMark(v []byte) bool {
	v = bytes.TrimSpace(v)
	return string(v) == "[DONE]" || string(v) == `"[DONE]"`
}

// object takes in a chunk, or an error.
func (b *Body) object(v []byte) {
	c := parse(v)
	switch {
	case c.bad:
		b.stop(&Error{Kind: ErrUnreadable, Text: bytes.Clone(v)})
		return
	case c.failure != nil:
		defer b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(c.failure)})
	case !c.reply && b.plain:
		b.stop(&Error{Kind: ErrForeign, Text: bytes.Clone(v)})
		return
	case !c.reply:
		b.facts.Skipped++
		return
	}
	if c.says() {
		b.progress()
	}
	b.rewrite(&c)
}

// list queues the values of an array.
func (b *Body) list(v []byte) {
	s := scanner{text: v}
	var all [][]byte
	ok := s.items(func() bool {
		one, ok := s.value()
		all = append(all, bytes.Clone(one))
		return ok
	})
	if !ok || !s.end() {
		b.stop(&Error{Kind: ErrUnreadable, Text: bytes.Clone(v)})
		return
	}
	b.queue = append(all, b.queue...)
}

// words takes in an event that is plain text.
func (b *Body) words(v []byte) {
	switch {
	case isKeepAlive(v):
		b.facts.Skipped++
	case bytes.Contains(bytes.ToLower(v), []byte("error")):
		b.stop(&Error{Kind: ErrProvider, Text: bytes.Clone(v)})
	default:
		b.stop(&Error{Kind: ErrUnreadable, Text: bytes.Clone(v)})
	}
}

// isKeepAlive reports whether words only say that the server is there.
func isKeepAlive(v []byte) bool {
	switch string(bytes.ToLower(v)) {
	case "", "ping", "pong", "ok", "keepalive", "keep-alive", "heartbeat":
		return true
	}
	return false
}

// rewrite hands a chunk on in the form that the library reads well, and keeps
// aside what that form has no place for.
func (b *Body) rewrite(c *chunk) {
	m := &message{usage: c.usage, finish: c.finish}
	if c.whole && b.spoken { // it repeats what the pieces said
		c.content, c.refusal, c.reasoning = nil, nil, nil
	}
	if c.whole && b.called {
		c.calls = nil
	}
	b.spoken = b.spoken || len(c.content)+len(c.refusal)+len(c.reasoning) > 0
	b.called = b.called || len(c.calls) > 0
	m.content = b.content.add(c.content)
	m.reasoning = b.reasoning.add(c.reasoning)
	m.refusal, _ = Whole(c.refusal)
	b.facts.Finished = b.facts.Finished || isReason(c.finish)
	b.kept.Calls = append(b.kept.Calls, c.calls...)
	b.kept.ReasoningField = c.field
	b.kept.Details = append(b.kept.Details, c.details...)
	b.kept.Fields = c.extra
	b.write(m)
}
