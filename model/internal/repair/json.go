package repair

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep values may be nested.
const maxDepth = 500

// scanner walks over JSON text without decoding it. Its methods return false
// at the first byte that is no JSON; the scanner is then of no further use.
type scanner struct {
	text  []byte
	at    int
	depth int
	// lone is set when a string was passed that holds half of a surrogate pair.
	lone bool
}

// space skips white space and returns the next byte, 0 at the end.
func (s *scanner) space() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// end reports whether only white space is left.
func (s *scanner) end() bool { s.space(); return s.at == len(s.text) }

// take skips white space and the byte c, if it is next.
func (s *scanner) take(c byte) bool {
	if s.space() != c {
		return false
	}
	s.at++
	return true
}

// fields walks over an object. visit is called at each value and must pass it.
func (s *scanner) fields(visit func(key []byte) bool) bool {
	if !s.take('{') || s.depth == maxDepth {
		return false
	}
	s.depth++
	if s.space() != '}' {
		for {
			key, ok := s.str()
			if !ok || !s.take(':') || !visit(key) {
				return false
			}
			if !s.take(',') {
				break
			}
		}
	}
	s.depth--
	return s.take('}')
}

// items walks over an array. visit is called at each value and must pass it.
func (s *scanner) items(visit func() bool) bool {
	if !s.take('[') || s.depth == maxDepth {
		return false
	}
	s.depth++
	if s.space() != ']' {
		for {
			if !visit() {
				return false
			}
			if !s.take(',') {
				break
			}
		}
	}
	s.depth--
	return s.take(']')
}

// skip passes any value.
func (s *scanner) skip() bool {
	switch c := s.space(); c {
	case '{':
		return s.fields(func([]byte) bool { return s.skip() })
	case '[':
		return s.items(s.skip)
	case '"':
		_, ok := s.str()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.null()
	default:
		return s.number()
	}
}

// value passes any value and returns its text.
func (s *scanner) value() ([]byte, bool) {
	s.space()
	from := s.at
	if !s.skip() {
		return nil, false
	}
	return s.text[from:s.at], true
}

func (s *scanner) null() bool { return s.word("null") }

func (s *scanner) word(w string) bool {
	s.space()
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return false
	}
	s.at += len(w)
	return true
}

// str passes a string and returns what stands between its quotes.
func (s *scanner) str() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	text, from := s.text, s.at
	for i := from; i < len(text); i++ {
		c := text[i]
		if !special[c] {
			continue
		}
		switch c {
		case '"':
			s.at = i + 1
			return text[from:i], true
		case '\\':
			n := s.escape(text[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		default:
			return nil, false
		}
	}
	return nil, false
}

// special are the bytes that do not stand for themselves in a string.
var special = func() (set [256]bool) {
	for c := range ' ' {
		set[c] = true
	}
	set['"'], set['\\'] = true, true
	return set
}()

// escape returns the length of the escape that text begins with, 0 if it is
// none.
func (s *scanner) escape(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
	default:
		return 0
	}
	unit := hex4(text[2:])
	if unit < 0 {
		return 0
	}
	if utf16.IsSurrogate(unit) {
		if second := secondUnit(text[6:]); utf16.DecodeRune(unit, second) != utf8.RuneError {
			return 12
		}
		s.lone = true
	}
	return 6
}

// secondUnit is the code unit that text begins with as an escape, or -1.
func secondUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	return hex4(text[2:])
}

// hex4 reads four hexadecimal digits; -1 if text does not begin with them.
func hex4(text []byte) rune {
	if len(text) < 4 {
		return -1
	}
	var n rune
	for _, c := range text[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		n = n<<4 | rune(c)
	}
	return n
}

// number passes a number.
func (s *scanner) number() bool {
	_, ok := s.digits()
	return ok
}

// integer passes a number that fits an int and has neither fraction nor
// exponent.
func (s *scanner) integer() bool {
	s.space()
	from := s.at
	whole, ok := s.digits()
	return ok && whole && s.at-from < 18
}

// digits passes a number; whole says that it has neither fraction nor
// exponent.
func (s *scanner) digits() (whole, ok bool) {
	s.space()
	if s.at < len(s.text) && s.text[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == '0' {
		s.at++
	} else if !s.run() {
		return false, false
	}
	whole = true
	if s.at < len(s.text) && s.text[s.at] == '.' {
		whole = false
		s.at++
		if !s.run() {
			return false, false
		}
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		whole = false
		s.at++
		if s.at < len(s.text) && (s.text[s.at] == '+' || s.text[s.at] == '-') {
			s.at++
		}
		if !s.run() {
			return false, false
		}
	}
	return whole, true
}

// run passes one digit or more.
func (s *scanner) run() bool {
	from := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > from
}

// valid reports whether text is one JSON value.
func valid(text []byte) bool {
	s := scanner{text: text}
	return s.skip() && s.end()
}
