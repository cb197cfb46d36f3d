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

// texts are the places of all texts of m, in an order that is always the same.
func texts(m *model.Message) []*string {
	list := []*string{
		(*string)(&m.Role), &m.Content, &m.Reasoning, &m.Extra, &m.CallID, &m.ToolName,
		(*string)(&m.Origin.Kind), &m.Origin.From, &m.Origin.FromID, &m.Origin.ID, &m.Origin.QuestionID, &m.Origin.Content,
	}
	for i := range m.Calls {
		c := &m.Calls[i]
		list = append(list, &c.ID, &c.Name, &c.Arguments, &c.Extra)
	}
	return list
}

func pack(messages []model.Message) packed {
	var b []byte
	for i := range messages {
		m := &messages[i]
		head := uint64(len(m.Calls)) << 1
		if m.IsError {
			head |= 1
		}
		b = binary.AppendUvarint(b, head)
		for _, t := range texts(m) {
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
		m := model.Message{IsError: head&1 == 1}
		if n := head >> 1; n > 0 {
			m.Calls = make([]event.Call, n)
		}
		for _, t := range texts(&m) {
			n := p.number()
			*t, p = string(p[:n]), p[n:]
		}
		list = append(list, m)
	}
	return list
}

// number takes off the number that p begins with.
func (p *packed) number() uint64 {
	n, width := binary.Uvarint([]byte((*p)[:min(len(*p), binary.MaxVarintLen64)]))
	*p = (*p)[width:]
	return n
}
