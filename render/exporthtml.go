package render

import (
	"bufio"
	_ "embed" // for the style sheet
	"html"
	"strings"
)

//go:embed export.css
var exportCSS string

// htmlPage writes a document as one page of HTML.
type htmlPage struct {
	w    *bufio.Writer
	lang string
}

func (p *htmlPage) put(text string) { _, _ = p.w.WriteString(text) }

// begin writes the head. The policy lets a browser load nothing and run
// nothing, whatever stands in the page.
func (p *htmlPage) begin(title, id string) {
	title = join(" ", title, id)
	p.put(`<!DOCTYPE html>
<html lang="` + p.lang + `">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
` + tag("title", title) + `
<style>
` + exportCSS + `</style>
</head>
<body>
<main>
` + tag("h1", title) + "\n")
}

func (p *htmlPage) section(title, text string) { p.put(tag("h2", title) + "\n" + block(text) + "\n") }

func (p *htmlPage) heading(title string) { p.put(tag("h2", title) + "\n") }

func (p *htmlPage) message(m bubble) {
	p.put(`<article>
<header><b>` + html.EscapeString(m.name) + `</b> <span class="kind">` + html.EscapeString(m.purpose) + `</span> ` +
		tag("small", m.script) + ` <time>` + html.EscapeString(m.at) + "</time></header>\n" + block(m.text) +
		"\n<footer>" + html.EscapeString(m.reference) + "</footer>\n</article>\n")
}

func (p *htmlPage) item(r remark) {
	p.put(`<p class="` + cssClass(r.style) + `">` + line(r) + "</p>\n")
}

func (p *htmlPage) fold(r remark, parts []piece) {
	p.put(`<details class="` + cssClass(r.style) + `"><summary>` + line(r) + "</summary>\n")
	for _, part := range parts {
		if part.title != "" {
			p.put(tag("h3", part.title) + "\n")
		}
		p.put(block(part.text) + "\n")
	}
	p.put("</details>\n")
}

// line is a remark as one line.
func line(r remark) string {
	return join(" ", tag("time", r.at), tag("b", r.agent), `<span class="kind">`+html.EscapeString(r.purpose)+`</span>`, tag("code", r.text))
}

// block is a text as it was written.
func block(text string) string {
	return "<pre>" + html.EscapeString(strings.TrimSuffix(Clean(text), "\n")) + "</pre>"
}

// cssClass is the name of a style in the style sheet.
func cssClass(s Style) string {
	switch s {
	case StyleWarn:
		return "note warn"
	case StyleError:
		return "note error"
	case StyleOK:
		return "note ok"
	case StylePlain, StyleTitle, StyleName, StyleKind, StyleDim:
	}
	return "note"
}

func (p *htmlPage) table(rows [][]string) {
	p.put("<table>\n")
	for i, row := range rows {
		cell := "td"
		if i == 0 && len(row) > 2 {
			cell = "th"
		}
		p.put("<tr>")
		for _, text := range row {
			p.put("<" + cell + ">" + html.EscapeString(CleanLine(text)) + "</" + cell + ">")
		}
		p.put("</tr>\n")
	}
	p.put("</table>\n")
}

func (p *htmlPage) end() { p.put("</main>\n</body>\n</html>\n") }
