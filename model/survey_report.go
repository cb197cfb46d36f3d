package model

import "strings"

// heading is a section of the findings, in the order of the report.
type heading int

// The headings. Each sub-agent fills some of them; the leader puts them
// together.
const (
	headTotals heading = iota
	headKinds
	headLargest
	headTodo
	headReadme
	headUnusual
	headLeftOut
	headCourse
	headings // how many there are
)

// title is the words of a heading.
func (l tongue) title(h heading) string {
	switch h {
	case headTotals:
		return l.say("Totals", "总计")
	case headKinds:
		return l.say("Files by kind", "按类型统计")
	case headLargest:
		return l.say("Largest files", "最大的文件")
	case headTodo:
		return l.say("TODO and FIXME", "TODO 与 FIXME")
	case headReadme:
		return "README"
	case headUnusual:
		return l.say("What looks unusual", "异常之处")
	case headLeftOut:
		return l.say("What this does not cover", "未覆盖的内容")
	case headCourse:
		return l.say("How it was found", "调查过程")
	case headings:
	}
	return ""
}

// findings are the lines under each heading; each is a list item.
type findings struct {
	lang  tongue
	lines [headings][]string
}

// add puts an item under a heading.
func (f *findings) add(h heading, en, zh string, args ...any) {
	f.lines[h] = append(f.lines[h], "- "+f.lang.say(en, zh, args...))
}

// sub puts an item below the last one, level from 1.
func (f *findings) sub(h heading, level int, text string) {
	f.lines[h] = append(f.lines[h], strings.Repeat("  ", level)+"- "+text)
}

// text writes the findings as Markdown, the headings that have lines.
func (f *findings) text() string {
	var parts []string
	for h := range headings {
		if len(f.lines[h]) > 0 {
			parts = append(parts, "## "+f.lang.title(h)+"\n\n"+strings.Join(f.lines[h], "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

// merge takes up the findings in a report; ok is false if it has none. Words
// before the first heading are not among them.
func (f *findings) merge(report string) (ok bool) {
	at := headings
	for line := range strings.Lines(report) {
		line = strings.TrimRight(line, "\r\n")
		if title, is := strings.CutPrefix(line, "## "); is {
			at = f.headingOf(title)
			continue
		}
		if at < headings && strings.TrimSpace(line) != "" {
			ok = true
			f.lines[at] = append(f.lines[at], line)
		}
	}
	return ok
}

// headingOf finds a heading by its words; headings if there is none.
func (f *findings) headingOf(title string) heading {
	for h := range headings {
		if f.lang.title(h) == title {
			return h
		}
	}
	return headings
}

// report is the findings of a sub-agent under the label.
func (f *findings) report() string { return f.lang.label() + "\n\n" + f.text() }
