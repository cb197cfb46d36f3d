package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/model"
)

// history is the conversation of one agent. It grows, or is compacted as a
// whole, so what a request needs to know of it (its digest, its size, whether
// it is whole) costs no more than the messages that are new in it.
type history struct {
	messages []model.Message
	packed   packed // stands for messages while an agent is at rest
	sum      hash.Hash
	tokens   int // estimate
	thoughts int // estimate of its reasoning, which a request may leave out
	checker  checker
	fault    error           // the first that the checker found
	past     map[string]bool // ids of calls that compactions took out
	base     int             // tokens after the last compaction; 0: there was none
}

func newHistory(system string) history {
	var h history
	h.add(model.Message{Role: model.System, Content: system})
	return h
}

// wake writes the system prompt out for a turn; with the first turn the
// conversation begins.
func (h *history) wake(system string) {
	if h.checker.n == 0 {
		*h = newHistory(system)
	}
	h.open()
	h.messages = slices.Grow(h.messages, roomForTurn)
	h.messages[0].Content = system
	h.checker.remember(h.messages)
}

// open makes a packed conversation a list of messages again.
func (h *history) open() {
	if h.packed != "" {
		h.messages, h.packed = h.packed.unpack(make([]model.Message, 0, h.checker.n+roomForTurn)), ""
	}
}

// roomForTurn is the number of messages of a short turn.
const roomForTurn = 12

func (h *history) add(m model.Message) {
	h.open() // in a log that somebody edited, an agent may get a message at rest
	if h.sum == nil {
		h.sum = sha256.New()
	}
	if err := h.checker.next(m); err != nil && h.fault == nil {
		h.fault = err
	}
	h.messages = append(h.messages, m)
	h.tokens += model.EstimateMessage(m)
	h.thoughts += model.EstimateText(m.Reasoning)
	writeField(h.sum, string(m.Role), m.Content, m.Reasoning, m.CallID, strconv.Itoa(len(m.Calls)))
	for _, c := range m.Calls {
		writeField(h.sum, c.ID, c.Name, c.Arguments)
		writeExtra(h.sum, c.Extra)
	}
	writeExtra(h.sum, m.Extra)
}

// check is [CheckHistory] of the whole conversation.
func (h *history) check() error {
	if h.fault != nil {
		return h.fault
	}
	return h.checker.end()
}

// used reports whether a call of the conversation has this id, or had it
// before a compaction.
func (h *history) used(callID string) bool { return h.checker.seen[callID] || h.past[callID] }

// settle gives back what an agent at rest does not need: the system prompt,
// which the agents of a role have in common, and, of a short conversation, the
// list of messages and that of call ids. Of a long one they are small beside the
// rest, and making them anew each turn would be dear.
func (h *history) settle() {
	const long = 256
	if h.packed != "" || len(h.messages) == 0 {
		return
	}
	h.messages[0].Content = ""
	if len(h.messages) < long {
		h.messages, h.packed = nil, pack(h.messages)
		h.checker.forget()
	}
}

// writeField writes each text with its length, so that no two sequences of
// texts look alike.
func writeField(w io.Writer, texts ...string) {
	buf := make([]byte, 0, 256) // texts are copied piece by piece, not as a whole
	for _, t := range texts {
		buf = append(strconv.AppendInt(buf, int64(len(t)), 10), ':')
		for len(t) > 0 {
			n := copy(buf[len(buf):cap(buf)], t)
			_, _ = w.Write(buf[:len(buf)+n])
			buf, t = buf[:0], t[n:]
		}
	}
	_, _ = w.Write(buf)
}

// writeExtra writes what only some conversations have, so that the digests of
// all others stay what they were.
func writeExtra(w io.Writer, text string) {
	if text != "" {
		writeField(w, "extra", text)
	}
}

// digest is the SHA-256 of a request, in hex: the model, the bound on its
// reply, the tools and the conversation.
func (h *history) digest(modelName string, maxTokens int, o *Offer) string {
	var sum [sha256.Size]byte
	total := sha256.New()
	writeField(total, modelName, strconv.Itoa(maxTokens))
	_, _ = total.Write(o.sum[:])
	_, _ = total.Write(h.sum.Sum(sum[:0]))
	return hex.EncodeToString(total.Sum(sum[:0]))
}

// HistoryError says that a conversation must not be sent: the provider would
// refuse it, or worse, would answer it.
type HistoryError struct {
	Index  int    // of the message at fault, from 0
	Reason string // what is wrong with it
}

// Error names the message and the reason.
func (e *HistoryError) Error() string {
	return fmt.Sprintf("agent: message %d of the conversation: %s", e.Index, e.Reason)
}

// CheckHistory reports the first fault of a conversation as a [*HistoryError]:
// it begins with the system message, has no other; every tool call has exactly
// one result, in the order of the calls and straight after them; nothing
// stands between calls and results, and no result is without its call.
func CheckHistory(messages []model.Message) error {
	var c checker
	for _, m := range messages {
		if err := c.next(m); err != nil {
			return err
		}
	}
	return c.end()
}

// checker reads a conversation message by message. The zero value is ready.
type checker struct {
	n    int             // messages read
	open []string        // ids of calls still without result
	seen map[string]bool // ids of all calls
}

// next reads one message.
func (c *checker) next(m model.Message) error {
	i := c.n
	c.n++
	fault := func(format string, args ...any) error {
		return &HistoryError{Index: i, Reason: fmt.Sprintf(format, args...)}
	}
	if (i == 0) != (m.Role == model.System) {
		return fault("role %s; the system message comes first, and only there", m.Role)
	}
	if m.Role == model.ToolRole {
		if len(c.open) == 0 {
			return fault("result for call %q, which is not open", m.CallID)
		}
		if m.CallID != c.open[0] {
			return fault("result for call %q where that of %q is due", m.CallID, c.open[0])
		}
		if c.open = c.open[1:]; len(c.open) == 0 {
			c.open = nil // an empty rest would keep the last id alive
		}
		return nil
	}
	if len(c.open) > 0 {
		return fault("a %s message before the result of call %q", m.Role, c.open[0])
	}
	if m.Role != model.Assistant && len(m.Calls) > 0 {
		return fault("tool calls in a %s message", m.Role)
	}
	for _, call := range m.Calls {
		if call.ID == "" || c.seen[call.ID] {
			return fault("call id %q is empty or used twice", call.ID)
		}
		c.see(call.ID)
		c.open = append(c.open, call.ID)
	}
	return nil
}

// forget drops the ids of the calls, remember lists those of the messages again.
func (c *checker) forget() { c.seen = nil }

func (c *checker) remember(messages []model.Message) {
	if c.seen != nil {
		return
	}
	for _, m := range messages {
		for _, call := range m.Calls {
			c.see(call.ID)
		}
	}
}

func (c *checker) see(id string) {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[id] = true
}

// end reports what the end of the conversation leaves open.
func (c *checker) end() error {
	if len(c.open) > 0 {
		return &HistoryError{Index: c.n, Reason: fmt.Sprintf("the conversation ends before the result of call %q", c.open[0])}
	}
	if c.n < 2 {
		return &HistoryError{Index: c.n, Reason: "nothing was asked"}
	}
	return nil
}
