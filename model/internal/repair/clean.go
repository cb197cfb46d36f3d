package repair

import (
	"strconv"
	"unicode/utf8"
)

// clean checks whether a chunk is one that the client library reads well and
// of which it drops nothing that is needed. It must be strict: what it lets
// pass is not looked at again.
type clean struct {
	scanner

	finished, spoken, called bool

	said    Said
	choices int  // so far
	vague   bool // it says something twice: the library must tell which counts
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
	b.said, b.clear = c.said, !c.vague
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

// note passes a text and notes it.
func (c *clean) note(to *string) bool {
	raw, ok := c.str()
	c.once(*to == "")
	*to = string(unquote(raw))
	return ok
}

// noted passes null, or a text that it notes.
func (c *clean) noted(to *string) bool {
	if c.space() == 'n' {
		return c.null()
	}
	return c.note(to)
}

// counted passes a whole number and notes it.
func (c *clean) counted(to *int) bool {
	c.space()
	from := c.at
	ok := c.integer()
	*to, _ = strconv.Atoi(string(c.scanner.text[from:c.at]))
	return ok
}

// once notes whether what comes now came for the first time.
func (c *clean) once(first bool) { c.vague = c.vague || !first }

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
		c.once(c.choices == 0)
		return c.items(func() bool {
			c.once(c.choices == 0)
			c.choices++
			return c.fields(c.choice)
		})
	case "id", "model", "system_fingerprint":
		return c.orNull(c.text)
	case "object":
		value, ok := c.value()
		return ok && string(value) == `"chat.completion.chunk"` || string(value) == `""`
	case "created":
		return c.orNull(c.integer)
	case "usage":
		c.once(c.said.Usage == nil)
		return c.orNull(func() bool {
			c.said.Usage = new(Usage)
			return c.fields(c.usage)
		})
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
		index := 0
		ok := c.counted(&index)
		c.once(index == 0) // another reply
		return ok
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
	ok := c.note(&c.said.Finish)
	c.finished = c.finished || isReason([]byte(c.said.Finish))
	return ok
}

func (c *clean) delta(key []byte) bool {
	switch string(key) {
	case "content":
		return c.speech(&c.said.Content)
	case "reasoning_content":
		return c.speech(&c.said.Reasoning)
	case "refusal":
		return c.speech(&c.said.Refusal)
	case "role":
		return c.orNull(c.text)
	case "function_call":
		return c.null()
	case "tool_calls":
		c.once(len(c.said.Calls) == 0)
		return c.orNull(func() bool { return c.items(c.piece) })
	}
	return c.idle() && isLower(key)
}

func (c *clean) speech(to *string) bool {
	ok := c.noted(to)
	c.spoken = c.spoken || *to != ""
	return ok
}

func (c *clean) piece() bool {
	c.called = true
	c.said.Calls = append(c.said.Calls, SaidCall{})
	return c.fields(c.call)
}

func (c *clean) call(key []byte) bool {
	call := &c.said.Calls[len(c.said.Calls)-1]
	switch string(key) {
	case "index":
		c.once(call.Index == nil)
		return c.orNull(func() bool {
			call.Index = new(int)
			return c.counted(call.Index)
		})
	case "id":
		return c.noted(&call.ID)
	case "type":
		return c.orNull(c.text)
	case "function":
		return c.fields(func(key []byte) bool {
			switch string(key) {
			case "name":
				return c.noted(&call.Name)
			case "arguments":
				return c.noted(&call.Args)
			}
			return c.idle() && isLower(key)
		})
	}
	return c.idle() && isLower(key)
}

func (c *clean) usage(key []byte) bool {
	u := c.said.Usage
	switch string(key) {
	case "prompt_tokens":
		return c.counted(&u.Prompt)
	case "completion_tokens":
		return c.counted(&u.Completion)
	case "total_tokens":
		return c.integer()
	case "prompt_tokens_details":
		return c.details("cached_tokens", &u.Cached)
	case "completion_tokens_details":
		return c.details("reasoning_tokens", &u.Reasoning)
	}
	return c.idle() && isLower(key)
}

// details passes null, or an object of numbers of which it notes one.
func (c *clean) details(name string, to *int) bool {
	c.once(*to == 0)
	return c.orNull(func() bool {
		return c.fields(func(key []byte) bool {
			return isLower(key) && c.orNull(func() bool {
				if string(key) == name {
					return c.counted(to)
				}
				return c.integer()
			})
		})
	})
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
