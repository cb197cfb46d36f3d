package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plainView is a text with the escapes of a JSON string undone, and the way
// back to the text.
type plainView struct {
	text  string
	marks []mark // behind each escape, in order
}

// mark says that the byte plain of a view comes from the byte raw of the text.
type mark struct{ plain, raw int }

// unescape undoes the escapes that s has if it is taken for the inside of a
// JSON string. Backslashes that escape nothing stay. It reports false if there
// is no escape.
func unescape(s string) (plainView, bool) {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return plainView{}, false
	}
	var v plainView
	var b strings.Builder
	from := 0
	for i >= 0 {
		r, n := escape(s[i:])
		if n > 0 {
			b.WriteString(s[from:i])
			b.WriteRune(r)
			from = i + n
			v.marks = append(v.marks, mark{plain: b.Len(), raw: from})
		}
		i += max(n, 1)
		next := strings.IndexByte(s[i:], '\\')
		if next < 0 {
			break
		}
		i += next
	}
	if from == 0 {
		return plainView{}, false
	}
	b.WriteString(s[from:])
	v.text = b.String()
	return v, true
}

// escape reads the escape that s begins with, and returns its length; 0 when
// it is none.
func escape(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b', 'f':
		return ' ', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return 0, 0
	}
	const unit = len(`\u0000`)
	r, ok := codeUnit(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		low, ok := codeUnit(s[unit:])
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			return pair, 2 * unit
		}
		return utf8.RuneError, unit
	}
	return r, unit
}

// codeUnit reads an escape such as \u4e2d.
func codeUnit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// raw returns the index in the text of the byte i of the view.
func (v plainView) raw(i int) int {
	n, found := slices.BinarySearchFunc(v.marks, i, func(m mark, i int) int { return cmp.Compare(m.plain, i) })
	if !found {
		n--
	}
	if n < 0 {
		return i
	}
	return v.marks[n].raw + i - v.marks[n].plain
}
