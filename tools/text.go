package tools

import (
	"embed"
	"fmt"
	"strings"
)

// texts hold the description of each tool that comes with Troupe: NAME.md with
// a section "## en" and a section "## zh", each a description and then one
// line "- `argument`: text" for every argument.
//
//go:embed *.md
var texts embed.FS

// text is what a model is told of a tool in one language.
type text struct {
	description string
	arguments   []argumentText
}

type argumentText struct{ name, text string }

// textOf reads the text of a tool. It panics when there is none: the texts
// are part of the program.
func textOf(tool string, l lang) text {
	data, err := texts.ReadFile(tool + ".md")
	if err != nil {
		panic(fmt.Sprintf("tools: %s has no description: %v", tool, err))
	}
	heading := l.say("## en\n", "## zh\n")
	_, section, ok := strings.Cut(string(data), heading)
	if !ok {
		panic(fmt.Sprintf("tools: %s.md has no section %q", tool, heading))
	}
	section, _, _ = strings.Cut(section, "\n## ")

	var t text
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(section)) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "- `"); ok {
			name, about, _ := strings.Cut(rest, "`: ")
			t.arguments = append(t.arguments, argumentText{name, about})
			continue
		}
		lines = append(lines, line)
	}
	t.description = strings.TrimSpace(strings.Join(lines, "\n"))
	return t
}

// builtin makes a tool whose name has a text.
func builtin[In any](name string, l lang, fn callFunc[In], opts ...Option) Tool {
	t := textOf(name, l)
	all := []Option{Lang(string(l))}
	for _, argument := range t.arguments {
		all = append(all, Describe(argument.name, argument.text))
	}
	return FuncCall(name, t.description, fn, append(all, opts...)...)
}
