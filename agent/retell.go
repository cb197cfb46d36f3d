package agent

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/model"
)

// retell writes messages as text for somebody who is to sum them up, in about
// the given number of tokens: the longest parts are cut in their middle. Every
// line of a message is marked, so that none passes for another message.
func retell(messages []model.Message, tokens int) string {
	var parts []part
	for _, m := range messages {
		parts = append(parts, partsOf(m)...)
	}
	const bytesPerToken = 3 // as few as any script takes
	most := longest(parts, tokens*bytesPerToken)
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "[%s]\n", p.label)
		for line := range lines(clip(p.text, most)) {
			b.WriteString("> " + line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// part is a labelled text of a message.
type part struct{ label, text string }

// partsOf labels what a message holds. The labels are words of the chat
// protocol and the mailbox protocol, the same in every language.
func partsOf(m model.Message) []part {
	switch m.Role {
	case model.ToolRole:
		label := "tool " + m.ToolName
		if m.IsError {
			label += " error"
		}
		return []part{{label, m.Content}}
	case model.Assistant:
		var parts []part
		if m.Content != "" {
			parts = append(parts, part{"assistant", m.Content})
		}
		for _, c := range m.Calls {
			parts = append(parts, part{"assistant calls " + c.Name, c.Arguments})
		}
		return parts
	case model.User, model.System:
	}
	label := strings.Join(strings.Fields(strings.Join([]string{m.Origin.From, m.Origin.Kind.Label(), m.Origin.ID}, " ")), " ")
	return []part{{cmp.Or(label, string(m.Role)), cmp.Or(m.Origin.Content, m.Content)}}
}

// longest is the length, in bytes, to which texts must be cut so that all of
// them take no more than total.
func longest(parts []part, total int) int {
	var lengths []int
	for _, p := range parts {
		lengths = append(lengths, len(p.text))
	}
	slices.Sort(lengths)
	left := total
	for i, n := range lengths {
		if share := left / (len(lengths) - i); n > share {
			return share
		}
		left -= n
	}
	return total
}

// lines yields the lines of a text, by any of the characters that end one,
// without the empty ones.
func lines(text string) iter.Seq[string] {
	return strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) })
}

// clip cuts the middle out of a text that has more than most bytes.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := max(0, most)*2/3, len(text)-max(0, most)/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s […%d…] %s", text[:head], tail-head, text[tail:])
}

// Bounds of an extract, in bytes: all of it, a line of it, and the line of an
// older summary.
const (
	maxExtract  = 8 << 10
	extractLine = 200
	extractOld  = 2 << 10
)

// extract stands for a summary when no model wrote one: the beginning of each
// message on a line, the newest ones if not all have room.
func extract(c cut) string {
	var list []string
	size := 0
	for i, m := range slices.Backward(c.dropped) {
		most := extractLine
		if i == 0 && c.again {
			most = extractOld
		}
		for _, p := range slices.Backward(partsOf(m)) {
			line := "- " + p.label + ": " + start(p.text, most)
			if size += len(line) + 1; size > maxExtract {
				list = append(list, "- […]")
				slices.Reverse(list)
				return strings.Join(list, "\n")
			}
			list = append(list, line)
		}
	}
	slices.Reverse(list)
	return strings.Join(list, "\n")
}

// start is the beginning of a text on one line, of at most that many bytes.
func start(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
