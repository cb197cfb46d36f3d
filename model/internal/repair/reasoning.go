package repair

import "bytes"

// reasonings are the fields in which one piece of a message may hold
// reasoning; several of them may say the same.
type reasonings struct {
	content, reasoning, thinking []byte // by name of the field
	inDetails, inContent         []byte
}

// note takes in a field that is text, or an object with one.
func (r *reasonings) note(name string, value []byte) {
	t := text(value)
	for _, inner := range []string{"content", "text"} {
		if t == nil {
			t = text(get(value, inner))
		}
	}
	switch name {
	case "reasoning_content":
		r.content = t
	case "reasoning":
		r.reasoning = t
	case "thinking":
		r.thinking = t
	}
}

// items takes in reasoning_details and returns list with its items added.
func (r *reasonings) items(list [][]byte, value []byte) [][]byte {
	s := scanner{text: value}
	s.items(func() bool {
		item, ok := s.value()
		if !ok {
			return false
		}
		list = append(list, bytes.Clone(item))
		for _, name := range []string{"text", "summary"} {
			r.inDetails = append(r.inDetails, text(get(item, name))...)
		}
		return true
	})
	return list
}

// best is the reasoning, and the name of its field if it is an unusual one.
func (r *reasonings) best() (reasoning []byte, field string) {
	switch {
	case len(r.content) > 0:
		return r.content, ""
	case len(r.reasoning) > 0:
		return r.reasoning, "reasoning"
	case len(r.thinking) > 0:
		return r.thinking, "thinking"
	case len(r.inDetails) > 0:
		return r.inDetails, "reasoning"
	}
	return r.inContent, ""
}
