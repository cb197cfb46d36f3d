package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// checkFallbacks reports models whose fallback leads back to themselves; v is
// the mapping that they stand in.
func (r *reader) checkFallbacks(v value, models map[string]Model) {
	told := map[string]bool{}
	for _, e := range v.entries {
		circle := r.circle(models, e.key)
		if circle == nil || slices.ContainsFunc(circle, func(name string) bool { return told[name] }) {
			continue
		}
		for _, name := range circle {
			told[name] = true
		}
		e.node.src.add(Problem{
			Path:    join(join(v.path, e.key), "fallback"),
			Message: fmt.Sprintf("the fallback of model %s leads back to it: %s", quoteShort(e.key), strings.Join(append(circle, e.key), " → ")),
			Hint:    "take one of them out; a fallback is for when the model before it failed",
		}, v.at(e).place("fallback"), false)
	}
}

// circle is a way along fallbacks from a model back to it; nil if there is
// none.
func (r *reader) circle(models map[string]Model, start string) []string {
	seen := map[string]bool{start: true} // each model is looked at once
	var from func(name string) []string
	from = func(name string) []string {
		for _, next := range models[name].Fallback {
			next = cmp.Or(r.targets[next], next)
			if next == start {
				return []string{name}
			}
			if seen[next] {
				continue
			}
			seen[next] = true
			if rest := from(next); rest != nil {
				return append([]string{name}, rest...)
			}
		}
		return nil
	}
	return from(start)
}
