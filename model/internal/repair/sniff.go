package repair

import (
	"bytes"
	"errors"
	"io"
)

// kind says what a body is, which its headers do not tell.
type kind int

const (
	unknown  kind = iota
	events        // a stream of events
	document      // JSON
	foreign       // a page of HTML, words of a proxy, and the like
)

// maxForeign is how much is kept of a body that is no reply, in bytes.
const maxForeign = 64 << 10

var byteOrderMark = []byte("\uFEFF")

// eventFields are the names that a line of a stream can begin with.
var eventFields = []string{"data", "event", "error", "retry", "id"}

// sniff tells the kind of a body from its first bytes that are not blank; an
// empty one counts as a stream.
func (l *lines) sniff() kind {
	for start := true; ; {
		text := l.buf[l.from:l.to]
		if start && len(text) >= len(byteOrderMark) {
			start = false
			text = bytes.TrimPrefix(text, byteOrderMark)
		}
		if !start || l.err != nil {
			text = bytes.TrimLeft(text, " \t\r\n")
			l.from = l.to - len(text)
			l.seen = l.from
			if k := kindOf(text, l.err != nil); k != unknown {
				return k
			}
		}
		l.fill()
	}
}

// kindOf is the kind of a body that begins with text; unknown if more of it
// must be seen first. ended says that there is no more.
func kindOf(text []byte, ended bool) kind {
	if len(text) == 0 || ended && bytes.HasPrefix(byteOrderMark, text) {
		if ended {
			return events
		}
		return unknown
	}
	switch text[0] {
	case ':':
		return events
	case '{', '[':
		return document
	}
	for _, name := range eventFields {
		n := min(len(name), len(text))
		if string(text[:n]) != name[:n] {
			continue
		}
		switch {
		case n == len(text) && ended: // cut inside the name or after it
			return events
		case n == len(text):
			return unknown
		case n == len(name) && bytes.IndexByte([]byte(":\r\n"), text[n]) >= 0:
			return events
		}
	}
	return foreign
}

// document reads a body of JSON: a whole reply, or several values one after
// the other. An end mark may follow.
func (b *Body) document() {
	text, err := b.lines.rest(MaxLine)
	if errors.Is(err, ErrTooLong) || len(text) >= MaxLine {
		b.stop(errTooLong)
		return
	}
	s := scanner{text: text}
	for !s.end() {
		if rest := text[s.at:]; isEndMark(rest) || bytes.HasPrefix(rest, []byte("data:")) && bytes.Contains(rest, []byte("[DONE]")) {
			b.queue = append(b.queue, []byte("[DONE]"))
			break
		}
		value, ok := s.value()
		if !ok {
			b.lines.err = io.ErrUnexpectedEOF
			break
		}
		b.queue = append(b.queue, bytes.Clone(value))
	}
	b.kind, b.plain = events, true // what is left is the end
}
