package main

import (
	"strings"

	"github.com/troupe-go/troupe/render"
)

// changed shows the lines of a changed text, each cut to the width around
// what is changed in it.
func (p diffPrinter) changed(diff string) string {
	const margin = "    "
	lines := safeLines(diff)
	partners := partnersOf(lines)
	var b strings.Builder
	for i, line := range lines {
		other := ""
		if j := partners[i]; j >= 0 {
			other = lines[j].text
		}
		text := line.mark + " " + aroundChange(line.text, other, p.width-len(margin)-2)
		switch line.mark {
		case "-":
			text = p.paint(render.StyleError, text)
		case "+":
			text = p.paint(render.StyleOK, text)
		}
		b.WriteString(strings.TrimRight(margin+text, " ") + "\n")
	}
	return b.String()
}

// markedLine is a line of a changed text with its "-", "+" or space.
type markedLine struct{ mark, text string }

// safeLines takes the lines apart. A character that a terminal takes for a
// line break breaks the line here, with the same mark before both parts.
func safeLines(diff string) []markedLine {
	var list []markedLine
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		for part := range strings.SplitSeq(render.Clean(line[1:]), "\n") {
			list = append(list, markedLine{line[:1], strings.ReplaceAll(part, "\t", "    ")})
		}
	}
	return list
}

// partnersOf finds for each "-" line the "+" line that took its place, and the
// other way round; -1 for lines without one.
func partnersOf(lines []markedLine) []int {
	partners := make([]int, len(lines))
	var old []int
	used := 0
	for i, line := range lines {
		partners[i] = -1
		switch {
		case line.mark == "-" && used == 0:
			old = append(old, i)
		case line.mark == "-":
			old, used = []int{i}, 0
		case line.mark == "+" && used < len(old):
			partners[i], partners[old[used]] = old[used], i
			used++
		case line.mark != "+":
			old, used = nil, 0
		}
	}
	return partners
}

// before is how many characters stand before a change in a line that is too
// long.
const before = 24

// aroundChange cuts a line to the width. Where it begins like the other one for
// more than fits, the beginning is left out.
func aroundChange(line, other string, width int) string {
	width = max(width, 2*before)
	if render.Width(line, 1) <= width {
		return line
	}
	runes, same := []rune(line), 0
	for i, r := range []rune(other) {
		if i >= len(runes) || runes[i] != r {
			break
		}
		same++
	}
	if other != "" && render.Width(string(runes[:same]), 1) > width-before {
		line = "…" + string(runes[max(0, same-before):])
	}
	return render.Cut(line, width, 1)
}
