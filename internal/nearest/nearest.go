package nearest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the length in bytes from which on a word is no name.
const longest = 128

// Of returns the name that was most likely meant by what was written; empty if
// none is near. Case does not count, nor do hyphens, underscores and spaces. At
// most a third of the letters may differ, and one of a short word; or what was
// written begins or ends with a name of at least four letters.
func Of(written string, names []string) string {
	word := Fold(written)
	if word == "" || len(word) > longest {
		return ""
	}
	best, least := "", Tolerance(word)+1
	for _, name := range names {
		if d := Distance(word, Fold(name)); d < least {
			best, least = name, d
		}
	}
	if best != "" {
		return best
	}
	for _, name := range names {
		if part := Fold(name); len(part) >= 4 && (strings.HasSuffix(word, part) || strings.HasPrefix(word, part)) {
			return name
		}
	}
	return ""
}

// Tolerance is the distance up to which a name is near to a folded word.
func Tolerance(word string) int { return max(1, utf8.RuneCountInString(word)/3) }

// Fold makes spellings of a name equal, such as maxSteps, max-steps and
// max_steps.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Distance counts the letters to insert, remove, replace or swap with the next
// to turn one word into the other. A word that is too long to be a name is as
// far from all others as its length.
func Distance(a, b string) int {
	if max(len(a), len(b)) > longest {
		return max(len(a), len(b))
	}
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
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
		before, last, row = last, row, before
	}
	return last[len(y)]
}
