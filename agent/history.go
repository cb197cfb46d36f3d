package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/model"
)

// history is the conversation of one agent. It only grows, so the digest of a
// request, the estimate of its tokens and its check cost no more than the
// messages that are new in it.
type history struct {
	messages []model.Message
	sum      hash.Hash
	tokens   int     // estimate of all messages
	checked  checker // has seen all messages
}

func newHistory(system string) history {
	h := history{sum: sha256.New()}
	h.add(model.Message{Role: model.System, Content: system})
	return h
}

func (h *history) add(m model.Message) {
	h.messages = append(h.messages, m)
	h.checked.next(m)
	h.tokens += model.EstimateTokens(model.Request{Messages: h.messages[len(h.messages)-1:]})
	writeField(h.sum, string(m.Role), m.Content, m.Reasoning, m.CallID, strconv.Itoa(len(m.Calls)))
	for _, c := range m.Calls {
		writeField(h.sum, c.ID, c.Name, c.Arguments)
	}
}

// settle gives back the room for messages that an agent at rest does not need.
func (h *history) settle() {
	if cap(h.messages) > len(h.messages) {
		h.messages = slices.Clone(h.messages)
	}
}

// writeField writes each text with its length, so that no two sequences of
// texts look alike.
func writeField(w io.Writer, texts ...string) {
	var length [20]byte
	for _, t := range texts {
		_, _ = w.Write(append(strconv.AppendInt(length[:0], int64(len(t)), 10), ':'))
		_, _ = io.WriteString(w, t)
	}
}

// digest is the SHA-256 of the conversation and of what else the request has
// (its settings, in one or more parts), in hex.
func (h *history) digest(settings ...[]byte) string {
	sum := h.sum.Sum(nil)
	total := sha256.New()
	_, _ = total.Write(sum)
	for _, part := range settings {
		_, _ = total.Write(part)
	}
	return hex.EncodeToString(total.Sum(nil))
}

// open lists the calls of the last assistant message that have no result yet,
// in the order of the calls.
func (h *history) open() []callRef {
	answered := map[string]bool{}
	for i := len(h.messages) - 1; i >= 0; i-- {
		m := h.messages[i]
		switch m.Role {
		case model.ToolRole:
			answered[m.CallID] = true
			continue
		case model.Assistant:
			var open []callRef
			for _, c := range m.Calls {
				if !answered[c.ID] {
					open = append(open, callRef{c.ID, c.Name})
				}
			}
			return open
		case model.System, model.User:
		}
		return nil
	}
	return nil
}

type callRef struct{ id, name string }
