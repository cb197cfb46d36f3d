package agent

import (
	"fmt"

	"github.com/troupe-go/troupe/model"
)

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
		c.next(m)
	}
	return c.end()
}

// checker holds one message after the other against the rules of
// [CheckHistory].
type checker struct {
	count int             // messages so far
	open  []string        // ids of calls still without result; nil when there are none
	calls map[string]bool // the ids of all calls; nil when there are none
	fault error           // the first
}

// next looks at the next message.
func (c *checker) next(m model.Message) {
	if c.fault == nil {
		if reason := c.admit(m); reason != "" {
			c.fault = &HistoryError{Index: c.count, Reason: reason}
		}
	}
	c.count++
}

// admit takes in a message, or says what is wrong with it.
func (c *checker) admit(m model.Message) (reason string) {
	switch {
	case (c.count == 0) != (m.Role == model.System):
		return fmt.Sprintf("role %s; the system message comes first, and only there", m.Role)
	case m.Role == model.ToolRole && len(c.open) == 0:
		return fmt.Sprintf("result for call %q, which is not open", m.CallID)
	case m.Role == model.ToolRole && m.CallID != c.open[0]:
		return fmt.Sprintf("result for call %q where that of %q is due", m.CallID, c.open[0])
	case m.Role == model.ToolRole:
		if c.open = c.open[1:]; len(c.open) == 0 {
			c.open = nil
		}
		return ""
	case len(c.open) > 0:
		return fmt.Sprintf("a %s message before the result of call %q", m.Role, c.open[0])
	case m.Role != model.Assistant && len(m.Calls) > 0:
		return fmt.Sprintf("tool calls in a %s message", m.Role)
	}
	for _, call := range m.Calls {
		if call.ID == "" || c.calls[call.ID] {
			return fmt.Sprintf("call id %q is empty or used twice", call.ID)
		}
		if c.calls == nil {
			c.calls = map[string]bool{}
		}
		c.calls[call.ID] = true
		c.open = append(c.open, call.ID)
	}
	return ""
}

// end reports the first fault of the messages so far, taken as a whole.
func (c *checker) end() error {
	switch {
	case c.fault != nil:
		return c.fault
	case len(c.open) > 0:
		return &HistoryError{Index: c.count, Reason: fmt.Sprintf("the conversation ends before the result of call %q", c.open[0])}
	case c.count < 2:
		return &HistoryError{Index: c.count, Reason: "nothing was asked"}
	}
	return nil
}
