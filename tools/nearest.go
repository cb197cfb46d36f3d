package tools

import "strings"

// nearest returns the name that was most likely meant by a wrong one, or ""
// if none is near. Case does not count.
func nearest(wrong string, names []string) string {
	const longest = 128 // runes; longer words are no names
	if len(wrong) > longest {
		return ""
	}
	folded := strings.ToLower(wrong)
	best, least := "", max(1, len(folded)/3)+1
	for _, name := range names {
		if len(name) > longest {
			continue
		}
		distance := editDistance([]rune(folded), []rune(strings.ToLower(name)))
		if strings.HasSuffix(folded, "."+strings.ToLower(name)) {
			distance = 0 // such as functions.read_file
		}
		if distance < least {
			best, least = name, distance
		}
	}
	return best
}

// editDistance counts the runes to insert, delete or replace to make a into b.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
