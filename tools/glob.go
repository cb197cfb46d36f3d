package tools

import (
	"path"
	"strings"
)

// maxGlobs bounds the patterns that braces expand to.
const maxGlobs = 100

// glob is a pattern for paths: *, ? and [a-z] within a name, ** for any number
// of folders, {a,b} for either. Without a slash it is held against the last
// name of a path. The zero glob matches all.
type glob struct {
	patterns []string
}

// newGlob checks and prepares a pattern; "" matches all.
func newGlob(pattern string) (glob, error) {
	if pattern == "" {
		return glob{}, nil
	}
	var g glob
	for _, one := range expandBraces(pattern, maxGlobs) {
		for segment := range strings.SplitSeq(one, "/") {
			if _, err := path.Match(segment, ""); err != nil {
				return glob{}, err
			}
		}
		g.patterns = append(g.patterns, one)
	}
	return g, nil
}

func (g glob) match(name string) bool {
	for _, pattern := range g.patterns {
		if !strings.Contains(pattern, "/") {
			if ok, err := path.Match(pattern, path.Base(name)); err == nil && ok {
				return true
			}
			continue
		}
		if matchSegments(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return len(g.patterns) == 0
}

// matchSegments holds the segments of a pattern against those of a path. It
// keeps the set of places in the path that the pattern so far can reach, so
// that no pattern is slow.
func matchSegments(pattern, name []string) bool {
	reached := make([]bool, len(name)+1)
	reached[0] = true
	for _, segment := range pattern {
		next := make([]bool, len(name)+1)
		for i, ok := range reached {
			switch {
			case segment == "**" && (ok || i > 0 && next[i-1]):
				next[i] = true
			case segment != "**" && ok && i < len(name):
				if matched, err := path.Match(segment, name[i]); err == nil && matched {
					next[i+1] = true
				}
			}
		}
		reached = next
	}
	return reached[len(name)]
}

// expandBraces writes out the first pair of braces and then the rest, up to a
// number of patterns. Braces without a partner stay as they are.
func expandBraces(pattern string, most int) []string {
	before, rest, ok := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !ok || !closed || strings.Contains(inside, "{") {
		return []string{pattern}
	}
	var out []string
	for choice := range strings.SplitSeq(inside, ",") {
		if len(out) >= most {
			break
		}
		out = append(out, expandBraces(before+choice+after, most-len(out))...)
	}
	return out
}
