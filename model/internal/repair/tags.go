package repair

import "strings"

// tagPairs are the tags between which models write their reasoning.
var tagPairs = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<seed:think>", "</seed:think>"},
	{"◁think▷", "◁/think▷"},
}

const blank = " \t\r\n"

// Splitter parts reasoning in tags from the text of a reply, piece by piece.
// It holds back no more than could be the beginning of a tag and the white
// space around tags, which it drops. It looks for reasoning only at the
// beginning of a reply.
type Splitter struct {
	place  place
	unsaid bool   // the reply begins inside reasoning, without an opening tag
	pair   int    // the tags that it is inside of; -1 if the opening one did not come
	closed bool   // a closing tag came
	held   string // may be the beginning of a tag
	space  string // white space inside reasoning, until more of it comes
	fresh  bool   // no reasoning came since the opening tag
}

// place is where in a reply a splitter is.
type place int

const (
	before place = iota // an opening tag may come
	inside              // in reasoning
	after               // in text, up to the end
)

// NewSplitter returns a splitter; open says that replies begin inside
// reasoning, without an opening tag.
func NewSplitter(open bool) *Splitter { return &Splitter{unsaid: open} }

// Add takes in a piece and returns what of the reply so far is known to be
// text and what to be reasoning, and was not returned yet.
func (s *Splitter) Add(piece string) (text, reasoning string) {
	rest := s.held + piece
	s.held = ""
	for s.place != after {
		if s.place == before {
			var wait bool
			if rest, wait = s.begin(rest); wait {
				return "", reasoning
			}
			continue
		}
		at, length := s.closing(rest)
		if at < 0 {
			keep := s.holdBack(rest)
			s.held = rest[len(rest)-keep:]
			return "", reasoning + s.trim(rest[:len(rest)-keep])
		}
		reasoning += s.trim(rest[:at])
		rest = rest[at+length:]
		s.place, s.closed, s.space = before, true, ""
	}
	return rest, reasoning
}

// begin looks for an opening tag at the beginning of rest and returns what
// comes after it; wait says that more must be seen first.
func (s *Splitter) begin(rest string) (left string, wait bool) {
	trimmed := strings.TrimLeft(rest, blank)
	pair, partly := opening(trimmed)
	switch {
	case pair >= 0:
		s.place, s.pair, s.fresh, s.unsaid = inside, pair, true, false
		return trimmed[len(tagPairs[pair].open):], false
	case partly:
		s.held = rest
		return "", true
	case s.unsaid:
		s.place, s.pair, s.fresh, s.unsaid = inside, -1, true, false
		return rest, false
	}
	s.place = after
	if s.closed {
		return trimmed, false
	}
	return rest, false
}

// Flush returns what is held back, at the end of a reply.
func (s *Splitter) Flush() (text, reasoning string) {
	held := s.held
	s.held = ""
	switch {
	case s.place == inside:
		return "", s.trim(held)
	case s.closed:
		return strings.TrimLeft(held, blank), ""
	}
	return held, ""
}

// opening returns the pair whose opening tag text begins with, -1 if there is
// none; partly says that more must be seen first.
func opening(text string) (pair int, partly bool) {
	for i, p := range tagPairs {
		if strings.HasPrefix(text, p.open) {
			return i, false
		}
		partly = partly || strings.HasPrefix(p.open, text)
	}
	return -1, partly
}

// closers are the closing tags that can come now.
func (s *Splitter) closers() []string {
	if s.pair >= 0 {
		return []string{tagPairs[s.pair].close}
	}
	all := make([]string, len(tagPairs))
	for i, p := range tagPairs {
		all[i] = p.close
	}
	return all
}

// closing finds the first closing tag; at is -1 if there is none.
func (s *Splitter) closing(text string) (at, length int) {
	at = -1
	for _, c := range s.closers() {
		if i := strings.Index(text, c); i >= 0 && (at < 0 || i < at) {
			at, length = i, len(c)
		}
	}
	return at, length
}

// holdBack is how many bytes at the end of text may begin a closing tag.
func (s *Splitter) holdBack(text string) int {
	most := 0
	for _, c := range s.closers() {
		for n := min(len(c)-1, len(text)); n > most; n-- {
			if strings.HasSuffix(text, c[:n]) {
				most = n
			}
		}
	}
	return most
}

// trim returns a piece of reasoning without the white space at the two ends of
// the whole.
func (s *Splitter) trim(piece string) string {
	if s.fresh {
		piece = strings.TrimLeft(piece, blank)
	}
	body := strings.TrimRight(piece, blank)
	if body == "" {
		s.space += piece
		return ""
	}
	out := s.space + body
	s.space, s.fresh = piece[len(body):], false
	return out
}
