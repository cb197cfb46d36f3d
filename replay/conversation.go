package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
)

// talk is what an agent and its model have said to each other, folded
// from the records alone.
type talk struct {
	messages []model.Message
	pending  map[string]event.MessageSent // by id
	due      []event.Call                 // whose results are still to come, in order
	results  map[string]model.Message     // that came before those of earlier calls
}

func newTalk(prompt string) *talk {
	return &talk{
		messages: []model.Message{{Role: model.System, Content: prompt}},
		pending:  map[string]event.MessageSent{},
		results:  map[string]model.Message{},
	}
}

// apply folds a record that is about agent id.
func (c *talk) apply(id string, rec event.Record) {
	if d, ok := rec.Data.(event.MessageSent); ok && d.To == id {
		c.pending[d.ID] = d
		return
	}
	if rec.Agent != id {
		return
	}
	switch d := rec.Data.(type) {
	case event.MessageDelivered:
		if m, ok := c.pending[d.ID]; ok {
			delete(c.pending, d.ID)
			c.messages = append(c.messages, framed(m))
		}
	case event.ModelReplied:
		if d.Purpose == "" && (d.Text != "" || len(d.Calls) > 0) {
			c.messages = append(c.messages, model.Message{
				Role: model.Assistant, Content: d.Text, Reasoning: d.Reasoning, Calls: d.Calls, Extra: d.Extra,
			})
			c.due = d.Calls
		}
	case event.ToolFinished:
		c.results[d.CallID] = model.Message{
			Role: model.ToolRole, CallID: d.CallID, ToolName: d.Name, Content: d.Result, IsError: d.IsError,
		}
		c.flush()
	case event.HistoryCompacted:
		c.compact(d)
	default: // says nothing in the conversation
	}
}

// flush puts the results into the conversation that are next in the order of
// the calls.
func (c *talk) flush() {
	for len(c.due) > 0 {
		m, ok := c.results[c.due[0].ID]
		if !ok {
			return
		}
		delete(c.results, m.CallID)
		c.messages, c.due = append(c.messages, m), c.due[1:]
	}
}

// compact puts a summary in the place of what it sums up.
func (c *talk) compact(d event.HistoryCompacted) {
	from := max(1, len(c.messages)-d.Kept)
	next := []model.Message{c.messages[0], framed(event.MessageSent{
		ID: d.ID, Kind: event.Note, From: event.Runtime, FromName: event.RuntimeName, Content: d.Summary,
	})}
	for _, m := range c.messages[1:from] {
		if m.Origin.ID != "" && slices.Contains(d.Pinned, m.Origin.ID) {
			next = append(next, m)
		}
	}
	c.messages = append(next, c.messages[from:]...)
}

// framed is a message as the conversation has it. One that cannot be framed
// never entered it, and is shown bare.
func framed(m event.MessageSent) model.Message {
	content, err := mailbox.Format(mailbox.Message{ID: m.ID, Kind: m.Kind, From: m.FromName, Content: m.Content})
	if err != nil {
		content = m.Content
	}
	return model.Message{Role: model.User, Content: content, Origin: model.Origin{ID: m.ID, From: m.FromName, Kind: m.Kind}}
}

// explain completes the mismatch of a request, which is req: it compares the
// conversation with that of the nearest recorded request. The caller holds
// p.mu.
func (p *player) explain(req model.Request) {
	same, nearest := p.nearest(req.Messages)
	replayed := transcriptOf(req.Messages)
	if same == nil {
		return
	}
	m := p.mismatch
	if m.Type == event.TypeModelRequested && m.Path != pathType && same.text == replayed {
		if m.Path == "data.digest" {
			m.Note, m.Since = NoteUnseen, same.before
		}
		return
	}
	m.Diff = unified(fmt.Sprintf("request recorded as %d", nearest.seq), "request replayed", nearest.text, replayed)
}

// recordedRequest is the conversation of a recorded request as text.
type recordedRequest struct {
	seq    int64
	before int64 // the seq of the request before it; 0 if there is none
	text   string
}

// nearest finds, among the agent's recorded requests, the one at the place of
// the mismatch or after it, and the one whose conversation is most like
// messages.
func (p *player) nearest(messages []model.Message) (same, nearest *recordedRequest) {
	id := p.cfg.ID
	var c *talk
	var before int64
	best := -1
	for _, rec := range p.script.recording.records {
		if d, ok := rec.Data.(event.AgentCreated); ok && rec.Agent == id {
			c = newTalk(d.Prompt)
		}
		if c == nil {
			continue
		}
		c.apply(id, rec)
		d, ok := rec.Data.(event.ModelRequested)
		if !ok || rec.Agent != id || d.Purpose != "" {
			continue
		}
		here := same == nil && rec.Seq >= p.mismatch.Seq
		if score := likeness(c.messages, messages); score > best || here && score == best {
			best = score
			nearest = &recordedRequest{rec.Seq, before, transcriptOf(c.messages)}
		}
		if here {
			same = &recordedRequest{rec.Seq, before, transcriptOf(c.messages)}
		}
		before = rec.Seq
	}
	return same, nearest
}

// likeness counts the messages at the beginning that are the same, less those
// that one has more.
func likeness(a, b []model.Message) int {
	n := 0
	for n < min(len(a), len(b)) && alike(a[n], b[n]) {
		n++
	}
	return max(0, 2*n-max(len(a), len(b)-n))
}

func alike(a, b model.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.CallID == b.CallID && len(a.Calls) == len(b.Calls)
}

// transcriptOf writes a conversation as text, for a diff.
func transcriptOf(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "[%s", m.Role)
		if m.ToolName != "" {
			fmt.Fprintf(&b, " %s %s", m.ToolName, m.CallID)
		}
		b.WriteString("]\n")
		if m.Reasoning != "" {
			b.WriteString("(" + m.Reasoning + ")\n")
		}
		if m.Content != "" {
			b.WriteString(line(m.Content))
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "-> %s %s %s\n", c.ID, c.Name, c.Arguments)
		}
	}
	return b.String()
}
