package config

import (
	"strings"
	"unicode/utf8"
)

// splitFront splits a Markdown file into the lines of its front matter, nil
// without any, and its body, which begins at a line.
func splitFront(src *source) (front []string, body string, line int) {
	lines := strings.Split(src.text, "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, src.text, 1
	}
	for i, l := range lines[1:] {
		if strings.TrimRight(l, " \t") == "---" {
			return lines[1 : i+1], strings.Join(lines[i+2:], "\n"), i + 3
		}
	}
	src.add(Problem{Message: "the front matter is never closed", Hint: "add a line --- after it"}, position{1, 1}, false)
	return []string{}, "", len(lines)
}

// frontMatter returns the keys of front matter. Text that is no YAML is read
// line by line, with a warning, for other programs are that patient.
func frontMatter(src *source, lines []string) *node {
	quiet := &report{}
	yaml := &source{name: src.name, lines: src.lines, rep: quiet, text: "\n" + strings.Join(lines, "\n") + "\n"}
	root, _ := yaml.parse()
	yaml.rep = src.rep
	if !quiet.failed() && root != nil && root.kind == mappingNode {
		return root
	}
	if quiet.failed() {
		p := quiet.problems[0]
		src.warn(Problem{Message: "the front matter is not valid YAML and is read line by line: " + p.Message, Hint: p.Hint}, position{p.Line, p.Column})
	}
	return looseFront(src, lines)
}

// looseLine is a key at the beginning of a line, and text.
var looseLine = pattern(`^([A-Za-z][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)

// looseFront reads front matter line by line: a key, and all text up to the
// next one.
func looseFront(src *source, lines []string) *node {
	out := &node{kind: mappingNode, src: src, pos: position{2, 1}, size: 1}
	for i, line := range lines {
		m := looseLine().FindStringSubmatch(line)
		if m == nil {
			if n := len(out.entries); n > 0 {
				out.entries[n-1].node.follow(line, i+2)
			}
			continue
		}
		at := position{i + 2, 1}
		pos := position{i + 2, utf8.RuneCountInString(line) - utf8.RuneCountInString(m[2]) + 1}
		n := &node{kind: textNode, src: src, pos: pos, raw: strings.TrimSpace(m[2]), size: 1}
		if n.raw == "" {
			n.kind = nullNode
		}
		out.entries = append(out.entries, entry{key: m[1], at: at, node: n, use: pos})
	}
	for _, e := range out.entries {
		e.node.unquote()
	}
	return out
}

// follow adds a line to a loosely read value: a list item or more text.
func (n *node) follow(line string, number int) {
	text := strings.TrimSpace(line)
	item, isItem := strings.CutPrefix(text, "- ")
	switch {
	case text == "":
	case isItem && (n.kind == nullNode || n.kind == listNode):
		n.kind = listNode
		n.items = append(n.items, &node{kind: textNode, src: n.src, pos: position{number, indentOf(line) + 3}, raw: strings.TrimSpace(item), size: 1})
	case n.kind == listNode:
	case n.kind == nullNode:
		n.kind, n.raw = textNode, text
	default:
		n.raw += "\n" + text
	}
}

// unquote removes the quotes around a loosely read text.
func (n *node) unquote() {
	for _, q := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(n.raw, q); ok {
			if inner, ok = strings.CutSuffix(inner, q); ok {
				n.raw, n.quoted = inner, true
				return
			}
		}
	}
}
