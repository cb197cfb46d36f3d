package envelope

import (
	"hash/maphash"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep objects and arrays may be nested, the message itself
// included.
const maxDepth = 64

const bom = "\ufeff"

// member is one field of the message as it stands in the text.
type member struct {
	name       string
	key        int      // the byte where the name begins
	start, end int      // the value
	depth      int      // of the deepest object or array in it, counted from the message; 1 if there is none
	spaced     bool     // there is white space between the parts of the value
	inner      []member // of the payload and the metadata, as far as they are objects
}

// scanner reads JSON strictly, once, and notes where the fields of the top
// level are. It decodes nothing but names.
type scanner struct {
	text    string
	at      int
	path    []segment // of the value that is read
	deepest int
	spaced  bool // white space was skipped
	seed    maphash.Seed
}

func newScanner(text string) *scanner { return &scanner{text: text, seed: maphash.MakeSeed()} }

// segment is one step of a path: a name, or an index from 0.
type segment struct {
	name  string
	index int // -1 for a name
}

// scan returns the fields of a message in their order, or what keeps it from
// being one.
func scan(text string) ([]member, *Remark) {
	if strings.HasPrefix(text, bom) {
		return nil, &Remark{Reason: BOM}
	}
	if at := invalidAt(text); at >= 0 {
		return nil, &Remark{Reason: InvalidUTF8, Offset: at, Found: "0x" + strconv.FormatUint(uint64(text[at]), 16)}
	}
	s := newScanner(text)
	s.space()
	var members []member
	var r *Remark
	if begin := s.at; s.next() == '{' {
		r = s.object(1, func(m member) { members = append(members, m) })
	} else if r = s.value(1); r == nil {
		r = &Remark{Reason: NotObject, Offset: begin, Found: kindOf(text[begin:])}
	}
	if r != nil {
		return nil, r
	}
	if s.space(); s.at < len(text) {
		return nil, s.bad()
	}
	return members, nil
}

// invalidAt is the first byte that is not part of UTF-8 text; -1 if all are.
func invalidAt(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	at := 0
	for {
		r, width := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && width < 2 {
			return at
		}
		at += width
	}
}

// next is the byte that comes next, 0 at the end.
func (s *scanner) next() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips white space.
func (s *scanner) space() {
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.spaced = true
		default:
			return
		}
	}
}

// eat takes c if it comes next.
func (s *scanner) eat(c byte) bool {
	if s.at == len(s.text) || s.text[s.at] != c {
		return false
	}
	s.at++
	return true
}

// bad says that what comes next is not JSON.
func (s *scanner) bad() *Remark {
	found := "" // the end
	if s.at < len(s.text) {
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		found = strconv.QuoteRune(r)
	}
	return s.fault(BadJSON, s.at, found)
}

// fault is a remark about the value that is read.
func (s *scanner) fault(reason Reason, at int, found string) *Remark {
	return &Remark{Reason: reason, Field: s.field(), Offset: at, Found: found}
}

// field writes the path; a long one is cut.
func (s *scanner) field() string {
	const most = 8
	var b strings.Builder
	for i, p := range s.path {
		switch {
		case i == most:
			return b.String() + "…"
		case p.index >= 0:
			b.WriteString("[" + strconv.Itoa(p.index) + "]")
		case i > 0:
			b.WriteString("." + p.name)
		default:
			b.WriteString(p.name)
		}
	}
	return b.String()
}

// value reads one value; depth is that of the object or array it is in.
func (s *scanner) value(depth int) *Remark {
	switch c := s.next(); {
	case c == '"':
		return s.string()
	case c == '{':
		return s.object(depth+1, nil)
	case c == '[':
		return s.array(depth + 1)
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	default:
		for _, word := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(s.text[s.at:], word) {
				s.at += len(word)
				return nil
			}
		}
		return s.bad()
	}
}

// enter checks the depth of an object or array.
func (s *scanner) enter(depth int) *Remark {
	if depth > maxDepth {
		return s.fault(TooDeep, s.at, "")
	}
	s.deepest = max(s.deepest, depth)
	s.at++
	s.space()
	return nil
}

// object reads an object. If note is not nil it is told of each member.
func (s *scanner) object(depth int, note func(member)) *Remark {
	if r := s.enter(depth); r != nil {
		return r
	}
	if s.eat('}') {
		return nil
	}
	seen := names{text: s.text, seed: s.seed}
	s.path = append(s.path, segment{index: -1})
	for {
		if s.next() != '"' {
			s.path = s.path[:len(s.path)-1]
			return s.bad()
		}
		if r := s.member(depth, &seen, note); r != nil {
			return r
		}
		s.space()
		if s.eat('}') {
			s.path = s.path[:len(s.path)-1]
			return nil
		}
		if !s.eat(',') {
			return s.bad()
		}
		s.space()
	}
}

// member reads one member of an object, a name and a value.
func (s *scanner) member(depth int, seen *names, note func(member)) *Remark {
	m := member{key: s.at}
	if r := s.string(); r != nil {
		return r
	}
	m.name = unquote(s.text[m.key:s.at])
	s.path[len(s.path)-1].name = m.name
	if !seen.add(m.name, m.key) {
		return s.fault(DuplicateKey, m.key, "")
	}
	if s.space(); !s.eat(':') {
		return s.bad()
	}
	s.space()
	m.start = s.at
	if note == nil {
		return s.value(depth)
	}
	deepest, spaced := s.deepest, s.spaced
	s.deepest, s.spaced = depth, false
	var r *Remark
	if s.next() == '{' && depth == 1 && (m.name == fieldPayload || m.name == fieldMetadata) {
		r = s.object(depth+1, func(in member) { m.inner = append(m.inner, in) })
	} else {
		r = s.value(depth)
	}
	m.end, m.depth, m.spaced = s.at, s.deepest, s.spaced
	s.deepest, s.spaced = max(deepest, m.depth), spaced || m.spaced
	note(m)
	return r
}

// array reads an array.
func (s *scanner) array(depth int) *Remark {
	if r := s.enter(depth); r != nil {
		return r
	}
	if s.eat(']') {
		return nil
	}
	s.path = append(s.path, segment{})
	for {
		if r := s.value(depth); r != nil {
			return r
		}
		s.space()
		if s.eat(']') {
			s.path = s.path[:len(s.path)-1]
			return nil
		}
		if !s.eat(',') {
			return s.bad()
		}
		s.path[len(s.path)-1].index++
		s.space()
	}
}

// string reads a string.
func (s *scanner) string() *Remark {
	for at := s.at + 1; at < len(s.text); at++ {
		switch c := s.text[at]; {
		case c == '"':
			s.at = at + 1
			return nil
		case c == '\\':
			s.at = at
			if r := s.escape(); r != nil {
				return r
			}
			at = s.at - 1
		case c < ' ':
			s.at = at
			return s.bad()
		}
	}
	s.at = len(s.text)
	return s.bad()
}

// escape reads what a backslash begins.
func (s *scanner) escape() *Remark {
	begin := s.at
	s.at++
	if c := s.next(); c != 'u' {
		if !strings.ContainsRune(`"\/bfnrt`, rune(c)) {
			return s.bad()
		}
		s.at++
		return nil
	}
	first, ok := s.unit()
	switch {
	case !ok:
		return s.bad()
	case !utf16.IsSurrogate(first):
		return nil
	}
	if strings.HasPrefix(s.text[s.at:], `\u`) {
		s.at++
		second, ok := s.unit()
		if !ok {
			return s.bad()
		}
		if utf16.DecodeRune(first, second) != utf8.RuneError {
			return nil
		}
	}
	return s.fault(LoneSurrogate, begin, s.text[begin:begin+len(`\ud800`)])
}

// unit reads the u and the four digits of an escape.
func (s *scanner) unit() (rune, bool) {
	const length = len("u0000")
	if len(s.text)-s.at < length {
		return 0, false
	}
	n, err := strconv.ParseUint(s.text[s.at+1:s.at+length], 16, 16)
	if err != nil {
		return 0, false
	}
	s.at += length
	return rune(n), true
}

// number reads a number.
func (s *scanner) number() *Remark {
	s.eat('-')
	if !s.eat('0') && !s.digits() {
		return s.bad()
	}
	if s.eat('.') && !s.digits() {
		return s.bad()
	}
	if s.eat('e') || s.eat('E') {
		if !s.eat('+') {
			s.eat('-')
		}
		if !s.digits() {
			return s.bad()
		}
	}
	return nil
}

// digits reads at least one digit.
func (s *scanner) digits() bool {
	begin, at := s.at, s.at
	for at < len(s.text) && s.text[at]-'0' <= 9 {
		at++
	}
	s.at = at
	return at > begin
}
