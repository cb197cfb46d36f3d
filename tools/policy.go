package tools

import (
	"errors"
	"slices"
)

// Verdict is what permissions say of a call.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allow"
	Denied  Verdict = "deny"
	Asked   Verdict = "ask" // a person is asked
)

// Policy decides which calls may run. The zero Policy goes by the tools alone.
type Policy struct{ deny, allow, ask []Rule }

// NewPolicy reads the rules about the known tools; the error joins a
// [*RuleError] for each that is wrong.
func NewPolicy(deny, allow, ask []string, known []Spec) (Policy, error) {
	var errs []error
	read := func(texts []string) (rules []Rule) {
		for _, text := range texts {
			r, err := ParseRule(text, known)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			rules = append(rules, r)
		}
		return rules
	}
	p := Policy{deny: read(deny), allow: read(allow), ask: read(ask)}
	return p, errors.Join(errs...)
}

// Decide says whether a call about s may run, and by which rule; the zero Rule
// when it is by the tool itself. Rules that deny come first, then those that
// allow, then those that ask. Where none holds, a call is allowed unless its
// tool asks ([Spec.Asks]).
//
// A command line is allowed when each of its simple commands is, and only when
// a shell makes no more of it than its words say: with expansions,
// substitutions, redirections, groups, escapes or comments in it, it takes a
// rule for all calls of the tool.
func (p Policy) Decide(spec Spec, s Subject) (Verdict, Rule) {
	for _, r := range p.deny {
		if r.covers(spec.Name, true) && r.refuses(s) {
			return Denied, r
		}
	}
	if r, ok := p.allows(spec, s); ok {
		return Allowed, r
	}
	for _, r := range p.ask {
		if r.covers(spec.Name, true) && r.refuses(s) {
			return Asked, r
		}
	}
	if spec.Asks {
		return Asked, Rule{}
	}
	return Allowed, Rule{}
}

// allows finds the rule that allows a call: one for each thing that it is
// about.
func (p Policy) allows(spec Spec, s Subject) (found Rule, ok bool) {
	rules := p.Allows(spec.Name)
	names := s
	if spec.Subject == CommandSubject && len(names) == 1 {
		commands, plain := plainCommands(names[0])
		if rules = slices.DeleteFunc(rules, func(r Rule) bool { return !plain && r.Pattern != "" }); plain {
			names = commands
		}
	}
	if len(names) == 0 {
		names = Subject{""}
		rules = slices.DeleteFunc(rules, func(r Rule) bool { return r.Pattern != "" })
	}
	for i, name := range names {
		at := slices.IndexFunc(rules, func(r Rule) bool { return r.allows(name) })
		if at < 0 {
			return Rule{}, false
		}
		if i == 0 {
			found = rules[at]
		}
	}
	return found, true
}

// Free reports whether the calls of a tool need no look at what they are about:
// no rule is about them, and the tool does not ask.
func (p Policy) Free(spec Spec) bool {
	about := func(r Rule) bool { return r.covers(spec.Name, true) }
	return !spec.Asks && !slices.ContainsFunc(p.deny, about) && !slices.ContainsFunc(p.ask, about)
}

// Allows lists the rules that allow calls of a tool.
func (p Policy) Allows(tool string) []Rule {
	return slices.DeleteFunc(slices.Clone(p.allow), func(r Rule) bool { return !r.covers(tool, false) })
}

// With returns a policy that also allows what the rules say. Rules that deny
// still come first.
func (p Policy) With(allow ...Rule) Policy {
	p.allow = append(slices.Clip(p.allow), allow...)
	return p
}
