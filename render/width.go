package render

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Width is the number of terminal columns of one line of clean text (see
// [Clean]); characters of ambiguous width take 2 columns if ambiguous is 2,
// else 1. A grapheme cluster takes at most 2, so a family of emoji, a flag, or
// a letter with marks counts once.
func Width(line string, ambiguous int) int { return newMetric(ambiguous).width(line) }

// Cut is the line itself if it fits into width columns, else its beginning
// with the ellipsis "…" at the end; never wider than width.
func Cut(line string, width, ambiguous int) string {
	return newMetric(ambiguous).cut(line, width, unicodeGlyphs.ellipsis)
}

// Pad is the line with spaces up to width columns; a wider line stays as it is.
func Pad(line string, width, ambiguous int) string {
	return newMetric(ambiguous).pad(line, width)
}

// metric measures text.
type metric struct{ east displaywidth.Options }

func newMetric(ambiguous int) metric {
	return metric{displaywidth.Options{EastAsianWidth: ambiguous == 2}}
}

func (m metric) width(line string) int {
	if isPrintableASCII(line) {
		return len(line)
	}
	sum := 0
	for g := graphemes.FromString(line); g.Next(); {
		sum += m.cluster(g.Value())
	}
	return sum
}

// cluster is the width of one grapheme cluster. The library looks at its first
// rune and at a variation selector. That hides a wide letter behind a mark that
// is written before it, and letters that join into one cluster but that most
// terminals draw side by side, as in Thai and Devanagari; so all runes count.
func (m metric) cluster(c string) int {
	if c[0] == ' ' { // what has no letter joins the space before it
		return 1
	}
	w := m.east.String(c)
	letters := 0
	for _, r := range c {
		one := m.east.Rune(r)
		w = max(w, one)
		if unicode.IsLetter(r) {
			letters += one
		}
	}
	return min(max(w, letters), 2)
}

func (m metric) cut(line string, width int, ellipsis string) string {
	if m.width(line) <= width {
		return line
	}
	room := width - m.width(ellipsis)
	if room < 0 {
		return strings.Repeat(".", max(width, 0))
	}
	end, used := 0, 0
	for g := graphemes.FromString(line); g.Next(); {
		used += m.cluster(g.Value())
		if used > room {
			break
		}
		end = g.End()
	}
	return strings.TrimRight(line[:end], " ") + ellipsis
}

func (m metric) pad(line string, width int) string {
	return line + strings.Repeat(" ", max(0, width-m.width(line)))
}

func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
