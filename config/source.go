package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 1 << 20

// position is a place in a source; both count from 1, columns in characters.
type position struct{ line, column int }

// source is the text of one file, ready to be parsed and shown.
type source struct {
	name  string   // as problems name the file
	lines []string // as they are, without line ends
	text  string   // what is parsed: clean UTF-8 with LF
	rep   *report
}

// newSource checks the bytes of a file. It is false when there is no text to
// go on with; what was wrong is reported either way.
func newSource(name string, data []byte, rep *report) (*source, bool) {
	s := &source{name: name, rep: rep}
	if len(data) > maxFile {
		s.add(Problem{Message: fmt.Sprintf("the file is larger than 1 MiB (%d bytes)", len(data)), Hint: "keep long texts in files of their own"}, position{1, 1}, false)
		return nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if isUTF16(data) {
		s.add(Problem{Message: "the file is UTF-16; UTF-8 is wanted", Hint: "save it as UTF-8"}, position{1, 1}, false)
		return nil, false
	}
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	s.lines = strings.Split(text, "\n")
	if !utf8.Valid(data) {
		s.badUTF8(data)
		return nil, false
	}
	s.text = s.withoutControls(text)
	return s, true
}

// isUTF16 recognizes a byte-order mark, or the NUL bytes of Latin text.
func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) {
		return true
	}
	head := data[:min(len(data), 256)]
	return len(head) >= 4 && bytes.Count(head, []byte{0})*3 > len(head)
}

// badUTF8 reports the first byte that is not part of UTF-8 text.
func (s *source) badUTF8(data []byte) {
	offset := 0
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			break
		}
		rest, offset = rest[size:], offset+size
	}
	before := strings.ReplaceAll(string(data[:offset]), "\r\n", "\n")
	before = strings.ReplaceAll(before, "\r", "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	at := position{strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1}
	s.add(Problem{
		Message: fmt.Sprintf("the file is not UTF-8: byte 0x%02X at offset %d", data[offset], offset),
		Hint:    "save it as UTF-8 (it may be GBK now)",
	}, at, false)
}

// withoutControls reports control characters, once a line, and returns the
// text without them.
func (s *source) withoutControls(text string) string {
	if !strings.ContainsFunc(text, isBadControl) {
		return text
	}
	for i, line := range s.lines {
		at := strings.IndexFunc(line, isBadControl)
		if at < 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(line[at:])
		s.add(Problem{
			Message: fmt.Sprintf("control character %s in the file", controlName(r)),
			Hint:    "remove it",
		}, position{i + 1, utf8.RuneCountInString(line[:at]) + 1}, false)
	}
	return strings.Map(func(r rune) rune {
		if isBadControl(r) {
			return ' '
		}
		return r
	}, text)
}

// isBadControl says whether YAML forbids a character.
func isBadControl(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\u0085' || r == '\uFEFF'
}

// controlName names a control character for a message.
func controlName(r rune) string {
	switch r {
	case 0:
		return "NUL"
	case '\x1b':
		return "ESC"
	default:
		return fmt.Sprintf("U+%04X", r)
	}
}

// add reports a problem at a place, with an excerpt.
func (s *source) add(p Problem, at position, hide bool) {
	s.rep.add(s.placed(p, at), func(p Problem) Problem { return s.shown(p, hide) })
}

// warn reports a warning at a place, with an excerpt.
func (s *source) warn(p Problem, at position) {
	s.rep.warn(s.placed(p, at), func(p Problem) Problem { return s.shown(p, false) })
}

// placed fills in the place, which is moved into the file if it lies outside.
func (s *source) placed(p Problem, at position) Problem {
	p.File = s.name
	p.Line = min(max(at.line, 1), max(len(s.lines), 1))
	p.Column = max(at.column, 1)
	return p
}

// shown makes a problem fit to be shown: with an excerpt, without keys.
func (s *source) shown(p Problem, hide bool) Problem {
	p.Path, p.Message, p.Hint = maskKeys(p.Path), maskKeys(p.Message), maskKeys(p.Hint)
	if p.Line > len(s.lines) {
		return p
	}
	if line := strings.ToValidUTF8(s.lines[p.Line-1], "\uFFFD"); strings.TrimSpace(line) != "" {
		p.Excerpt = excerpt(line, p.Line, p.Column, hide)
	}
	return p
}
