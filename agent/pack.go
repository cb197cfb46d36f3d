package agent

import (
	"encoding/binary"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// packed is a conversation as one text. An agent at rest keeps this: a list of
// messages is mostly empty fields and small texts, each with memory of its own.
//
// A number stands before each message, how many calls it has and whether it
// tells of an error, and one before each of its texts, how long it is.
type packed string

// texts yields the places of all texts of m, in an order that is always the
// same.
func texts(m *model.Message) func(yield func(*string) bool) {
	return func(yield func(*string) bool) {
		for _, t := range [...]*string{
			(*string)(&m.Role), &m.Content, &m.Reasoning, &m.Extra, &m.CallID, &m.ToolName,
			(*string)(&m.Origin.Kind), &m.Origin.From, &m.Origin.FromID, &m.Origin.ID, &m.Origin.QuestionID, &m.Origin.Content,
		} {
			if !yield(t) {
				return
			}
		}
		for i := range m.Calls {
			c := &m.Calls[i]
			for _, t := range [...]*string{&c.ID, &c.Name, &c.Arguments, &c.Extra} {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func pack(messages []model.Message) packed {
	size := 0
	for i := range messages {
		for t := range texts(&messages[i]) {
			size += len(*t) + binary.MaxVarintLen16
		}
	}
	b := make([]byte, 0, size)
	for i := range messages {
		m := &messages[i]
		head := uint64(len(m.Calls)) << 1
		if m.IsError {
			head |= 1
		}
		b = binary.AppendUvarint(b, head)
		for t := range texts(m) {
			b = append(binary.AppendUvarint(b, uint64(len(*t))), *t...)
		}
	}
	return packed(b)
}

// unpack appends the messages to list. Their texts are parts of p and take no
// memory of their own.
func (p packed) unpack(list []model.Message) []model.Message {
	for len(p) > 0 {
		head := p.number()
		list = append(list, model.Message{IsError: head&1 == 1})
		m := &list[len(list)-1]
		if n := head >> 1; n > 0 {
			m.Calls = make([]event.Call, n)
		}
		for t := range texts(m) {
			n := p.number()
			*t, p = string(p[:n]), p[n:]
		}
	}
	return list
}

// number takes off the number that p begins with.
func (p *packed) number() (n int) {
	for shift := 0; ; shift += 7 {
		c := (*p)[0]
		*p = (*p)[1:]
		n |= int(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
}
