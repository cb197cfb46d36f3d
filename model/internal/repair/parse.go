package repair

import "strconv"

// chunk is what a chunk of any known shape says.
type chunk struct {
	bad     bool   // no JSON object, or one whose choices have another type
	reply   bool   // it belongs to a reply
	failure []byte // JSON or words of an error in it
	whole   bool   // it holds a message, not a piece of one

	content, reasoning, refusal []byte // may hold halves of characters
	field                       string // that reasoning came in
	finish                      []byte
	calls                       []Piece
	details                     [][]byte
	extra                       map[string][]byte
	usage                       *Usage
	other                       bool // a field of the message that nobody knows says something
}

// says reports whether the chunk brings a reply forward.
func (c *chunk) says() bool {
	return isReason(c.finish) || len(c.content)+len(c.reasoning)+len(c.refusal) > 0 || len(c.calls) > 0 || len(c.details) > 0 ||
		c.extra != nil || c.other
}

// get is the value of a field of an object; nil if it is missing or the text
// is no object.
func get(object []byte, name string) []byte {
	var found []byte
	s := scanner{text: object}
	if !s.fields(func(key []byte) bool {
		value, ok := s.value()
		if string(key) == name {
			found = value
		}
		return ok
	}) {
		return nil
	}
	return found
}

// text is the content of a JSON string; nil for all other values.
func text(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return unquote(value[1 : len(value)-1])
}

// parse reads a chunk.
func parse(v []byte) chunk {
	var c chunk
	var o oddities
	s := scanner{text: v}
	ok := s.fields(func(key []byte) bool {
		value, ok := s.value()
		if !ok || isEmpty(value) && string(key) != "choices" {
			return ok
		}
		switch string(key) {
		case "choices":
			c.choices(value)
		case "usage":
			c.count(value)
		case "x_groq":
			c.count(get(value, "usage"))
		default:
			o.note(string(key), value)
		}
		return true
	})
	if !ok || !s.end() {
		return chunk{bad: true}
	}
	if c.failure == nil {
		c.failure = o.failure(v, c.reply)
	}
	c.reply = c.reply || c.usage != nil
	return c
}

// choices reads the list of choices; only the first reply counts.
func (c *chunk) choices(list []byte) {
	if string(list) == "null" {
		c.reply = true
		return
	}
	s := scanner{text: list}
	ok := s.items(func() bool {
		value, ok := s.value()
		if !ok || len(value) == 0 || value[0] != '{' {
			return false
		}
		if i, isInt := integer(get(value, "index")); !isInt || i == 0 {
			c.choice(value)
		}
		return true
	})
	c.reply = ok
	c.bad = c.bad || !ok
}

func (c *chunk) choice(v []byte) {
	var delta, message []byte
	s := scanner{text: v}
	s.fields(func(key []byte) bool {
		value, ok := s.value()
		if !ok || isEmpty(value) {
			return ok
		}
		switch string(key) {
		case "delta":
			delta = value
		case "message":
			message = value
		case "text":
			c.content = append(c.content, text(value)...)
		case "finish_reason":
			c.reason(value)
		case "usage":
			c.count(value)
		case "error":
			c.failure = append(append([]byte(`{"error":`), value...), '}')
		}
		return true
	})
	switch {
	case delta != nil:
		c.message(delta, false)
	case message != nil:
		c.whole = true
		c.message(message, true)
	}
}

// reason reads a finish reason; one that is no text is kept as its JSON.
func (c *chunk) reason(value []byte) {
	if c.finish = text(value); c.finish == nil {
		c.finish = value
	}
}

// message reads a delta or a whole message.
func (c *chunk) message(v []byte, whole bool) {
	var r reasonings
	s := scanner{text: v}
	s.fields(func(key []byte) bool {
		value, ok := s.value()
		if !ok || isEmpty(value) {
			return ok
		}
		switch name := string(key); name {
		case "content":
			said, thought := parts(value)
			c.content = append(c.content, said...)
			r.inContent = append(r.inContent, thought...)
		case "images": // beside the content
			said, _ := parts(value)
			c.content = append(c.content, said...)
		case "refusal":
			c.refusal = append(c.refusal, text(value)...)
		case "reasoning_content", "reasoning", "thinking":
			r.note(name, value)
		case "reasoning_details":
			c.details = r.items(c.details, value)
		case "tool_calls":
			c.toolCalls(value, whole)
		case "function_call":
			p := Piece{Complete: whole}
			p.function(value)
			c.calls = append(c.calls, p)
		case "usage":
			c.count(value)
		case "finish_reason":
			c.reason(value)
		case "extra_content":
			c.extra = map[string][]byte{name: append([]byte(nil), value...)}
		case "role":
		default:
			c.other = true
		}
		return true
	})
	c.reasoning, c.field = r.best()
}

func (c *chunk) toolCalls(list []byte, whole bool) {
	s := scanner{text: list}
	if len(list) > 0 && list[0] == '{' { // one call in place of a list
		c.calls = append(c.calls, piece(list, whole))
		return
	}
	s.items(func() bool {
		value, ok := s.value()
		if ok && value[0] == '{' {
			c.calls = append(c.calls, piece(value, whole))
		}
		return ok
	})
}

// piece reads a piece of a call.
func piece(v []byte, whole bool) Piece {
	p := Piece{Complete: whole}
	s := scanner{text: v}
	s.fields(func(key []byte) bool {
		value, ok := s.value()
		if !ok || isEmpty(value) {
			return ok
		}
		switch name := string(key); name {
		case "index":
			if i, ok := integer(value); ok {
				p.Index = &i
			}
		case "id":
			p.ID = plain(value)
		case "type":
		case "function":
			p.function(value)
		default:
			if p.Extra == nil {
				p.Extra = map[string][]byte{}
			}
			p.Extra[name] = append([]byte(nil), value...)
		}
		return true
	})
	return p
}

// function reads name and arguments of a call; arguments that are an object
// count as its text.
func (p *Piece) function(v []byte) {
	s := scanner{text: v}
	s.fields(func(key []byte) bool {
		value, ok := s.value()
		if !ok {
			return false
		}
		switch string(key) {
		case "name":
			p.Name = plain(value)
		case "arguments", "parameters":
			switch value[0] {
			case '"':
				p.Args = append(p.Args, text(value)...)
			case '{', '[':
				p.Args = append(p.Args, value...)
			}
		}
		return true
	})
}

// plain is a name or an id as text; a number counts as its digits.
func plain(value []byte) string {
	if t := text(value); t != nil {
		whole, _ := Whole(t)
		return whole
	}
	if len(value) > 0 && (value[0] == '-' || '0' <= value[0] && value[0] <= '9') {
		return string(value)
	}
	return ""
}

// integer reads a whole number, also where it is written as text or with a
// fraction.
func integer(value []byte) (int, bool) {
	if t := text(value); t != nil {
		value = t
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f != f || f < -1e15 || f > 1e15 {
		return 0, false
	}
	return int(f), true
}

// count reads usage; the last value wins.
func (c *chunk) count(v []byte) {
	if len(v) == 0 || v[0] != '{' {
		return
	}
	first := func(names ...string) int {
		for _, name := range names {
			if n, ok := integer(get(v, name)); ok && n > 0 {
				return n
			}
		}
		return 0
	}
	u := Usage{Prompt: first("prompt_tokens", "input_tokens"), Completion: first("completion_tokens", "output_tokens")}
	u.Cached, _ = integer(get(get(v, "prompt_tokens_details"), "cached_tokens"))
	if u.Cached == 0 {
		u.Cached = first("prompt_cache_hit_tokens", "cached_tokens")
	}
	u.Reasoning, _ = integer(get(get(v, "completion_tokens_details"), "reasoning_tokens"))
	if u.Prompt+u.Completion > 0 {
		c.usage = &u
	}
}
