package studio

import (
	"bytes"
	"unicode/utf8"
)

// maxPiece bounds a delta, in bytes, where a text comes whole.
const maxPiece = 8 << 10

// speech is a text that comes in pieces and then whole, as a stream of messages.
// What comes whole is the truth; a piece that did not come is made up for then.
type speech struct {
	typ  string
	on   *stream // nil between two texts
	got  []byte  // of the text, in pieces without a gap
	sent int     // bytes of got that were sent, whole characters
}

// piece takes a piece that begins at an offset of the text. One behind a gap
// waits for the whole.
func (s *speech) piece(t *translator, offset int, text string) {
	have := len(s.got)
	if offset > have || offset+len(text) <= have {
		return
	}
	s.got = append(s.got, text[have-offset:]...)
	s.send(t, wholeRunes(s.got))
}

// send sends got up to a length.
func (s *speech) send(t *translator, length int) {
	if length <= s.sent {
		return
	}
	if s.on == nil {
		s.on = t.start(Message{Type: s.typ})
	}
	for _, part := range pieces(string(s.got[s.sent:length])) {
		t.delta(s.on, part)
	}
	s.sent = length
}

// whole takes the whole text and ends the stream. A text that does not go on as
// the pieces began is a stream of its own.
func (s *speech) whole(t *translator, text string) {
	if !bytes.HasPrefix([]byte(text), s.got) {
		s.stop(t)
	}
	s.got = append(s.got, text[len(s.got):]...)
	s.send(t, len(text))
	s.stop(t)
}

// stop ends the stream where it is.
func (s *speech) stop(t *translator) {
	t.end(s.on)
	s.on, s.got, s.sent = nil, nil, 0
}

// wholeRunes is the length of a text without the beginning of a character at its
// end.
func wholeRunes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-n:]) {
				return len(text) - n
			}
			break
		}
	}
	return len(text)
}

// pieces cuts a text between characters.
func pieces(text string) (parts []string) {
	for len(text) > maxPiece {
		n := maxPiece
		for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		parts, text = append(parts, text[:n]), text[n:]
	}
	return append(parts, text)
}
