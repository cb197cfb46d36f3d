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
// number of patterns. Braces without a partner stay as they are, and so do
// those that a backslash or a class makes characters.
func expandBraces(pattern string, most int) []string {
	open := special(pattern, "{")
	if open < 0 {
		return []string{pattern}
	}
	before, rest := pattern[:open], pattern[open+1:]
	end := special(rest, "{}")
	if end < 0 || rest[end] == '{' {
		return []string{pattern}
	}
	inside, after := rest[:end], rest[end+1:]
	var out []string
	for choice := range strings.SplitSeq(inside, ",") {
		if len(out) >= most {
			break
		}
		out = append(out, expandBraces(before+choice+after, most-len(out))...)
	}
	return out
}

// special is the place of the first of the characters that means itself
// neither by a backslash nor in a class, or -1.
func special(pattern, chars string) int {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case strings.IndexByte(chars, c) >= 0:
			return i
		case c == '\\':
			i++
		case c == '[':
			i += max(0, classEnd(pattern[i:]))
		}
	}
	return -1
}

// classEnd is the byte at which a class such as [^a-z] ends, or -1 if it is
// none that [path.Match] takes.
func classEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			if _, err := path.Match(text[:i+1], "x"); err == nil {
				return i
			}
			return -1
		}
	}
	return -1
}
