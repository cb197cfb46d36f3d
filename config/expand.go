package config

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// scope says which references are expanded in a text.
type scope int

const (
	// everything expands variables and parameters; $$ is a dollar sign.
	everything scope = iota
	// paramsOnly expands ${param.NAME} and leaves all else as it is, so that
	// prompts may hold shell text; $${param.NAME} is not expanded.
	paramsOnly
	// variablesOnly expands variables, where parameters are not yet known.
	variablesOnly
)

var (
	variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
	paramRef     = pattern(`\$?\$\{param\.([^{}\s]*)\}`)
)

// referenceForms is what a reference may look like, for messages.
const referenceForms = "${NAME}, ${NAME:-default}, ${NAME:?message} or ${param.NAME}"

// expand replaces the references in a text. Messages hold the names of
// variables and never their values.
func (r *reader) expand(v value, s string, which scope) (string, bool) {
	if which == paramsOnly {
		return r.expandParams(v, s)
	}
	var b strings.Builder
	good := true
	for {
		before, rest, found := strings.Cut(s, "$")
		b.WriteString(before)
		if !found {
			return b.String(), good
		}
		switch {
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			s = rest[1:]
		case strings.HasPrefix(rest, "{"):
			body, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				r.problem(v, fmt.Sprintf("%s: reference ${ is never closed", v.path), "write "+referenceForms+"; $$ is a dollar sign")
				return "", false
			}
			text, ok := r.resolve(v, body, which)
			b.WriteString(text)
			good = good && ok
			s = after
		default:
			b.WriteByte('$')
			s = rest
		}
	}
}

// resolve returns what one reference stands for.
func (r *reader) resolve(v value, body string, which scope) (string, bool) {
	if param, ok := strings.CutPrefix(body, "param."); ok {
		if which == variablesOnly {
			r.problem(v, v.path+": a parameter cannot refer to another", "")
			return "", false
		}
		return r.param(v, param)
	}
	name, fallback, hasFallback := strings.Cut(body, ":-")
	name, reason, hasReason := strings.Cut(name, ":?")
	if !variableName().MatchString(name) {
		r.problem(v, fmt.Sprintf("%s: bad reference ${%s}", v.path, clean([]rune(shorten(maskSecrets(body))))), "write "+referenceForms+"; $$ is a dollar sign")
		return "", false
	}
	text, set := "", false
	if r.known.LookupEnv != nil {
		text, set = r.known.LookupEnv(name)
	}
	switch {
	case hasFallback && text == "":
		return fallback, true
	case hasReason && text == "" && reason != "":
		r.problem(v, fmt.Sprintf("%s: variable %s is not set: %s", v.path, name, clean([]rune(shorten(reason)))), "")
	case hasReason && text == "", !set:
		r.problem(v, fmt.Sprintf("%s: variable %s is not set", v.path, name), fmt.Sprintf("set %s, or write ${%s:-default}", name, name))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isBadControl):
		r.problem(v, fmt.Sprintf("%s: the value of variable %s is not clean text", v.path, name), "")
	default:
		return text, true
	}
	return "", false
}

// param returns the value of a parameter.
func (r *reader) param(v value, name string) (string, bool) {
	p, known := r.params[name]
	switch {
	case !known:
		r.missing(v, fmt.Sprintf("%s: unknown parameter ${param.%s}", v.path, clean([]rune(shorten(name)))), r.hint(func() string { return cmp.Or(didYouMean(name, keysOf(r.params)), "define it under params:") }))
	case !p.Set:
		r.problem(v, fmt.Sprintf("%s: parameter %s has no value", v.path, name), fmt.Sprintf("give it a default, or run with -p %s=…", name))
	default:
		return p.Value, true
	}
	return "", false
}

// expandParams replaces only references to parameters.
func (r *reader) expandParams(v value, s string) (string, bool) {
	var b strings.Builder
	good, end := true, 0
	for _, m := range paramRef().FindAllStringSubmatchIndex(s, -1) {
		ref, name := s[m[0]:m[1]], s[m[2]:m[3]]
		b.WriteString(s[end:m[0]])
		end = m[1]
		if escaped, ok := strings.CutPrefix(ref, "$$"); ok {
			b.WriteString("$" + escaped)
			continue
		}
		text, ok := r.param(v.within(s[:m[0]]), name)
		b.WriteString(text)
		good = good && ok
	}
	b.WriteString(s[end:])
	return b.String(), good
}

// within returns the value at the place that follows a part of its text, if
// the text is whole lines of a file.
func (v value) within(before string) value {
	if !v.body {
		return v
	}
	lines := strings.Count(before, "\n")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	inner := *v.node
	inner.pos = position{v.pos.line + lines, utf8.RuneCountInString(line) + 1}
	v.node = &inner
	return v
}
