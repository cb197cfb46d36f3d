package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/troupe-go/troupe/event"
)

// assembly puts the pieces of one streamed reply together.
type assembly struct {
	text, reasoning strings.Builder
	calls           []*openCall
	rawFinish       string
	usage           *event.Usage
}

// openCall is a tool call whose arguments may still grow.
type openCall struct {
	id, name string
	index    *int
	args     strings.Builder
}

// add takes in one chunk and returns what of it can be shown at once.
func (a *assembly) add(resp openai.ChatCompletionStreamResponse) Chunk {
	if u := resp.Usage; u != nil && u.PromptTokens+u.CompletionTokens > 0 {
		a.usage = usageOf(u)
	}
	var out Chunk
	for _, choice := range resp.Choices {
		if choice.Index != 0 {
			continue // one reply was asked for
		}
		out.Text += choice.Delta.Content + choice.Delta.Refusal
		out.Reasoning += choice.Delta.ReasoningContent
		for _, d := range choice.Delta.ToolCalls {
			a.addCall(d)
		}
		if f := string(choice.FinishReason); f != "" && f != "null" {
			a.rawFinish = f
		}
	}
	a.text.WriteString(out.Text)
	a.reasoning.WriteString(out.Reasoning)
	return out
}

func usageOf(u *openai.Usage) *event.Usage {
	out := event.Usage{Input: u.PromptTokens, Output: u.CompletionTokens}
	if d := u.PromptTokensDetails; d != nil {
		out.CachedInput = d.CachedTokens
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = d.ReasoningTokens
	}
	return &out
}

// addCall takes in a piece of a tool call. A piece belongs to the call with
// its id, else to the one with its index, else to the last one
// (spec/endpoints.md, section 0).
func (a *assembly) addCall(d openai.ToolCall) {
	c := a.find(d)
	if c == nil || c.startsAnother(d) {
		c = &openCall{}
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	if c.index == nil {
		c.index = d.Index
	}
	c.args.WriteString(d.Function.Arguments)
}

func (a *assembly) find(d openai.ToolCall) *openCall {
	if d.ID != "" {
		if c := a.last(func(c *openCall) bool { return c.id == d.ID }); c != nil {
			return c
		}
	}
	if d.Index != nil {
		return a.last(func(c *openCall) bool {
			return c.index != nil && *c.index == *d.Index && (d.ID == "" || c.id == "")
		})
	}
	if d.ID != "" {
		return nil
	}
	return a.last(func(*openCall) bool { return true })
}

func (a *assembly) last(fits func(*openCall) bool) *openCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if fits(a.calls[i]) {
			return a.calls[i]
		}
	}
	return nil
}

// startsAnother reports whether a piece that seems to belong to c must be the
// beginning of the next call: c is complete and the piece names a tool again.
func (c *openCall) startsAnother(d openai.ToolCall) bool {
	if d.Function.Name == "" || c.name == "" || !json.Valid([]byte(c.args.String())) {
		return false
	}
	moved := d.Index != nil && c.index != nil && *d.Index != *c.index
	return d.Function.Name != c.name || moved || d.Function.Arguments != ""
}

// empty reports whether nothing came: no text, reasoning or piece of a call.
func (a *assembly) empty() bool {
	return a.text.Len() == 0 && a.reasoning.Len() == 0 && len(a.calls) == 0
}

// complete returns the calls as the model made them, in the order of their
// indexes where all have one; without arguments means an empty object where
// the tool requires none.
func (a *assembly) complete(tools []Tool) []event.Call {
	calls := slices.Clone(a.calls)
	if !slices.ContainsFunc(calls, func(c *openCall) bool { return c.index == nil }) {
		slices.SortStableFunc(calls, func(x, y *openCall) int { return cmp.Compare(*x.index, *y.index) })
	}
	var out []event.Call
	for _, c := range calls {
		args := c.args.String()
		if args == "" && takesNothing(tools, c.name) {
			args = "{}"
		}
		out = append(out, event.Call{ID: c.id, Name: c.name, Arguments: args})
	}
	return out
}

// valid reports whether the arguments of each call are JSON.
func valid(calls []event.Call) bool {
	for _, c := range calls {
		if !json.Valid([]byte(c.Arguments)) {
			return false
		}
	}
	return true
}

func takesNothing(tools []Tool, name string) bool {
	for _, t := range tools {
		if t.Name != name {
			continue
		}
		var schema struct {
			Required []string `json:"required"`
		}
		return len(t.Schema) == 0 || json.Unmarshal(t.Schema, &schema) == nil && len(schema.Required) == 0
	}
	return false
}
