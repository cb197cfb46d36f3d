package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// messages reads JSON messages one by one: one a line, or, as programs print
// them for people, over several lines from a line "{" to a line "}". Lines with
// white space only are skipped. A message is kept up to one byte beyond limit,
// which tells that there was more.
type messages struct {
	in    *bufio.Reader
	limit int
	line  int // lines read so far
}

func newMessages(in io.Reader, limit int) *messages {
	return &messages{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next is the next message without its line break, and the line where it
// begins, from 1; io.EOF behind the last.
func (m *messages) next() (raw []byte, line int, err error) {
	for {
		text, err := m.readLine()
		if err != nil {
			return nil, 0, err
		}
		switch begin := m.line; {
		case len(bytes.TrimSpace(text)) == 0:
		case string(text) == "{":
			text, err = m.block(text)
			return text, begin, err
		default:
			return text, begin, nil
		}
	}
}

// block reads the lines behind a "{" up to a "}", or to the end.
func (m *messages) block(text []byte) ([]byte, error) {
	for {
		line, err := m.readLine()
		switch {
		case errors.Is(err, io.EOF):
			return text, nil
		case err != nil:
			return nil, err
		}
		text = m.add(m.add(text, []byte{'\n'}), line)
		if string(line) == "}" {
			return text, nil
		}
	}
}

// readLine is the next line without its line break. The last one needs none.
func (m *messages) readLine() ([]byte, error) {
	var text []byte
	for read := false; ; {
		piece, err := m.in.ReadSlice('\n')
		read = read || len(piece) > 0
		text = m.add(text, bytes.TrimSuffix(piece, []byte{'\n'}))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!read || !errors.Is(err, io.EOF)):
			return nil, err
		}
		m.line++
		return bytes.TrimSuffix(text, []byte{'\r'}), nil
	}
}

// add appends as much as a message may have and one byte.
func (m *messages) add(text, more []byte) []byte {
	return append(text, more[:max(0, min(len(more), m.limit+1-len(text)))]...)
}
