package config

import (
	"fmt"
	"strconv"
)

// list is a list of different values; an empty one is not nil.
func list[V comparable](of kind[V]) kind[[]V] {
	want := "a list, such as [a, b]"
	s := schema{"type": "array", "items": of.schema, "uniqueItems": true}
	return kind[[]V]{want: want, schema: s, read: func(r *reader, v value) ([]V, bool) {
		if v.kind != listNode {
			hint := ""
			if v.kind == textNode {
				hint = fmt.Sprintf("write [%s]", clean([]rune(maskSecrets(shorten(v.raw)))))
			}
			r.wrong(v, want, hint)
			return nil, false
		}
		out := make([]V, 0, len(v.items))
		first := map[V]int{}
		for i := range v.items {
			item := v.item(i)
			got, ok := of.read(r, item)
			if !ok {
				continue
			}
			if at, twice := first[got]; twice {
				r.problem(item, fmt.Sprintf("%s: %s is in the list twice (first at [%d])", v.path, item.found(), at), "keep one of them")
				continue
			}
			first[got] = i
			out = append(out, got)
		}
		return out, true
	}}
}

// shorten cuts text for a hint.
func shorten(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}

// named is a mapping whose keys are names that the writer chooses.
func named[V any](key func(r *reader, v value, e entry) bool, of kind[V]) kind[map[string]V] {
	s := schema{"type": "object", "additionalProperties": of.schema}
	return kind[map[string]V]{want: "a mapping", schema: s, read: func(r *reader, v value) (map[string]V, bool) {
		if v.kind != mappingNode {
			r.wrong(v, "a mapping of names", "")
			return nil, false
		}
		out := make(map[string]V, len(v.entries))
		for _, e := range v.entries {
			if !key(r, v, e) {
				continue
			}
			if got, ok := of.read(r, v.at(e)); ok {
				out[e.key] = got
			}
		}
		return out, true
	}}
}

// anything reads a value of any kind, to be passed on as JSON; a number is an
// int64 or a float64.
func (r *reader) anything(v value) (any, bool) {
	switch v.kind {
	case nullNode:
		return nil, !v.broken
	case boolNode:
		return v.raw == "true" || v.raw == "True" || v.raw == "TRUE", true
	case numberNode:
		return r.jsonNumber(v)
	case textNode:
		return v.raw, !v.broken
	case listNode:
		out, good := make([]any, 0, len(v.items)), true
		for i := range v.items {
			item, ok := r.anything(v.item(i))
			out, good = append(out, item), good && ok
		}
		return out, good
	default:
		out, good := make(map[string]any, len(v.entries)), true
		for _, e := range v.entries {
			item, ok := r.anything(v.at(e))
			out[e.key], good = item, good && ok
		}
		return out, good
	}
}

// jsonNumber reads a number that JSON can hold.
func (r *reader) jsonNumber(v value) (any, bool) {
	if wholeNumber().MatchString(v.raw) {
		n, err := strconv.ParseInt(v.raw, 10, 64)
		return n, err == nil
	}
	if !decimalNumber().MatchString(v.raw) {
		r.wrong(v, "a plain number", "or put it in quotes")
		return nil, false
	}
	n, err := strconv.ParseFloat(v.raw, 64)
	return n, err == nil
}
