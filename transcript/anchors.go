package transcript

import "slices"

// anchors finds many words in a text at once, whatever the case of ASCII
// letters, in time that does not depend on how many there are: the automaton
// of Aho and Corasick finds the ends of words, and then the whole word is
// compared, so that the automaton stays small. It is made once and only read.
type anchors struct {
	words []string
	class [256]uint8 // of each byte; 0 for those that are in no word
	width int        // number of classes
	next  []uint32   // by state and class; states are multiples of width
	found [][]int    // by state: the words of which the end stands there
}

// endOfWord is how many bytes of the end of a word the automaton knows.
const endOfWord = 4

// ending marks an entry of anchors.next whose state ends a word.
const ending = 1 << 31

// newAnchors takes words in lower case.
func newAnchors(words []string) *anchors {
	a := &anchors{words: words, width: 1}
	ends := make([]string, len(words))
	for i, w := range words {
		ends[i] = w[max(0, len(w)-endOfWord):]
		for _, c := range []byte(ends[i]) {
			if a.class[c] == 0 {
				a.class[c] = uint8(a.width) //nolint:gosec // there are at most 256
				a.width++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	most := 1 + len(words)*endOfWord // states, were all ends different in all bytes
	a.next, a.found = make([]uint32, most*a.width), make([][]int, 1, most)
	for i, end := range ends {
		s := 0
		for _, c := range []byte(end) {
			at := s*a.width + int(a.class[c])
			if a.next[at] == 0 {
				a.next[at] = uint32(len(a.found)) //nolint:gosec // one a byte of the words
				a.found = append(a.found, nil)
			}
			s = int(a.next[at])
		}
		a.found[s] = append(a.found[s], i)
	}
	a.next = a.next[:len(a.found)*a.width]
	a.link()
	return a
}

// link fills in where each state goes when a word does not go on: to the state
// of the longest end of what was read that begins a word. States are visited in
// the order of their distance from the first.
func (a *anchors) link() {
	fail := make([]int, len(a.found))
	queue := []int{0}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if inner := a.found[fail[s]]; s != 0 && len(inner) > 0 {
			a.found[s] = append(a.found[s], inner...)
			slices.Sort(a.found[s])
		}
		for c := range a.width {
			at := s*a.width + c
			back := 0
			if s != 0 {
				back = int(a.next[fail[s]*a.width+c])
			}
			if t := int(a.next[at]); t != 0 {
				fail[t] = back
				queue = append(queue, t)
			} else {
				a.next[at] = uint32(back)
			}
		}
	}
	for i, s := range a.next {
		a.next[i] = s * uint32(a.width) //nolint:gosec // at most the size of next
		if len(a.found[s]) > 0 {
			a.next[i] |= ending
		}
	}
}

// scan calls visit for each word that ends in s, in the order of their ends, with
// its number and the index behind it. Visit returns where to go on; words that
// begin before that are not found any more.
func (a *anchors) scan(s string, visit func(word, end int) int) {
	state, from := uint32(0), 0
	for i := 0; i < len(s); i++ {
		state = a.next[state+uint32(a.class[s[i]])]
		if state < ending {
			continue
		}
		state &^= ending
		for _, w := range a.found[int(state)/a.width] {
			if !endsIn(s[from:i+1], a.words[w]) {
				continue
			}
			if on := visit(w, i+1); on > i+1 {
				i, state, from = on-1, 0, on
				break
			}
		}
	}
}

// endsIn reports whether s ends in a word in lower case.
func endsIn(s, word string) bool {
	at := len(s) - len(word)
	if at < 0 {
		return false
	}
	for i := range len(word) {
		c := s[at+i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
