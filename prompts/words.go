package prompts

import (
	"strconv"
	"strings"
)

// Words are the runtime's own words to agents, in one language. Every method
// returns a text for a model to read; none names a tool that it was not
// given. The zero value speaks English.
//
// The methods of one occasion share a file: turn (what happens in an agent's
// turn), reports (to the leader, in place of a completion), outcomes (of
// questions), results (of the leader's and sub-agents' communication tools),
// lists (of roles and agents), permissions and refusals.
type Words struct{ zh bool }

// In returns the words in Chinese for "zh" and in English for all else.
func In(lang string) Words { return Words{zh: lang == "zh"} }

// pick returns the text in the language of w.
func (w Words) pick(zh, en string) string {
	if w.zh {
		return zh
	}
	return en
}

// list joins names or ids.
func (w Words) list(items []string) string {
	if len(items) == 0 {
		return w.pick("无", "none")
	}
	return strings.Join(items, w.pick("、", ", "))
}

// aside puts a remark in brackets; nothing for an empty one.
func (w Words) aside(s string) string {
	if s = clause(s); s == "" {
		return ""
	}
	return w.pick("（"+s+"）", " ("+s+")")
}

// clause is a text without the full stop at its end.
func clause(s string) string { return strings.TrimRight(strings.TrimSpace(s), ".。") }

// block puts a longer text under a label; nothing for an empty one.
func (w Words) block(zh, en, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return w.pick("\n"+zh+"：\n"+text, "\n"+en+":\n"+text)
}

// number writes a count or an amount without needless digits.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
