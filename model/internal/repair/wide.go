package repair

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Text between the pieces of a reply may hold halves of characters: the first
// bytes of one, or one half of a surrogate pair, which is kept here in the
// three bytes that UTF-8 would give it if it were a character. Both become
// whole when the next piece is added.

// unquote decodes what stands between the quotes of a JSON string. Bytes that
// are no UTF-8 and halves of surrogate pairs stay in it.
func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			i++
			continue
		}
		i += 2
		switch c := raw[i-1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			unit := hex4(raw[i:])
			i = min(i+4, len(raw))
			if whole := utf16.DecodeRune(unit, secondUnit(raw[i:])); whole != utf8.RuneError {
				unit = whole
				i += 6
			}
			out = appendUnit(out, unit)
		default:
			out = append(out, c)
		}
	}
	return out
}

// appendUnit appends a character, or half of one.
func appendUnit(out []byte, unit rune) []byte {
	if utf16.IsSurrogate(unit) {
		return append(out, 0xED, 0x80|byte(unit>>6&0x3F), 0x80|byte(unit&0x3F))
	}
	return utf8.AppendRune(out, unit)
}

// half reports whether text begins with half of a surrogate pair, and with
// which.
func half(text []byte) (unit rune, ok bool) {
	if len(text) < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F), true
}

// Whole joins the halves in text and replaces what is left of them by U+FFFD,
// one for each run of bytes. damaged says that there was something to replace.
func Whole(text []byte) (whole string, damaged bool) {
	if utf8.Valid(text) {
		return string(text), false
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if first, ok := half(text[i:]); ok {
			if second, ok := half(text[i+3:]); ok {
				if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
					out = utf8.AppendRune(out, r)
					i += 6
					continue
				}
			}
		}
		out = append(out, text[i])
		i++
	}
	damaged = !utf8.Valid(out)
	return string(bytes.ToValidUTF8(out, []byte(string(utf8.RuneError)))), damaged
}

// joiner puts the characters together that were cut between two pieces. The
// zero value is ready.
type joiner struct {
	held []byte // the beginning of a character, for the next piece
}

// add returns what of the text so far is whole and was not returned yet.
func (j *joiner) add(piece []byte) string {
	if len(j.held) > 0 {
		piece = append(j.held, piece...)
		j.held = nil
	}
	n := begun(piece)
	if n > 0 {
		j.held = bytes.Clone(piece[len(piece)-n:])
	}
	out, _ := Whole(piece[:len(piece)-n])
	return out
}

// flush returns what is held back, as damaged text.
func (j *joiner) flush() string {
	out, _ := Whole(j.held)
	j.held = nil
	return out
}

// begun is how many bytes at the end of text are the beginning of a character:
// a first half, or bytes of UTF-8.
func begun(text []byte) int {
	if n := len(text); n >= 3 {
		if unit, ok := half(text[n-3:]); ok && unit < 0xDC00 {
			return 3
		}
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		c := text[len(text)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
