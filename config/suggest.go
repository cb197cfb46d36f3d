package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// didYouMean returns a hint with the candidate that is nearest to what was
// written, or none if nothing is near.
func didYouMean(written string, candidates []string) string {
	if best := nearest(written, candidates); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}

// maxNamed is how many known names a hint lists.
const maxNamed = 24

// suggest returns a hint with the nearest candidate, or else with all that are
// known of a noun.
func suggest(written, noun string, candidates []string) string {
	if hint := didYouMean(written, candidates); hint != "" || len(candidates) == 0 {
		return hint
	}
	hint := "known " + noun + ": " + strings.Join(candidates[:min(maxNamed, len(candidates))], ", ")
	if len(candidates) > maxNamed {
		hint += ", …"
	}
	return hint
}

// nearest returns the candidate that is most like a word, empty if none is.
func nearest(written string, candidates []string) string {
	folded := foldKey(written)
	if len(folded) > 64 || folded == "" {
		return ""
	}
	best, least := "", max(1, len([]rune(folded))/3)+1
	for _, c := range candidates {
		d := distance(folded, foldKey(c))
		if d < least {
			best, least = c, d
		}
	}
	if best != "" {
		return best
	}
	for _, c := range candidates {
		if part := foldKey(c); len(part) >= 4 && (strings.HasSuffix(folded, part) || strings.HasPrefix(folded, part)) {
			return c
		}
	}
	return ""
}

// foldKey makes spellings of a key equal: maxSteps, max-steps, max_steps.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance counts the letters to insert, remove, replace or swap to turn one
// word into the other.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before := make([]int, len(y)+1)
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}

// keysOf returns the keys of a map in order.
func keysOf[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
