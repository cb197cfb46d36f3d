package render

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Wrap breaks clean text (see [Clean]) into lines of at most width columns
// (at least 2), measured as by [Width].
//
// Line breaks of the text are kept, tabs become spaces, spaces at a break are
// dropped. Lines break at spaces and beside wide characters, so Latin words
// and paths stay whole unless they are longer than a line together with the
// marks around them. No line starts with a closing mark or ends with an
// opening one, unless a row of marks alone is longer than a line.
func Wrap(text string, width, ambiguous int) []string {
	return newMetric(ambiguous).wrap(text, width)
}

const tabStop = 4

func (m metric) wrap(text string, width int) []string {
	width = max(width, 2)
	var lines []string
	for par := range strings.SplitSeq(text, "\n") {
		lines = m.wrapParagraph(lines, m.expandTabs(par), width)
	}
	return lines
}

// cell is a grapheme cluster of a paragraph.
type cell struct {
	start, end int // where it stands in the paragraph
	width      int
	class
}

// wrapParagraph appends the lines of a text without line breaks.
func (m metric) wrapParagraph(lines []string, par string, width int) []string {
	cells := m.cells(par)
	for len(cells) > 0 && cells[len(cells)-1].is(space) {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return append(lines, "")
	}
	for len(cells) > 0 {
		n := fit(cells, width)
		if n < len(cells) {
			n = breakBefore(cells, n)
		}
		if last := lastInk(cells[:n]); last >= 0 {
			lines = append(lines, par[cells[0].start:cells[last].end])
		}
		cells = cells[n:]
		for len(cells) > 0 && cells[0].is(space) {
			cells = cells[1:]
		}
	}
	return lines
}

// cells cuts a paragraph into clusters.
func (m metric) cells(par string) []cell {
	narrow := newMetric(1)
	cells := make([]cell, 0, len(par))
	for g := graphemes.FromString(par); g.Next(); {
		c := cell{start: g.Start(), end: g.End(), width: m.cluster(g.Value())}
		r, size := utf8.DecodeRuneInString(g.Value())
		if c.class = classOf(r); c.is(space) && size < len(g.Value()) {
			c.class = 0 // a space that carries a mark is ink
		}
		if !c.is(space) && narrow.cluster(g.Value()) == 2 {
			c.class |= wide
		}
		if n := len(cells); n > 0 && par[cells[n-1].start] == '%' && !c.is(space|wide|closes) {
			cells[n-1].class = 0 // as in %s: no percent sign, but the first letter of a word
		}
		cells = append(cells, c)
	}
	return cells
}

// fit is the number of cells that fit into width.
func fit(cells []cell, width int) int {
	used := 0
	for i, c := range cells {
		used += c.width
		if used > width {
			return i
		}
	}
	return len(cells)
}

// lastInk is the index of the last cell that is no space, or -1.
func lastInk(cells []cell) int {
	for i, c := range slices.Backward(cells) {
		if !c.is(space) {
			return i
		}
	}
	return -1
}

// breakBefore finds where to break a line that is full before cells[n]: at the
// last good place, else inside a word, else inside a row of marks.
func breakBefore(cells []cell, n int) int {
	for p := n; p > 0; p-- {
		if goodBreak(cells, p) {
			return p
		}
	}
	for p := n; p > 0; p-- {
		if a, b := cells[p-1], cells[p]; !a.is(space|opens) && !b.is(space|closes) {
			return p
		}
	}
	return n
}

// goodBreak reports whether a line may end before cells[p].
func goodBreak(cells []cell, p int) bool {
	a, b := cells[p-1], cells[p]
	if !a.is(space) && !b.is(space) {
		return (a.is(wide) || b.is(wide)) && !a.is(opens) && !b.is(closes)
	}
	before, after := lastInk(cells[:p]), p
	for cells[after].is(space) {
		after++ // ends: the last cell is no space
	}
	opened := before >= 0 && cells[before].is(opens) && cells[before].is(strict)
	return !opened && (!cells[after].is(closes) || !cells[after].is(strict))
}

// expandTabs replaces tabs by spaces up to the next multiple of tabStop.
func (m metric) expandTabs(line string) string {
	before, after, found := strings.Cut(line, "\t")
	if !found {
		return line
	}
	var b strings.Builder
	column := 0
	for found {
		b.WriteString(before)
		column += m.width(before)
		n := tabStop - column%tabStop
		b.WriteString(strings.Repeat(" ", n))
		column += n
		before, after, found = strings.Cut(after, "\t")
	}
	b.WriteString(before)
	return b.String()
}

// class says how a cluster behaves at the end and at the beginning of a line.
type class uint8

const (
	space  class = 1 << iota // a line breaks here and the space is dropped
	wide                     // a line may break on both sides
	opens                    // no line ends with it
	closes                   // no line starts with it
	strict                   // opens and closes hold across spaces too
)

// is reports whether the class has one of the bits.
func (c class) is(bits class) bool { return c&bits != 0 }

// The marks, without those of ASCII.
const (
	openingMarks = "（［｛「『【《〈〔〖〘〚“‘〝｢＜￥＄"
	closingMarks = "、。，．）］｝」』】》〉〕〗〙〛”’〞〟｣＞！？：；…‥％‰°℃·・ー々～"
)

func classOf(r rune) class {
	switch r {
	case '(', '[', '{', '<', '$':
		return opens
	case ')', ']', '}', '>', ',', '.', ';', ':', '!', '?':
		return closes
	case '"', '\'', '`':
		return opens | closes
	case '%':
		return closes | strict
	case '\u00a0', '\u2007', '\u202f': // spaces that forbid a break
		return 0
	}
	switch {
	case r < utf8.RuneSelf && r != ' ':
		return 0
	case unicode.Is(unicode.Zs, r):
		return space
	case strings.ContainsRune(openingMarks, r):
		return opens | strict
	case strings.ContainsRune(closingMarks, r):
		return closes | strict
	}
	return 0
}
