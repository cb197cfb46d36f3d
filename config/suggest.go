package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/internal/nearest"
)

// didYouMean returns a hint with the candidate that is nearest to what was
// written, or none if nothing is near.
func didYouMean(written string, candidates []string) string {
	if best := nearest.Of(written, candidates); best != "" {
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

// keysOf returns the keys of a map in order.
func keysOf[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
