package model

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Bounds of an outline.
const (
	shownHeadings  = 40
	shownHeadingIs = 100 // characters of one
)

// section is a heading of a text.
type section struct {
	level int // from 1
	title string
}

// outlineOf finds the headings of a text by the ending of its name: those of
// reStructuredText, AsciiDoc and Org, else those of Markdown.
func outlineOf(name, body string) []section {
	lines := strings.Split(strings.ReplaceAll(body, "\r\n", "\n"), "\n")
	switch endingOf(name) {
	case ".rst":
		return underlined(lines, `=-~^"'*+#.:_`+"`")
	case ".adoc", ".asciidoc":
		return marked(lines, '=')
	case ".org":
		return marked(lines, '*')
	}
	return markdown(lines)
}

// marked finds headings that begin with marks, one for each level.
func marked(lines []string, mark byte) []section {
	var list []section
	for _, line := range lines {
		level := 0
		for level < len(line) && line[level] == mark {
			level++
		}
		if title, ok := strings.CutPrefix(line[level:], " "); ok && level > 0 && strings.TrimSpace(title) != "" {
			list = append(list, section{level, plainTitle(title)})
		}
	}
	return list
}

// underlined finds headings with a line of one mark below; the first mark is
// that of level 1, and so on.
func underlined(lines []string, marks string) []section {
	var list []section
	var order []byte
	for i := 1; i < len(lines); i++ {
		title, under := strings.TrimSpace(lines[i-1]), strings.TrimRight(lines[i], " \t")
		if !isUnderline(under, marks) || title == "" || isUnderline(title, marks) || len(under) < utf8.RuneCountInString(title) {
			continue
		}
		level := strings.IndexByte(string(order), under[0]) + 1
		if level == 0 {
			order = append(order, under[0])
			level = len(order)
		}
		list = append(list, section{level, plainTitle(title)})
	}
	return list
}

// isUnderline reports whether a line is one of the marks, three times or more.
func isUnderline(line, marks string) bool {
	return len(line) >= 3 && strings.IndexByte(marks, line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

var (
	hashTitle = pattern(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	htmlTitle = pattern(`(?i)^[ \t]*<h([1-6])\b[^>]*>(.*?)</h[1-6]>`)
	fence     = pattern("^ {0,3}(`{3,}|~{3,})")
	notTitle  = pattern(`^([-*+>|#]|\d+[.)]|    |\t)`)
)

// markdown finds the headings outside of code blocks and front matter.
func markdown(lines []string) []section {
	var list []section
	if len(lines) > 0 && strings.TrimRight(lines[0], " ") == "---" {
		lines = afterFrontMatter(lines)
	}
	fenced := "" // the mark that ends the code block
	for i, line := range lines {
		if m := fence().FindStringSubmatch(line); m != nil {
			switch {
			case fenced == "":
				fenced = m[1]
			case strings.HasPrefix(m[1], fenced):
				fenced = ""
			}
			continue
		}
		if fenced != "" {
			continue
		}
		if s, ok := markdownTitle(lines, i); ok && s.title != "" {
			list = append(list, s)
		}
	}
	return list
}

// markdownTitle reads the heading that begins, or is underlined, in a line.
func markdownTitle(lines []string, i int) (section, bool) {
	if m := hashTitle().FindStringSubmatch(lines[i]); m != nil {
		return section{len(m[1]), plainTitle(m[2])}, true
	}
	if m := htmlTitle().FindStringSubmatch(lines[i]); m != nil {
		return section{atoi(m[1]), plainTitle(m[2])}, true
	}
	under := strings.TrimRight(lines[i], " \t")
	if i == 0 || !isUnderline(under, "=-") {
		return section{}, false
	}
	title := lines[i-1]
	if strings.TrimSpace(title) == "" || notTitle().MatchString(title) || isUnderline(strings.TrimSpace(title), "=-") {
		return section{}, false
	}
	level := 1
	if under[0] == '-' {
		level = 2
	}
	return section{level, plainTitle(title)}, true
}

// afterFrontMatter drops settings at the beginning; they end with the line
// that they began with.
func afterFrontMatter(lines []string) []string {
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " ") == "---" {
			return lines[i+2:]
		}
	}
	return lines
}

var (
	imageMark = pattern(`!\[[^\]]*\]\([^)]*\)`)
	linkMark  = pattern(`\[([^\]]*)\]\([^)]*\)`)
	htmlMark  = pattern(`<[^>]*>`)
)

// plainTitle is a heading without pictures, links and markup.
func plainTitle(title string) string {
	title = imageMark().ReplaceAllString(title, "")
	title = linkMark().ReplaceAllString(title, "$1")
	title = htmlMark().ReplaceAllString(title, "")
	return clip(strings.Trim(strings.TrimSpace(title), "*_` "), shownHeadingIs)
}

// readmeLines tells what the READMEs have in them.
func (r reading) readmeLines(f *findings) {
	switch {
	case !r.known && r.unknown != "":
		f.add(headReadme, "the README was not found: %s", "没有找到 README：%s", r.unknown)
		return
	case !r.known:
		f.add(headReadme, "which files are READMEs is not known", "不知道哪些文件是 README")
		return
	case r.count == 0:
		f.add(headReadme, "there is no README", "没有 README")
		return
	}
	shown := r.readmes[:min(len(r.readmes), readReadmes)]
	for _, one := range shown {
		one.outline(f)
	}
	if n := r.count - len(shown); n > 0 {
		f.add(headReadme, "… and %d more, not read", "…… 另有 %d 个，没有阅读", n)
	}
}

// outline tells one README's headings.
func (m readme) outline(f *findings) {
	l := f.lang
	file, ok := parseFile(m.text)
	switch {
	case !m.read:
		f.add(headReadme, "`%s` was not read", "`%s` 没有阅读", m.shown)
		return
	case m.isErr || !ok:
		f.add(headReadme, "`%s` could not be read: %s", "`%s` 无法阅读：%s", m.shown, clip(m.text, 200))
		return
	case file.lines == 0:
		f.add(headReadme, "`%s`: %s, %s", "`%s`：%s，%s", m.shown, l.size(int64(file.size)), file.kind)
		return
	}
	f.add(headReadme, "`%s`: %s, %s", "`%s`：%s，%s", m.shown, l.size(int64(file.size)), l.count(file.lines, "line", "行"))
	if file.last < file.lines {
		f.add(headReadme, "only the first %d lines of it were read", "只读了前 %d 行", file.last)
	}
	list := outlineOf(path.Base(realPath(m.shown)), file.body)
	for _, s := range list[:min(len(list), shownHeadings)] {
		f.sub(headReadme, s.level, s.title)
	}
	switch {
	case len(list) == 0:
		f.sub(headReadme, 1, l.say("no headings; it begins: %s", "没有标题；开头是：%s", clip(strings.TrimSpace(file.body), shownHeadingIs)))
	case len(list) > shownHeadings:
		f.sub(headReadme, 1, l.say("… and %d more headings", "…… 另有 %d 个标题", len(list)-shownHeadings))
	}
}
