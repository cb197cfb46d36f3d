package config

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// schema is a JSON Schema.
type schema map[string]any

// kind is a kind of value: how it is read and checked, and the schema that
// says the same to editors.
type kind[V any] struct {
	want   string // for messages: "found X, wanted …"
	schema schema
	read   func(*reader, value) (V, bool)
	// parse reads the text of a plain value; nil for other kinds.
	parse func(string) (V, bool)
}

// reference is the form of values that are taken from elsewhere.
const reference = `\$\{.+\}`

// orReference lets a schema also take a reference.
func orReference(s schema) schema {
	return schema{"anyOf": []any{s, schema{"type": "string", "pattern": reference}}}
}

// text is text in which references are expanded.
func text() kind[string] {
	return kind[string]{want: "text", schema: schema{"type": "string", "minLength": 1}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, "text")
		if !ok {
			return "", false
		}
		return r.expand(v, s, everything)
	}}
}

// prose is text for people and models: only parameters are expanded.
func prose() kind[string] {
	return kind[string]{want: "text", schema: schema{"type": "string", "minLength": 1}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, "text")
		if !ok {
			return "", false
		}
		return r.expand(v, s, paramsOnly)
	}}
}

// name is text that is taken as it is and must have a form.
func name(want, pattern string, form *regexp.Regexp) kind[string] {
	return kind[string]{want: want, schema: schema{"type": "string", "pattern": pattern}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, want)
		if ok && !form.MatchString(s) {
			r.wrong(v, want, "")
			return "", false
		}
		return s, ok
	}}
}

// text returns the text of a value as it stands in the file.
func (r *reader) text(v value, want string) (string, bool) {
	switch {
	case v.kind == textNode && strings.TrimSpace(v.raw) == "":
		r.problem(v, fmt.Sprintf("%s: found empty text, wanted %s", v.path, want), "remove the key or give it a value")
		return "", false
	case v.kind == textNode:
		return v.raw, !v.broken
	case v.kind == numberNode, v.kind == boolNode:
		r.wrong(v, want, "put it in quotes: "+quoteShort(v.raw))
	default:
		r.wrong(v, want, "")
	}
	return "", false
}

// plain returns the text of a number, boolean or word; references in it are
// expanded. Quoted text that is no reference is no number.
func (r *reader) plain(v value, want string) (string, bool) {
	switch {
	case v.kind == numberNode, v.kind == boolNode:
		return v.raw, true
	case v.kind == textNode && strings.Contains(v.raw, "${"):
		s, ok := r.expand(v, v.raw, everything)
		return strings.TrimSpace(s), ok
	case v.kind == textNode && !v.quoted:
		return v.raw, !v.broken
	case v.kind == textNode && v.raw != "":
		r.wrong(v, want, "write it without quotes")
	default:
		r.wrong(v, want, "")
	}
	return "", false
}

// parsed is a kind that is read from plain text; parse must not put the text
// into what it reports, for it may come from a variable.
func parsed[V any](want string, s schema, parse func(string) (V, bool)) kind[V] {
	k := kind[V]{want: want, schema: orReference(s), parse: parse}
	k.read = func(r *reader, v value) (V, bool) {
		text, ok := r.plain(v, want)
		if !ok {
			return *new(V), false
		}
		out, ok := parse(text)
		if !ok {
			r.wrong(v, want, plainHint(v, want))
		}
		return out, ok
	}
	return k
}

// plainHint says how a value was probably meant.
func plainHint(v value, want string) string {
	switch {
	case v.kind == numberNode && wholeNumber().MatchString(v.raw) && strings.HasPrefix(want, wantDuration):
		return "add a unit: " + v.raw + "s"
	case v.kind == numberNode && wholeNumber().MatchString(v.raw) && want == wantAge:
		return "add a unit: " + v.raw + "d"
	case want == wantBoolean && slices.Contains([]string{"yes", "on"}, strings.ToLower(v.raw)):
		return "write true"
	case want == wantBoolean && slices.Contains([]string{"no", "off"}, strings.ToLower(v.raw)):
		return "write false"
	default:
		return ""
	}
}

// What values are wanted to be, where a hint depends on it.
const (
	wantBoolean  = "true or false"
	wantDuration = "a duration such as 90s or 10m"
	wantAge      = "a duration such as 30d or 12h"
)

var (
	wholeNumber   = pattern(`^(0|-?[1-9][0-9]{0,15})$`)
	decimalNumber = pattern(`^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$`)
)

// integer is a whole number from low to high.
func integer(low, high int) kind[int] {
	want := fmt.Sprintf("a whole number from %d to %d", low, high)
	limits := schema{"type": "integer", "minimum": low, "maximum": high}
	switch high {
	case math.MaxInt32:
		want = fmt.Sprintf("a whole number of at least %d", low)
	case low:
		want = fmt.Sprintf("the number %d", low)
	case low + 1:
		want = fmt.Sprintf("%d or %d", low, high)
	}
	return parsed(want, limits, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && wholeNumber().MatchString(s) && low <= n && n <= high
	})
}

// decimal is a number from 0 to high.
func decimal(high float64) kind[float64] {
	want := "a number from 0 to " + strconv.FormatFloat(high, 'f', -1, 64)
	return parsed(want, schema{"type": "number", "minimum": 0.0, "maximum": high}, func(s string) (float64, bool) {
		n, err := strconv.ParseFloat(s, 64)
		return n, err == nil && decimalNumber().MatchString(s) && 0 <= n && n <= high
	})
}

// boolean is true or false.
func boolean() kind[bool] {
	return parsed(wantBoolean, schema{"type": "boolean"}, func(s string) (bool, bool) {
		return s == "true", s == "true" || s == "false"
	})
}

// maxDuration is the longest time that a key takes.
const maxDuration = 30 * 24 * time.Hour

// durationForm is the form of a time in a schema.
const durationForm = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`

// duration is a time above zero such as 90s.
func duration() kind[time.Duration] {
	form := regexp.MustCompile(durationForm)
	return parsed(wantDuration, schema{"type": "string", "pattern": durationForm}, func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && form.MatchString(s) && 0 < d && d <= maxDuration
	})
}

// oneOf is one of a few words.
func oneOf(words ...string) kind[string] {
	want := strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	return kind[string]{want: want, schema: orReference(schema{"enum": words}), read: func(r *reader, v value) (string, bool) {
		s, ok := v.raw, true
		if v.kind != textNode || !v.quoted || strings.Contains(v.raw, "${") {
			s, ok = r.plain(v, want)
		}
		if ok && !slices.Contains(words, s) {
			r.wrong(v, want, didYouMean(v.raw, words))
			return "", false
		}
		return s, ok
	}}
}

// limit is a bound, or the word unlimited.
func limit[N int | float64 | time.Duration](of kind[N]) kind[Limit[N]] {
	want := of.want + ", or unlimited"
	s := schema{"anyOf": []any{of.schema, schema{"const": "unlimited"}}}
	return kind[Limit[N]]{want: want, schema: s, read: func(r *reader, v value) (Limit[N], bool) {
		if v.kind == textNode && v.raw == string(Unlimited) {
			return Limit[N]{State: Unlimited}, true
		}
		text, ok := r.plain(v, want)
		if !ok {
			return Limit[N]{}, false
		}
		if text == string(Unlimited) {
			return Limit[N]{State: Unlimited}, true
		}
		n, ok := of.parse(text)
		if !ok {
			r.wrong(v, want, cmp.Or(plainHint(v, want), didYouMean(v.raw, []string{string(Unlimited)})))
			return Limit[N]{}, false
		}
		return Limit[N]{State: Bounded, Value: n}, true
	}}
}

// pointer is a value that can be told from an absent one.
func pointer[V any](of kind[V]) kind[*V] {
	return kind[*V]{want: of.want, schema: of.schema, read: func(r *reader, v value) (*V, bool) {
		out, ok := of.read(r, v)
		return &out, ok
	}}
}
