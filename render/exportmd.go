package render

import (
	"bufio"
	"html"
	"strings"
)

// markdownPage writes a document in Markdown, as GitHub reads it.
type markdownPage struct{ w *bufio.Writer }

func (p *markdownPage) put(text string) { _, _ = p.w.WriteString(text) }

func (p *markdownPage) begin(title, id string) {
	p.put("# " + join(" ", title, code(id)) + "\n\n")
}

func (p *markdownPage) section(title, text string) { p.put("\n## " + title + "\n\n" + codeBlock(text)) }

// heading is no heading of Markdown: those are for the run, its parts and its
// messages.
func (p *markdownPage) heading(title string) { p.put("\n**" + title + "**\n\n") }

func (p *markdownPage) message(m bubble) {
	title := join(" ", m.at, code(m.name), m.purpose, m.script)
	p.put("\n### " + title + "\n\n" + code(m.reference) + "\n\n" + codeBlock(m.text) + "\n")
}

func (p *markdownPage) item(r remark) {
	p.put("- " + join(" ", r.at, code(r.agent), r.purpose, code(r.text)) + "\n")
}

// fold puts the pieces below a line that opens them. The line is HTML, so it
// is escaped as that.
func (p *markdownPage) fold(r remark, parts []piece) {
	line := join(" ", r.at, tag("code", r.agent), html.EscapeString(r.purpose), tag("code", r.text))
	p.put("\n<details><summary>" + line + "</summary>\n\n")
	for _, part := range parts {
		if part.title != "" {
			p.put(part.title + "\n\n")
		}
		p.put(codeBlock(part.text) + "\n")
	}
	p.put("</details>\n\n")
}

// tag is an element of HTML with an escaped text; empty for none.
func tag(name, text string) string {
	if text == "" {
		return ""
	}
	return "<" + name + ">" + html.EscapeString(text) + "</" + name + ">"
}

func (p *markdownPage) table(rows [][]string) {
	for i, row := range rows {
		p.put("|")
		for _, cell := range row {
			if cell = code(strings.ReplaceAll(CleanLine(cell), "|", "¦")); cell == "" {
				cell = " "
			}
			p.put(" " + cell + " |")
		}
		p.put("\n")
		if i == 0 {
			p.put(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	p.put("\n")
}

func (p *markdownPage) end() {}

// code is one line as Markdown code.
func code(text string) string {
	if text == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// codeBlock is a text as a Markdown code block, with a fence that the text
// cannot close.
func codeBlock(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "text\n" + strings.TrimSuffix(Clean(text), "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest row of backquotes.
func longestRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
