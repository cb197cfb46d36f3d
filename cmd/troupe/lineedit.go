package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/render"
)

// typedEnd is what Ctrl-D on an empty line did.
const typedEnd typed = typedInterrupt + 1

// The keys of the line editor beside those of the editor.
const (
	ctrlA = 0x01
	ctrlB = 0x02
	ctrlD = 0x04
	ctrlE = 0x05
	ctrlF = 0x06
	ctrlK = 0x0b
	ctrlN = 0x0e
	ctrlP = 0x10
)

// pasteOn and pasteOff ask a terminal to say where a pasted text begins and
// ends, or not to.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// lineEditor is a text that a person types or pastes, with a cursor, and with
// the texts from before. Pasted lines stay one text.
type lineEditor struct {
	text    []rune
	cursor  int
	partial []byte // the beginning of a character
	seq     []byte // the beginning of a sequence of a key
	pasting bool

	history []string
	at      int    // in history; its length for the text itself
	kept    string // the text itself, while another is shown
}

// sequences are the keys that send more than one byte, by what stands behind
// the escape.
var sequences = map[string]byte{
	"[A": ctrlP, "[B": ctrlN, "[C": ctrlF, "[D": ctrlB, "OA": ctrlP, "OB": ctrlN, "OC": ctrlF, "OD": ctrlB,
	"[H": ctrlA, "[F": ctrlE, "OH": ctrlA, "OF": ctrlE, "[1~": ctrlA, "[4~": ctrlE, "[3~": ctrlD,
}

// key takes one byte of what was typed.
func (e *lineEditor) key(b byte) typed {
	switch {
	case e.seq != nil:
		return e.sequence(b)
	case b == escKey:
		e.seq = []byte{}
	case (b == '\r' || b == '\n') && e.pasting:
		e.insert('\n')
	case e.pasting && b == '\t':
		e.insert('\t')
	case e.pasting && b < ' ':
	case b == '\r', b == '\n':
		return typedLine
	case b == ctrlC:
		return typedInterrupt
	case b == ctrlD && len(e.text) == 0:
		return typedEnd
	default:
		e.edit(b)
	}
	return typedText
}

// sequence takes a byte behind an escape.
func (e *lineEditor) sequence(b byte) typed {
	e.seq = append(e.seq, b)
	if len(e.seq) == 1 && (b == '[' || b == 'O') {
		return typedText
	}
	if len(e.seq) > 1 && (b < '@' || b > '~') && len(e.seq) < 16 {
		return typedText
	}
	name := string(e.seq)
	e.seq = nil
	switch key, known := sequences[name]; {
	case name == "[200~":
		e.pasting = true
	case name == "[201~":
		e.pasting = false
	case known && !e.pasting && (key != ctrlD || len(e.text) > 0):
		e.edit(key)
	}
	return typedText
}

// edit does what a key without a meaning of its own does to the text.
func (e *lineEditor) edit(b byte) {
	switch b {
	case ctrlA:
		e.cursor = 0
	case ctrlE:
		e.cursor = len(e.text)
	case ctrlB:
		e.cursor = max(0, e.cursor-1)
	case ctrlF:
		e.cursor = min(len(e.text), e.cursor+1)
	case ctrlP:
		e.recall(e.at - 1)
	case ctrlN:
		e.recall(e.at + 1)
	case ctrlK:
		e.text = e.text[:e.cursor]
	case ctrlU:
		e.remove(0, e.cursor)
	case ctrlW:
		e.remove(e.wordStart(), e.cursor)
	case ctrlD:
		e.remove(e.cursor, e.cursor+1)
	case backspace, deleteKey:
		e.remove(e.cursor-1, e.cursor)
	case '\t':
		e.insert(' ')
	default:
		if b >= ' ' {
			e.character(b)
		}
	}
}

// character takes a byte of a character.
func (e *lineEditor) character(b byte) {
	e.partial = append(e.partial, b)
	if !utf8.FullRune(e.partial) {
		return
	}
	if r, size := utf8.DecodeRune(e.partial); r != utf8.RuneError || size > 1 {
		e.insert(r)
	}
	e.partial = nil
}

func (e *lineEditor) insert(r rune) {
	if len(e.text) < maxLine {
		e.text = slices.Insert(e.text, e.cursor, r)
		e.cursor++
	}
}

// remove takes the characters from one place to another away.
func (e *lineEditor) remove(from, to int) {
	from, to = max(0, from), min(len(e.text), to)
	if from < to {
		e.text, e.cursor = slices.Delete(e.text, from, to), from
	}
	e.partial = nil
}

// wordStart is where the word before the cursor begins.
func (e *lineEditor) wordStart() int {
	n := e.cursor
	for n > 0 && e.text[n-1] == ' ' {
		n--
	}
	for n > 0 && e.text[n-1] != ' ' && e.text[n-1] != '\n' {
		n--
	}
	return n
}

// recall shows a text from before.
func (e *lineEditor) recall(at int) {
	if at < 0 || at > len(e.history) {
		return
	}
	if e.at == len(e.history) {
		e.kept = string(e.text)
	}
	e.at = at
	text := e.kept
	if at < len(e.history) {
		text = e.history[at]
	}
	e.text = []rune(text)
	e.cursor = len(e.text)
}

// take returns the text, keeps it for later, and begins a new one.
func (e *lineEditor) take() string {
	text := strings.TrimSpace(string(e.text))
	if n := len(e.history); text != "" && (n == 0 || e.history[n-1] != text) {
		e.history = append(e.history, text)
	}
	*e = lineEditor{history: e.history, at: len(e.history)}
	return text
}

// typeAll takes bytes until one does more than change the text, and returns
// what is left.
func (e *lineEditor) typeAll(keys []byte) (did typed, rest []byte) {
	for i, b := range keys {
		if did := e.key(b); did != typedText {
			return did, keys[i+1:]
		}
	}
	return typedText, nil
}

// rows draw the text behind a sign, with a mark for the cursor, in at most so
// many rows around it.
func (e *lineEditor) rows(sign, cursor string, width, ambiguous, most int) []string {
	indent := strings.Repeat(" ", render.Width(sign, ambiguous))
	rows, row, here := []string{}, sign, 0
	end := func() { rows, row = append(rows, row), indent }
	put := func(text string) {
		if render.Width(row+text, ambiguous) >= width && row != indent && row != sign {
			end()
		}
		row += text
	}
	for i, r := range e.text {
		if i == e.cursor {
			put(cursor)
			here = len(rows)
		}
		if r == '\n' {
			end()
			continue
		}
		put(render.Clean(string(r)))
	}
	if e.cursor == len(e.text) {
		put(cursor)
		here = len(rows)
	}
	end()
	from := max(0, min(here-most+1, len(rows)-most))
	return rows[from:min(len(rows), from+max(1, most))]
}
