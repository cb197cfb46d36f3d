package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Permissions say which tool calls run, which are refused, and which need a
// person's leave. Each rule is TOOL or TOOL(PATTERN).
type Permissions struct {
	// Deny comes before Allow, and Allow before Ask.
	Deny, Allow, Ask []string
	// ClientTools are names of tools that a client of a server may bring, so that
	// the rules may name them.
	ClientTools []string
	// Headless is what becomes of a call that needs leave when nobody is
	// there: "deny", "suspend" or "allow"; empty when absent.
	Headless string
}

// RuleFault is what is wrong with a rule of permissions.
type RuleFault struct {
	// At is the byte of the rule at which the mistake begins.
	At int
	// Message is what is wrong; Hint is a way out and may be empty.
	Message, Hint string
}

// permissionsTable lists the keys of permissions.
func permissionsTable() table[Permissions] {
	return table[Permissions]{"permissions", []field[Permissions]{
		key("client_tools", "Names of tools that clients of a server bring, which the rules may name.", list(clientToolName()), func(p *Permissions) *[]string { return &p.ClientTools }).or("external_tools"),
		key("deny", "Calls that never run: TOOL or TOOL(PATTERN).", list(rule()), func(p *Permissions) *[]string { return &p.Deny }).or("forbid", "block", "disallow"),
		key("allow", "Calls that run, if no rule denies them.", list(rule()), func(p *Permissions) *[]string { return &p.Allow }).or("permit"),
		key("ask", "Calls that need a person's leave, if no rule denies or allows them.", list(rule()), func(p *Permissions) *[]string { return &p.Ask }).or("confirm", "approve"),
		key("headless", "What becomes of calls that need leave when nobody is there.", oneOf("deny", "suspend", "allow"), func(p *Permissions) *string { return &p.Headless }).or("unattended", "default"),
	}}
}

// clientToolName is the name of a tool that the team may not know.
func clientToolName() kind[string] {
	k := kind[string]{want: "the name of a tool: 1 to 64 of a-z, A-Z, 0-9, _ and -", schema: schema{"type": "string", "pattern": toolName}}
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, k.want)
		if ok && !toolNameForm().MatchString(s) {
			r.wrong(v, k.want, "")
			return "", false
		}
		if ok && !slices.Contains(r.known.Tools, s) { // or it is known better
			r.clientTools[s] = true
		}
		return s, ok
	}
	return k
}

// toolName is the form that every endpoint takes for the name of a tool.
const toolName = `^[A-Za-z0-9_-]{1,64}$`

var toolNameForm = pattern(toolName)

// rule is a rule of permissions, taken as it is. It is checked when all tools that
// it may name are known.
func rule() kind[string] {
	k := kind[string]{want: "a rule: TOOL or TOOL(PATTERN)", schema: schema{"type": "string", "minLength": 1}}
	k.read = func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, k.want)
		if ok && r.known.Rule != nil {
			r.after(func() { r.checkRule(v, s) })
		}
		return s, ok
	}
	return k
}

// checkRule reports what is wrong with a rule.
func (r *reader) checkRule(v value, rule string) {
	name, _, parens := strings.Cut(rule, "(")
	f := r.known.Rule(rule)
	switch {
	case r.clientTools[name] && !parens:
		return
	case r.clientTools[name]:
		f = &RuleFault{At: len(name), Message: "rules for a client's tool have no pattern", Hint: "write " + name + " alone for all its calls"}
	case f == nil:
		return
	}
	hint := f.Hint
	for _, ours := range foreignTools(name) {
		if slices.Contains(r.known.Tools, ours) {
			hint = fmt.Sprintf("did you mean %q?", ours)
			break
		}
	}
	p := Problem{Path: v.path, Message: fmt.Sprintf("%s: the rule %s: %s", v.path, quoteShort(rule), f.Message), Hint: hint}
	v.src.add(p, v.inside(f.At), false)
}

// inside is the place of a byte of a text on one line of the file; of a text
// that is written in another way, with escapes for example, the place of the
// text.
func (n *node) inside(at int) position {
	if n.pos.line < 1 || n.pos.line > len(n.src.lines) || at > len(n.raw) {
		return n.pos
	}
	line := []rune(n.src.lines[n.pos.line-1])
	start := n.pos.column - 1
	for _, quote := range []int{0, 1} {
		if from := start + quote; from >= 0 && from <= len(line) && strings.HasPrefix(string(line[from:]), n.raw) {
			return position{n.pos.line, from + 1 + utf8.RuneCountInString(n.raw[:at])}
		}
	}
	return n.pos
}
