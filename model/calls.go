package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model/internal/repair"
)

// damagedMark ends arguments that lost a character on their way; with it they
// are no JSON, so that no tool runs on them.
const damagedMark = " (damaged: not UTF-8)"

// written returns the calls as the model wrote them.
func (a *assembly) written() []event.Call {
	var out []event.Call
	for _, c := range a.inOrder() {
		args, damaged := repair.Whole(c.args)
		if damaged {
			args += damagedMark
		}
		out = append(out, event.Call{ID: c.id, Name: c.name, Arguments: args, Extra: c.extraText()})
	}
	return out
}

// complete returns the calls of a reply that ended well, ready to run, and the
// names of those whose arguments were repaired. d is the dialect in which the
// tools were offered.
func complete(written []event.Call, tools []Tool, d Dialect) (calls []event.Call, repaired []string) {
	for _, c := range unwrap(written, tools) {
		if schema, ok := schemaOf(tools, c.Name); ok {
			args, changed := repair.Arguments(c.Arguments, schema)
			if changed {
				repaired = append(repaired, c.Name)
			}
			if c.Arguments = args; d == DialectStrict {
				c.Arguments = repair.WithoutNulls(args, schema)
			}
		}
		calls = append(calls, c)
	}
	return calls, repaired
}

// unwrap puts the calls inside an invented call of several in its place, if
// all of them name a tool on offer. The first one keeps the id.
func unwrap(calls []event.Call, tools []Tool) []event.Call {
	if !slices.ContainsFunc(calls, func(c event.Call) bool { return c.Name == repair.ParallelName }) {
		return calls
	}
	var out []event.Call
	for _, c := range calls {
		var inner []repair.Call
		if c.Name == repair.ParallelName {
			inner = repair.Parallel(c.Arguments)
		}
		unknown := func(i repair.Call) bool { _, ok := schemaOf(tools, i.Name); return !ok }
		if len(inner) == 0 || slices.ContainsFunc(inner, unknown) {
			out = append(out, c)
			continue
		}
		for i, one := range inner {
			single := event.Call{Name: one.Name, Arguments: one.Arguments}
			if i == 0 {
				single.ID, single.Extra = c.ID, c.Extra
			}
			out = append(out, single)
		}
	}
	return out
}

// schemaOf returns the schema of a tool on offer.
func schemaOf(tools []Tool, name string) (schema []byte, ok bool) {
	for _, t := range tools {
		if t.Name == name {
			return t.Schema, true
		}
	}
	return nil, false
}

// valid reports whether the arguments of each call are JSON.
func valid(calls []event.Call) bool {
	return !slices.ContainsFunc(calls, func(c event.Call) bool { return !json.Valid([]byte(c.Arguments)) })
}

// fromText reads calls out of the text that was held back, or out of the
// reasoning of a reply that has no text, and returns the text that is left.
func (a *assembly) fromText(held string, tools []Tool) (calls []event.Call, left string) {
	where := held
	if a.text.Len() == 0 && strings.TrimSpace(held) == "" {
		where = a.reasoning.String()
	}
	found, left := repair.TextCalls(where, func(name string) ([]byte, bool) { return schemaOf(tools, name) })
	for _, c := range found {
		calls = append(calls, event.Call{Name: c.Name, Arguments: c.Arguments})
	}
	if calls == nil || held == "" {
		left = held
	}
	return calls, left
}
