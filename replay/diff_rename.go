package replay

import (
	"maps"
	"slices"
	"strings"
)

// renamer knows which ids and names of run B are which of run A. A nil renamer
// knows that all are the same.
//
// The number in an id counts over the whole run, so it depends on which of two
// agents was faster. What corresponds is the nth message of a kind from one
// agent to another.
type renamer struct {
	exact translator // from run B to run A
	// alike makes texts of both runs comparable. A text may name an id of its
	// run, or have the same letters for another reason, as the examples in a
	// prompt have; so ids that were exchanged for each other are not told apart.
	alike translator
}

// minDir is the length from which on the path of a folder is found in texts;
// shorter ones, such as ".", stand in any text.
const minDir = 4

func newRenamer(c *comparison) *renamer {
	ids, names := map[string]string{}, map[string]string{}
	for _, p := range c.pairs {
		if a, b := p.actors[0], p.actors[1]; a != nil && b != nil {
			ids[b.id], names[b.name] = a.id, a.name
		}
	}
	mail := map[string]string{}
	for way, there := range c.runs[1].ids {
		here := c.runs[0].ids[mailWay{orSame(ids, way.from), orSame(ids, way.to), way.kind}]
		for i := range min(len(here), len(there)) {
			mail[there[i]] = here[i]
		}
	}
	maps.Copy(ids, mail)
	if a, b := c.runs[0].dir, c.runs[1].dir; min(len(a), len(b)) >= minDir {
		names[b] = a
	}
	r := &renamer{
		exact: translator{ids, replacer(names)},
		alike: translator{classes(ids), replacer(classes(names))},
	}
	if r.exact.isNothing() {
		return nil
	}
	return r
}

func orSame(ids map[string]string, id string) string {
	if to, ok := ids[id]; ok {
		return to
	}
	return id
}

// classes maps each word to one that stands for all that were exchanged with
// it.
func classes(exchanged map[string]string) map[string]string {
	up := map[string]string{}
	root := func(word string) string {
		for up[word] != "" && up[word] != word {
			word = up[word]
		}
		return word
	}
	for b, a := range exchanged {
		up[root(b)] = root(a)
	}
	all := map[string]string{}
	for b, a := range exchanged {
		all[b], all[a] = root(b), root(a)
	}
	return all
}

// id is an id of run B in run A.
func (r *renamer) id(id string) string {
	if r == nil {
		return id
	}
	return orSame(r.exact.ids, id)
}

// text is a text of run B with the ids and names of run A.
func (r *renamer) text(text string) string {
	if r == nil {
		return text
	}
	return r.exact.text(text)
}

// comparable is a text of either run in a form in which it can be compared.
func (r *renamer) comparable(text string) string {
	if r == nil {
		return text
	}
	return r.alike.text(text)
}

// translator replaces words in texts.
type translator struct {
	ids   map[string]string // whole words
	names *strings.Replacer // of what has spaces or other signs in it; nil when all stay
}

func (t translator) isNothing() bool {
	for from, to := range t.ids {
		if from != to {
			return false
		}
	}
	return t.names == nil
}

// replacer replaces names; nil when all stay. A name is not found in a longer
// one.
func replacer(names map[string]string) *strings.Replacer {
	var pairs [][2]string
	changed := false
	for from, to := range names {
		pairs = append(pairs, [2]string{from, to})
		changed = changed || from != to
	}
	if !changed {
		return nil
	}
	slices.SortFunc(pairs, func(x, y [2]string) int { return len(y[0]) - len(x[0]) })
	var list []string
	for _, p := range pairs {
		list = append(list, p[0], p[1])
	}
	return strings.NewReplacer(list...)
}

func (t translator) text(text string) string {
	text = t.words(text)
	if t.names != nil {
		text = t.names.Replace(text)
	}
	return text
}

// words replaces the ids in a text. An id is a row of letters, digits and
// underscores.
func (t translator) words(text string) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		if to, ok := t.ids[text[start:i]]; ok && to != text[start:i] {
			b.WriteString(text[done:start])
			b.WriteString(to)
			done = i
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
