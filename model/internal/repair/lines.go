package repair

import (
	"bytes"
	"errors"
	"io"
)

// MaxLine is the largest line, event or JSON body that is held, in bytes.
const MaxLine = 16 << 20

// firstBuffer is what the buffer holds at first; most lines are shorter.
const firstBuffer = 1 << 10

// watchedLine is how long a line may grow before each part of it counts as
// progress, in bytes.
const watchedLine = 64 << 10

// maxIdleReads is how many reads in a row may bring nothing.
const maxIdleReads = 100

// lines reads a body line by line, as the standard of server-sent events has
// it: a line ends with LF, CRLF or CR.
type lines struct {
	r        io.Reader
	buf      []byte
	from, to int   // what was read and not yet returned
	seen     int   // up to where the line was searched for its end
	err      error // what ended the reading, after the rest of buf
	skipLF   bool  // the last line ended with CR, so that LF belongs to it
	open     bool  // the body ended before the last line did
	progress func()
}

// line is one line of a body.
type line struct {
	text []byte // without its end; valid until the next line is read
	raw  []byte // with LF at its end, if it has one; else nil
}

// next returns the next line, or what ended the reading. It reads only if no
// whole line is there.
func (l *lines) next() (line, error) {
	for {
		l.dropLF()
		if end := l.find(); end >= 0 {
			return l.cut(end), nil
		}
		if l.err == nil {
			l.fill()
			if l.to-l.from > watchedLine {
				l.progress()
			}
			continue
		}
		if l.from < l.to && !errors.Is(l.err, ErrTooLong) {
			text := l.buf[l.from:l.to]
			l.from, l.seen = l.to, l.to
			l.open = true
			return line{text: text}, nil
		}
		return line{}, l.err
	}
}

// find returns where the line ends, -1 if that was not read yet.
func (l *lines) find() int {
	rest := l.buf[l.seen:l.to]
	end := bytes.IndexByte(rest, '\n')
	if end >= 0 {
		rest = rest[:end]
	}
	if cr := bytes.IndexByte(rest, '\r'); cr >= 0 {
		end = cr
	}
	if end < 0 {
		l.seen = l.to
		return -1
	}
	return l.seen + end
}

// cut returns the line that ends before end and goes behind it.
func (l *lines) cut(end int) line {
	out := line{text: l.buf[l.from:end]}
	if l.buf[end] == '\n' {
		out.raw = l.buf[l.from : end+1]
	} else {
		l.skipLF = true
	}
	l.from = end + 1
	l.seen = l.from
	return out
}

func (l *lines) dropLF() {
	if l.skipLF && l.from < l.to {
		l.skipLF = false
		if l.buf[l.from] == '\n' {
			l.from++
			l.seen = max(l.seen, l.from)
		}
	}
}

// fill reads on, or sets err.
func (l *lines) fill() {
	l.room()
	if l.err != nil {
		return
	}
	for range maxIdleReads {
		n, err := l.r.Read(l.buf[l.to:])
		l.to += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// room makes room for a read.
func (l *lines) room() {
	if l.from > 0 && (l.from == l.to || l.to == len(l.buf)) {
		copy(l.buf, l.buf[l.from:l.to])
		l.to, l.seen, l.from = l.to-l.from, l.seen-l.from, 0
	}
	switch {
	case l.to < len(l.buf):
	case l.to >= MaxLine:
		l.err = errTooLong
	default:
		grown := make([]byte, min(max(2*len(l.buf), firstBuffer), MaxLine))
		copy(grown, l.buf[:l.to])
		l.buf = grown
	}
}

// rest reads the body to its end, as far as limit bytes; err is what ended the
// reading, nil for the end of the body.
func (l *lines) rest(limit int) (text []byte, err error) {
	for l.err == nil && l.to-l.from < limit {
		had := l.to - l.from
		l.fill()
		if len(bytes.TrimSpace(l.buf[l.from+had:l.to])) > 0 {
			l.progress()
		}
	}
	text = l.buf[l.from:l.to]
	l.from, l.seen = l.to, l.to
	if l.err == nil || errors.Is(l.err, io.EOF) {
		return text, nil
	}
	return text, l.err
}
