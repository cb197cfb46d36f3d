package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// find returns the entry that fits, and the situation with the message that
// its conditions chose as the last one.
func (s *Script) find(sit *situation) (*entry, bool) {
	for _, key := range []string{sit.view.Agent, sit.view.Role, "*"} {
		for _, e := range s.roles[key] {
			if e.fits(sit) {
				return e, true
			}
		}
	}
	return nil, false
}

func (e *entry) fits(sit *situation) bool {
	if e.when == nil {
		return e.number == sit.view.Number
	}
	c := e.when
	if c.number != nil && !c.number.has(sit.view.Number) {
		return false
	}
	if c.last != nil && !matches(c.last, sit.last) {
		return false
	}
	if c.any != nil && !matchesAny(c.any, sit.messages) {
		return false
	}
	if c.tool != "" && !slices.Contains(sit.tools, c.tool) {
		return false
	}
	if c.fresh == nil && c.kind == "" && c.from == "" {
		return true
	}
	for _, m := range slices.Backward(sit.fresh) {
		if c.fitsMessage(m) {
			sit.view.Last = originOf(m)
			return true
		}
	}
	return false
}

// fitsMessage tests the conditions about one new message.
func (c *conditions) fitsMessage(m Message) bool {
	return (c.fresh == nil || matches(c.fresh, m)) &&
		(c.kind == "" || m.Origin.Kind == c.kind) &&
		(c.from == "" || isFrom(m.Origin.FromID, c.from))
}

func isFrom(id, from string) bool {
	code, _, numbered := strings.Cut(id, "_")
	return id == from || numbered && code == from
}

func matches(re *regexp.Regexp, m Message) bool {
	return re.MatchString(m.Content) || m.Origin.Content != "" && re.MatchString(m.Origin.Content)
}

func matchesAny(re *regexp.Regexp, messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return matches(re, m) })
}

// unmatched is the error for a request that no entry fits.
func (s *Script) unmatched(view ScriptView) *Error {
	var has []string
	for _, key := range s.Roles() {
		plain := 0
		for _, e := range s.roles[key] {
			if e.when == nil {
				plain++
			}
		}
		has = append(has, fmt.Sprintf("%s: %d replies and %d conditions", key, plain, len(s.roles[key])-plain))
	}
	e := NewError(ClassBadRequest, fmt.Sprintf("script %s has nothing for agent %s, role %s, reply %d; it has %s",
		s.Name, named(view.Agent), named(view.Role), view.Number, strings.Join(has, ", ")))
	e.Hint = `add an entry for the role, or {"when": {}, "text": "…"} for "*"`
	if kind := view.Last.Kind; kind == event.Question {
		e.Hint = `the last message is a question: add an entry with {"when": {"kind": "question"}}`
	}
	return e
}

func named(id string) string {
	if id == "" {
		return "without a name"
	}
	return id
}
