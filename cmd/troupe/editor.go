package main

import "unicode/utf8"

// typed is what a key did to a line that a person types.
type typed int

const (
	typedText      typed = iota // the line may be another
	typedLine                   // the line is complete
	typedInterrupt              // Ctrl-C
)

// maxLine bounds a line, in characters.
const maxLine = 64 << 10

// editor is a line that a person types on a terminal that gives each key at
// once.
type editor struct {
	line    []rune
	partial []byte // the beginning of a character
	escape  escape
}

// escape is how far a sequence of a key without a character has come.
type escape int

const (
	noEscape escape = iota
	escapeBegun
	escapeInside
)

// The keys of the editor.
const (
	ctrlC     = 0x03
	backspace = 0x08
	ctrlU     = 0x15
	ctrlW     = 0x17
	escKey    = 0x1b
	deleteKey = 0x7f
)

// key takes one byte of what was typed.
func (e *editor) key(b byte) typed {
	switch {
	case e.escape != noEscape:
		e.skip(b)
	case b == ctrlC:
		return typedInterrupt
	case b == '\r', b == '\n':
		e.partial = nil
		return typedLine
	case b == backspace, b == deleteKey:
		e.line, e.partial = e.line[:max(0, len(e.line)-1)], nil
	case b == ctrlU:
		e.line, e.partial = nil, nil
	case b == ctrlW:
		e.dropWord()
	case b == escKey:
		e.escape = escapeBegun
	case b == '\t':
		e.add(' ')
	case b >= ' ':
		e.character(b)
	}
	return typedText
}

// skip passes over the sequence of an arrow or another key.
func (e *editor) skip(b byte) {
	switch {
	case e.escape == escapeBegun && (b == '[' || b == 'O'):
		e.escape = escapeInside
	case e.escape == escapeBegun, b >= '@' && b <= '~':
		e.escape = noEscape
	}
}

// character takes a byte of a character.
func (e *editor) character(b byte) {
	e.partial = append(e.partial, b)
	if !utf8.FullRune(e.partial) {
		return
	}
	if r, size := utf8.DecodeRune(e.partial); r != utf8.RuneError || size > 1 {
		e.add(r)
	}
	e.partial = nil
}

func (e *editor) add(r rune) {
	if len(e.line) < maxLine {
		e.line = append(e.line, r)
	}
}

// dropWord takes the last word away and the spaces behind it.
func (e *editor) dropWord() {
	n := len(e.line)
	for n > 0 && e.line[n-1] == ' ' {
		n--
	}
	for n > 0 && e.line[n-1] != ' ' {
		n--
	}
	e.line, e.partial = e.line[:n], nil
}

// take returns the line and begins a new one.
func (e *editor) take() string {
	text := string(e.line)
	*e = editor{}
	return text
}
