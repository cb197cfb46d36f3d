package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/appendjson"
	"github.com/troupe-go/troupe/model/internal/repair"
)

// assembly puts the pieces of one streamed reply together.
type assembly struct {
	profile         Profile
	text, reasoning strings.Builder
	tags            *repair.Splitter // parts reasoning from text; nil if it is not in tags
	holder          *repair.Holder   // holds calls in the text back; nil if text has none
	calls           []*openCall
	extra           replyExtra
	rawFinish       string
	usage           *event.Usage
	size            int // bytes of all that came
}

// maxReply bounds what a reply says, in bytes: no model means to say more, and
// the record of the reply must fit a line of the log however it is escaped.
const maxReply = 8 << 20

// newAssembly returns an assembly for a reply of an endpoint with the profile;
// from is the endpoint's model.
func newAssembly(p Profile, from string) *assembly {
	a := &assembly{profile: p, extra: replyExtra{From: from}}
	if p.ReasoningTags != TagsOff {
		a.tags = repair.NewSplitter(p.ReasoningTags == TagsOpen)
	}
	if p.ToolCallsAsText {
		a.holder = new(repair.Holder)
	}
	return a
}

// openCall is a tool call whose arguments may still grow.
type openCall struct {
	id, name string
	index    *int
	args     []byte // may hold halves of characters
	extra    map[string]json.RawMessage
}

// fits reports whether a reply that also says this is not too long, and counts
// it.
func (a *assembly) fits(said repair.Said, kept repair.Kept) bool {
	const perCall = 64
	a.size += len(said.Content) + len(said.Refusal) + len(said.Reasoning)
	for _, p := range said.Calls {
		a.size += len(p.ID) + len(p.Name) + len(p.Args)
	}
	for _, p := range kept.Calls {
		a.size += len(p.ID) + len(p.Name) + len(p.Args)
		for name, value := range p.Extra {
			a.size += len(name) + len(value)
		}
	}
	for _, item := range kept.Details {
		a.size += len(item)
	}
	for name, value := range kept.Fields {
		a.size += len(name) + len(value)
	}
	return a.size+perCall*len(a.calls) <= maxReply
}

// add takes in what one event says, with what go-openai drops of it, and
// returns what of it can be shown at once.
func (a *assembly) add(said repair.Said, kept repair.Kept) Chunk {
	if u := said.Usage; u != nil && u.Prompt+u.Completion > 0 {
		a.usage = usageOf(*u)
	}
	for _, p := range said.Calls {
		if c := a.open(repair.Piece{Index: p.Index, ID: p.ID, Name: p.Name}, p.Args != ""); c != nil {
			c.args = append(c.args, p.Args...)
		}
	}
	if said.Finish != "" && said.Finish != "null" {
		a.rawFinish = said.Finish
	}
	for _, p := range kept.Calls {
		if c := a.open(p, len(p.Args) > 0); c != nil {
			c.args = append(c.args, p.Args...)
			c.keep(p.Extra)
		}
	}
	a.extra.keep(kept)
	return a.say(said.Content+said.Refusal, said.Reasoning)
}

// usageOf is what a provider counted. Tokens from the cache that are more than
// the prompt, and reasoning that is more than the reply, were counted beside it,
// as some providers do. No count is less than nothing.
func usageOf(u repair.Usage) *event.Usage {
	whole := func(n, part int) (int, int) {
		if n, part = max(0, n), max(0, part); part > n {
			n += part
		}
		return n, part
	}
	var out event.Usage
	out.Input, out.CachedInput = whole(u.Prompt, u.Cached)
	out.Output, out.Reasoning = whole(u.Completion, u.Reasoning)
	return &out
}

// say takes in text and reasoning and returns what of them can be shown.
func (a *assembly) say(text, reasoning string) Chunk {
	if a.tags != nil {
		if reasoning != "" { // it has a field of its own
			said, thought := a.tags.Flush()
			text, reasoning = said+text, thought+reasoning
			a.tags = nil
		} else {
			text, reasoning = a.tags.Add(text)
		}
	}
	if a.holder != nil {
		text = a.holder.Add(text)
	}
	return a.said(text, reasoning)
}

// said notes what is shown.
func (a *assembly) said(text, reasoning string) Chunk {
	a.text.WriteString(text)
	a.reasoning.WriteString(reasoning)
	return Chunk{Text: text, Reasoning: reasoning}
}

// flush returns what was held back, at the end of a reply; held is text that
// may be calls.
func (a *assembly) flush() (rest Chunk, held string) {
	var text, reasoning string
	if a.tags != nil {
		text, reasoning = a.tags.Flush()
	}
	if a.holder != nil {
		text = a.holder.Add(text)
		held = a.holder.Flush()
	}
	return a.said(text, reasoning), held
}

// open returns the call that a piece belongs to: the one with its id, else the
// one with its index, else the last one. It is nil for a piece that says
// nothing when no call is open.
func (a *assembly) open(p repair.Piece, hasArgs bool) *openCall {
	c := a.find(p)
	if c == nil && p.ID == "" && p.Name == "" && !hasArgs {
		return nil
	}
	if c == nil || p.Complete || c.startsAnother(p, hasArgs) {
		c = &openCall{}
		a.calls = append(a.calls, c)
	}
	c.id = cmp.Or(c.id, p.ID)
	c.name = cmp.Or(c.name, p.Name)
	if c.index == nil {
		c.index = p.Index
	}
	return c
}

func (a *assembly) find(p repair.Piece) *openCall {
	if p.ID != "" {
		if c := a.last(func(c *openCall) bool { return c.id == p.ID }); c != nil {
			return c
		}
	}
	if p.Index != nil {
		return a.last(func(c *openCall) bool {
			return c.index != nil && *c.index == *p.Index && (p.ID == "" || c.id == "")
		})
	}
	if p.ID != "" {
		return nil
	}
	return a.last(func(*openCall) bool { return true })
}

func (a *assembly) last(fits func(*openCall) bool) *openCall {
	for _, c := range slices.Backward(a.calls) {
		if fits(c) {
			return c
		}
	}
	return nil
}

// startsAnother reports whether a piece that seems to belong to c must be the
// beginning of the next call: it names another tool, or c is complete and the
// piece names its tool again.
func (c *openCall) startsAnother(p repair.Piece, hasArgs bool) bool {
	if p.Name == "" || c.name == "" {
		return false
	}
	if p.Name != c.name {
		return true
	}
	moved := p.Index != nil && c.index != nil && *p.Index != *c.index
	return (moved || hasArgs) && json.Valid(c.args)
}

// keep adds fields that only the provider knows; of two values the later one
// stays.
func (c *openCall) keep(fields map[string][]byte) {
	for name, value := range fields {
		if c.extra == nil {
			c.extra = map[string]json.RawMessage{}
		}
		c.extra[name] = value
	}
}

// empty reports whether nothing came: no text, reasoning or piece of a call.
func (a *assembly) empty() bool {
	return a.text.Len() == 0 && a.reasoning.Len() == 0 && len(a.calls) == 0
}

// inOrder returns the calls in the order of their indexes where all have one.
func (a *assembly) inOrder() []*openCall {
	calls := slices.Clone(a.calls)
	if !slices.ContainsFunc(calls, func(c *openCall) bool { return c.index == nil }) {
		slices.SortStableFunc(calls, func(x, y *openCall) int { return cmp.Compare(*x.index, *y.index) })
	}
	return calls
}

// replyExtra is what a reply holds that must go back with it, in
// [Message.Extra].
type replyExtra struct {
	// From is the endpoint's model; others get none of this.
	From string `json:"from"`
	// Field is where the reasoning stood, if it was not reasoning_content.
	Field string `json:"reasoning_field,omitempty"`
	// Details are the items of reasoning_details.
	Details []json.RawMessage `json:"reasoning_details,omitempty"`
	// Fields are other fields of the message.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`

	pieces [][]byte // of Details, as they came
}

func (e *replyExtra) keep(kept repair.Kept) {
	e.Field = cmp.Or(e.Field, kept.ReasoningField)
	e.pieces = append(e.pieces, kept.Details...)
	for name, value := range kept.Fields {
		if e.Fields == nil {
			e.Fields = map[string]json.RawMessage{}
		}
		e.Fields[name] = value
	}
}

// text is the extra as JSON; empty if there is nothing that must go back,
// neither here nor in the calls.
func (e *replyExtra) text(calls []event.Call) string {
	e.Details = repair.JoinDetails(e.pieces)
	ofCalls := slices.ContainsFunc(calls, func(c event.Call) bool { return c.Extra != "" })
	if e.Field == "" && len(e.Details) == 0 && len(e.Fields) == 0 && !ofCalls {
		return ""
	}
	text, _ := jsonText(e)
	return text
}

// jsonText is a value as JSON on one line, texts in it as they are; empty if it
// has no form in it.
func jsonText(v any) (string, error) {
	text, err := appendjson.Value(nil, v)
	return string(text), err
}

// extraText is the extra of a call as JSON.
func (c *openCall) extraText() string {
	if len(c.extra) == 0 {
		return ""
	}
	text, _ := jsonText(c.extra)
	return text
}
