package config

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// excerptRunes bounds how much of a line is shown; longer ones are cut around
// the place.
const excerptRunes = 96

// excerptMargin is how far around the shown part keys are looked for.
const excerptMargin = 512

// excerpt shows a line with a caret below column. With hide, everything from
// the column on is masked.
func excerpt(line string, number, column int, hide bool) string {
	runes := []rune(line)
	at := min(max(column-1, 0), len(runes))
	left, right := max(0, at-excerptMargin), min(len(runes), at+excerptMargin)
	before, after := string(runes[left:at]), string(runes[at:right])
	if hide {
		after = masked
	}
	// A key may begin before the place and end after it.
	if whole := maskSecrets(before + after); whole != before+after {
		before = commonPrefix(whole, before)
		after = whole[len(before):]
	}
	head, tail := []rune(before), []rune(after)
	if keep := max(excerptRunes/2, excerptRunes-len(tail)); len(head) > keep {
		head = append([]rune("…"), head[len(head)-keep:]...)
	}
	if keep := max(0, excerptRunes-len(head)); len(tail) > keep {
		tail = append(tail[:keep], '…')
	}
	before, after = clean(head), clean(tail)
	gutter := fmt.Sprintf("%5d | ", number)
	return gutter + strings.TrimRight(before+after, " ") + "\n" +
		strings.Repeat(" ", len(gutter)-2) + "| " + strings.Repeat(" ", columns(before)) + "^"
}

// clean makes text fit for one line of a terminal: no control or format
// characters; a tab becomes a space.
func clean(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// columns counts the columns that text takes in a terminal.
func columns(s string) int {
	n := 0
	for _, r := range s {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.Is(unicode.Mn, r):
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// commonPrefix returns what both texts begin with, in whole characters.
func commonPrefix(a, b string) string {
	n := 0
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			break
		}
		n = i + len(string(r))
	}
	return a[:n]
}

// quoteShort quotes text for a message: one line, at most 48 characters, keys
// masked.
func quoteShort(s string) string {
	runes := []rune(maskSecrets(s))
	cut := ""
	if len(runes) > 48 {
		runes, cut = runes[:48], "…"
	}
	s = strings.Map(func(r rune) rune {
		if r == '\n' {
			return ' '
		}
		return r
	}, string(runes))
	return `"` + clean([]rune(s)) + cut + `"`
}
