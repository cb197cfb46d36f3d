package model

import "strings"

// suggest returns the known word nearest to a mistyped one, or "" if none is
// near.
func suggest(word string, known []string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions and replacements of bytes
// between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
