package mailbox

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// What stands for a character that could be taken for the frame.
const (
	escapedLess = "&lt;"
	escapedAmp  = "&amp;"
	escapedLai  = "&#x6765;" // 来, the first character of a header
	lai         = "来"
)

// frameWords are the words that, beside the sender's own name, open or close a
// frame in any message.
var frameWords = func() []string {
	words := []string{event.LeaderName, event.PersonName, event.RuntimeName}
	for _, k := range event.Kinds() {
		if !slices.Contains(words, k.Tag()) {
			words = append(words, k.Tag())
		}
	}
	return words
}()

// escape writes content to b so that nothing in it can be taken for the frame
// of a message from name; [unescape] undoes it. It looks at each byte a fixed
// number of times. The content must be valid UTF-8.
func escape(b *strings.Builder, content, name string) {
	written := 0
	for at := range suspects(content) {
		escaped, width := replacement(content, at, name)
		if width == 0 {
			continue
		}
		b.WriteString(content[written:at])
		b.WriteString(escaped)
		written = at + width
	}
	b.WriteString(content[written:])
}

// suspects yields, in order, the places where something to escape may begin.
// Most contents have none and are searched at the speed of memory.
func suspects(s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		less, amp, header := find(s, "<", 0), find(s, "&", 0), find(s, headerStart, 0)
		for {
			at := min(less, amp, header)
			if at == len(s) || !yield(at) {
				return
			}
			switch at {
			case less:
				less = find(s, "<", at+1)
			case amp:
				amp = find(s, "&", at+1)
			default:
				header = find(s, headerStart, at+1)
			}
		}
	}
}

// find is the first place of sub in s at or after from, len(s) when there is
// none.
func find(s, sub string, from int) int {
	if i := strings.Index(s[from:], sub); i >= 0 {
		return from + i
	}
	return len(s)
}

// replacement decides about the suspect at s[at:]: what to write instead of
// how many bytes. The width is 0 when it stays as it is.
func replacement(s string, at int, name string) (escaped string, width int) {
	switch rest := s[at:]; rest[0] {
	case '<':
		if opensFrame(rest[1:], name) {
			return escapedLess, 1
		}
	case '&':
		if _, w := entity(rest); w > 0 {
			return escapedAmp, 1
		}
	default:
		if beginsLine(s[:at]) && readsAsHeader(rest) {
			return escapedLai, len(lai)
		}
	}
	return "", 0
}

// entity reads one of the three escapes at the beginning of s; the width is 0
// when there is none.
func entity(s string) (plain string, width int) {
	switch {
	case strings.HasPrefix(s, escapedLess):
		return "<", len(escapedLess)
	case strings.HasPrefix(s, escapedAmp):
		return "&", len(escapedAmp)
	case strings.HasPrefix(s, escapedLai):
		return lai, len(escapedLai)
	}
	return "", 0
}

// opensFrame reports whether the text after a '<' reads as a tag of the frame.
// No '>' is needed: a tag with attributes, or one that a line break cuts, is
// as good a lie.
func opensFrame(after, name string) bool {
	after = strings.TrimPrefix(after, "/")
	isTag := func(word string) bool {
		rest, ok := strings.CutPrefix(after, word)
		return ok && !continuesWord(rest)
	}
	return isTag(name) || slices.ContainsFunc(frameWords, isTag)
}

// continuesWord reports whether s begins with a rune that makes the word
// before it another word.
func continuesWord(s string) bool {
	r, width := utf8.DecodeRuneInString(s)
	return width > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-", r))
}

// beginsLine reports whether what follows before is the first thing on its
// line that a reader sees.
func beginsLine(before string) bool {
	for before != "" {
		r, width := utf8.DecodeLastRuneInString(before)
		if isLineBreak(r) {
			return true
		}
		if !isBlank(r) {
			return false
		}
		before = before[:len(before)-width]
	}
	return true
}

// readsAsHeader reports whether the line at the beginning of s, which starts
// with 来自, reads as the header of a message. Any blank does for the spaces
// around the name, the name may be anything, and blanks may follow the label:
// a reader who trims lines must not be fooled either.
func readsAsHeader(s string) bool {
	line := strings.TrimPrefix(s, headerStart)
	if end := strings.IndexFunc(line, isLineBreak); end >= 0 {
		line = line[:end]
	}
	if first, _ := utf8.DecodeRuneInString(line); !isBlank(first) {
		return false
	}
	line = strings.TrimRightFunc(line, isBlank)
	return slices.ContainsFunc(headerLabels, func(l headerLabel) bool {
		before, ok := strings.CutSuffix(line, l.label)
		if !ok {
			return false
		}
		before, ok = strings.CutSuffix(before, headerMiddle)
		last, _ := utf8.DecodeLastRuneInString(before)
		return ok && isBlank(last)
	})
}

// isLineBreak reports whether r ends a line for any common reader of text.
func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// isBlank reports whether r leaves no mark on the page: white space, control
// and format runes, and the others that Unicode calls ignorable.
func isBlank(r rune) bool {
	if r < utf8.RuneSelf {
		return r <= ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.White_Space, unicode.Cc) || isIgnorable(r)
}

// isIgnorable reports whether r is left out when text is compared by eye:
// format runes (BOM, zero-width runes, marks of direction, tags), fillers and
// variation selectors.
func isIgnorable(r rune) bool {
	return r >= utf8.RuneSelf &&
		unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// unescape undoes [escape] in one pass from left to right. What is no escape
// stays as it is.
func unescape(s string) string {
	at := strings.IndexByte(s, '&')
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for ; at >= 0; at = strings.IndexByte(s, '&') {
		b.WriteString(s[:at])
		s = s[at:]
		plain, width := entity(s)
		if width == 0 {
			plain, width = "&", 1
		}
		b.WriteString(plain)
		s = s[width:]
	}
	b.WriteString(s)
	return b.String()
}
