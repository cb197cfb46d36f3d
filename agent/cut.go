package agent

import (
	"fmt"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/model"
)

// keptPart is the part of a conversation that a compaction leaves as it is,
// as a divisor.
const keptPart = 3

// maxSummary bounds a summary, in bytes; minSummary is always allowed.
const (
	maxSummary = 16 << 10
	minSummary = 1 << 10
)

// cut is what a compaction takes out of a conversation.
type cut struct {
	dropped []model.Message // what goes, in order
	again   bool            // the first of them is a summary already
	pinned  []string        // ids of messages among them that stay
	kept    int             // messages that stay, from the end
	tokens  int             // estimate of what goes
	of      int             // estimate of all that could go
}

// empty reports whether nothing goes, or nothing but an older summary.
func (c cut) empty() bool { return len(c.dropped) == 0 || c.again && len(c.dropped) == 1 }

// large reports whether enough goes to be worth a summary that nothing forces.
func (c cut) large() bool { return !c.empty() && c.tokens*keptPart >= c.of }

// summaryBytes is the longest summary: it must be shorter than what it
// replaces.
func (c cut) summaryBytes() int {
	const bytesPerToken, shrink = 4, 2
	return min(maxSummary, max(minSummary, c.tokens*bytesPerToken/shrink))
}

// cut plans a compaction. The newest messages stay: about a third of the
// conversation, and at least the last reply with all that came after it. So do
// the messages with an id in open. A call stays together with its results.
func (h *history) cut(open map[string]bool) cut {
	c := cut{again: h.base > 0}
	last := 0 // the last reply
	for i, m := range h.messages {
		if i > 0 {
			c.of += model.EstimateMessage(m)
		}
		if m.Role == model.Assistant {
			last = i
		}
	}
	from, size := last, 0
	for i := len(h.messages) - 1; i > 0; i-- {
		if size += model.EstimateMessage(h.messages[i]); size*keptPart > c.of {
			break
		}
		if i < last && h.messages[i].Role != model.ToolRole {
			from = i
		}
	}
	for _, m := range h.messages[1:max(1, from)] {
		if open[m.Origin.ID] {
			c.pinned = append(c.pinned, m.Origin.ID)
			continue
		}
		c.dropped = append(c.dropped, m)
		c.tokens += model.EstimateMessage(m)
	}
	c.again = c.again && len(c.dropped) > 0
	c.kept = len(h.messages) - max(1, from)
	return c
}

// compact puts summary in the place of all messages but the system prompt,
// which a conversation at rest does not hold, the kept newest ones and those
// whose ids are pinned. Ids of calls that go are not given again.
func (h *history) compact(system string, summary model.Message, kept int, pinned []string) error {
	h.open()
	from := len(h.messages) - kept
	if kept < 0 || from < 1 || from < len(h.messages) && h.messages[from].Role == model.ToolRole {
		return fmt.Errorf("agent: no conversation of %d messages can be cut to its last %d", len(h.messages), kept)
	}
	next := newHistory(system)
	next.past = maps.Clone(h.past)
	if next.past == nil {
		next.past = map[string]bool{}
	}
	next.add(summary)
	for _, m := range h.messages[1:from] {
		if m.Origin.ID != "" && slices.Contains(pinned, m.Origin.ID) {
			next.add(m)
		}
		for _, call := range m.Calls {
			next.past[call.ID] = true
		}
	}
	for _, m := range h.messages[from:] {
		next.add(m)
	}
	next.base = next.tokens
	*h = next
	return nil
}

// grown reports whether the conversation is clearly longer than after the last
// compaction, so that another one is worth while.
func (h *history) grown() bool { return h.tokens*2 >= h.base*3 }
