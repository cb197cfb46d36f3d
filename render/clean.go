package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text safe to print. Line breaks of every kind become "\n" and
// tabs stay; escape sequences are dropped whole, other control characters and
// invisible format characters one by one, bytes that are no UTF-8 become
// U+FFFD. Characters that reorder text, which can make it read as something
// else, are shown as <U+202E>. Joiners of emoji and scripts stay. Cleaning
// twice is cleaning once.
func Clean(text string) string {
	if isCleanASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if n := sequence(text[i:]); n > 0 {
			i += n
			continue
		}
		i += size
		switch {
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == '\r':
			if !strings.HasPrefix(text[i:], "\n") {
				b.WriteByte('\n')
			}
		case isLineBreak(r):
			b.WriteByte('\n')
		case isReordering(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		case unicode.Is(unicode.Cc, r), isInvisible(r):
		default:
			b.WriteRune(r) // RuneError for a byte that is no UTF-8
		}
	}
	return b.String()
}

// CleanLine is [Clean] for text that must be one line: line breaks, tabs and
// rows of spaces become one space, those at the ends are dropped.
func CleanLine(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

func isCleanASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

const (
	esc = '\x1b'
	bel = '\a'
)

// sequence is the length in bytes of the escape sequence (ECMA-48) that text
// begins with; 0 if it begins with none. A control string without an end is
// not swallowed: only its introducer counts.
func sequence(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	var intro byte
	switch {
	case r == esc && len(text) > 1:
		intro = text[1]
		size = 2
	case r >= 0x80 && r <= 0x9f && size == 2: // C1, the eight-bit form
		intro = byte(r - 0x40)
	default:
		return 0
	}
	rest := text[size:]
	switch {
	case intro == '[':
		return size + controlSequence(rest)
	case strings.IndexByte("]PX^_", intro) >= 0:
		return size + controlString(rest)
	case r == esc && intro >= 0x20 && intro <= 0x2f: // intermediates, then one final byte
		n := span(rest, 0x20, 0x2f)
		return size + n + min(1, span(rest[n:], 0x30, 0x7e))
	case r == esc && intro >= 0x30 && intro <= 0x7e:
		return size
	}
	return 0
}

// controlSequence is the length of parameters, intermediates and final byte.
func controlSequence(s string) int {
	n := span(s, 0x30, 0x3f)
	n += span(s[n:], 0x20, 0x2f)
	return n + min(1, span(s[n:], 0x40, 0x7e))
}

// controlString is the length of a control string with its end; 0 if it has
// none on its line, so that nobody hides what follows.
func controlString(s string) int {
	for i, r := range s {
		switch {
		case r == bel, r == 0x9c:
			return i + utf8.RuneLen(r)
		case r == esc && strings.HasPrefix(s[i+1:], `\`):
			return i + 2
		case r == esc, r >= 0x80 && r <= 0x9f && r != '\u0085':
			return i // another sequence begins: the string is over
		case r == '\n', r == '\r', isLineBreak(r):
			return 0
		}
	}
	return 0
}

// span counts the leading bytes between lo and hi.
func span(s string, lo, hi byte) int {
	for i := range len(s) {
		if s[i] < lo || s[i] > hi {
			return i
		}
	}
	return len(s)
}

func isLineBreak(r rune) bool {
	return r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// isReordering reports whether r changes the direction of text around it.
func isReordering(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// isInvisible reports whether r draws nothing and terminals disagree on its
// width: marks of direction, zero-width spaces, soft hyphens, byte order
// marks. Joiners and the tags of flags are not among them.
func isInvisible(r rune) bool {
	switch r {
	case '\u00ad', '\u061c', '\u180e', '\u200b', '\u200e', '\u200f', '\ufeff':
		return true
	}
	return r >= '\u2060' && r <= '\u2065' || r >= '\u206a' && r <= '\u206f' || r >= '\ufff9' && r <= '\ufffb'
}
