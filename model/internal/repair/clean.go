package repair

import "unicode/utf8"

// clean checks whether a chunk is one that the client library reads well and
// of which it drops nothing that is needed. It must be strict: what it lets
// pass is not looked at again.
type clean struct {
	scanner

	finished, spoken, called bool
}

// passes reports whether the event may pass as it is.
func (b *Body) passes(payload []byte) bool {
	if b.errorEvent || b.plain || len(b.content.held)+len(b.reasoning.held) > 0 || !utf8.Valid(payload) {
		return false
	}
	c := clean{scanner: scanner{text: payload}}
	if !c.fields(c.top) || !c.end() || c.lone {
		return false
	}
	b.facts.Finished = b.facts.Finished || c.finished
	b.spoken = b.spoken || c.spoken
	b.called = b.called || c.called
	if c.finished || c.spoken || c.called {
		b.progress()
	}
	return true
}

// orNull passes null, or what pass does.
func (c *clean) orNull(pass func() bool) bool {
	if c.space() == 'n' {
		return c.null()
	}
	return pass()
}

func (c *clean) text() bool { _, ok := c.str(); return ok }

// idle passes a field that says nothing: null, an empty text, list or object.
func (c *clean) idle() bool {
	value, ok := c.value()
	return ok && isEmpty(value)
}

// only passes null or this value, of a field whose type the library knows.
func (c *clean) only(empty string) bool {
	value, ok := c.value()
	return ok && (string(value) == "null" || string(value) == empty)
}

func (c *clean) top(key []byte) bool {
	switch string(key) {
	case "choices":
		return c.items(func() bool { return c.fields(c.choice) })
	case "id", "model", "system_fingerprint":
		return c.orNull(c.text)
	case "object":
		value, ok := c.value()
		return ok && string(value) == `"chat.completion.chunk"` || string(value) == `""`
	case "created":
		return c.orNull(c.integer)
	case "usage":
		return c.orNull(func() bool { return c.fields(c.usage) })
	case "prompt_annotations", "prompt_filter_results":
		return c.only("[]")
	case "service_tier", "obfuscation", "provider", "timings":
		return c.skip()
	}
	return c.idle() && isLower(key)
}

func (c *clean) choice(key []byte) bool {
	switch string(key) {
	case "index":
		return c.integer()
	case "delta":
		return c.orNull(func() bool { return c.fields(c.delta) })
	case "finish_reason":
		return c.orNull(c.finish)
	case "logprobs":
		return c.null()
	case "content_filter_results":
		return c.only("{}")
	case "native_finish_reason", "stop_reason", "matched_stop":
		return c.skip()
	}
	return c.idle() && isLower(key)
}

func (c *clean) finish() bool {
	reason, ok := c.str()
	c.finished = c.finished || isReason(reason)
	return ok
}

func (c *clean) delta(key []byte) bool {
	switch string(key) {
	case "content", "reasoning_content", "refusal":
		return c.orNull(func() bool {
			text, ok := c.str()
			c.spoken = c.spoken || len(text) > 0
			return ok
		})
	case "role":
		return c.orNull(c.text)
	case "function_call":
		return c.null()
	case "tool_calls":
		return c.orNull(func() bool { return c.items(c.piece) })
	}
	return c.idle() && isLower(key)
}

func (c *clean) piece() bool { c.called = true; return c.fields(c.call) }

func (c *clean) call(key []byte) bool {
	switch string(key) {
	case "index":
		return c.orNull(c.integer)
	case "id", "type":
		return c.orNull(c.text)
	case "function":
		return c.fields(func(key []byte) bool {
			switch string(key) {
			case "name", "arguments":
				return c.orNull(c.text)
			}
			return c.idle() && isLower(key)
		})
	}
	return c.idle() && isLower(key)
}

func (c *clean) usage(key []byte) bool {
	switch string(key) {
	case "prompt_tokens", "completion_tokens", "total_tokens":
		return c.integer()
	case "prompt_tokens_details", "completion_tokens_details":
		return c.orNull(func() bool {
			return c.fields(func(key []byte) bool { return isLower(key) && c.orNull(c.integer) })
		})
	}
	return c.idle() && isLower(key)
}

// isLower reports whether the library cannot take a field for one that it
// knows: it compares names without regard to case.
func isLower(key []byte) bool {
	for _, c := range key {
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c == '\\' {
			return false
		}
	}
	return true
}

// isEmpty reports whether a value says nothing.
func isEmpty(value []byte) bool {
	switch string(value) {
	case "", "null", `""`, "[]", "{}", "false":
		return true
	}
	return false
}

// isReason reports whether what stands between the quotes of a finish reason
// is one.
func isReason(text []byte) bool { return len(text) > 0 && string(text) != "null" }
