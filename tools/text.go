package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// texts hold the description of each tool that comes with Troupe: NAME.md with
// a section "## en" and a section "## zh", each a description and then one
// line "- `argument`: text" for every argument.
//
//go:embed *.md
var texts embed.FS

// The schemas of these tools, a line each, as inference makes them of the types
// of their arguments and of their texts. Made in advance they cost a program
// nothing at its start.
var (
	//go:embed schemas.en.txt
	schemasEn string
	//go:embed schemas.zh.txt
	schemasZh string
)

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

// schemaOf is the schema of a tool made in advance, nil when there is none.
func schemaOf(tool string, l lang) json.RawMessage {
	for line := range strings.Lines(l.say(schemasEn, schemasZh)) {
		if name, schema, _ := strings.Cut(line, " "); name == tool {
			return json.RawMessage(strings.TrimSpace(schema))
		}
	}
	return nil
}

// outlineOf identifies an outline of [builtin]: one tool name may belong to
// the leader and to sub-agents, with arguments of their own.
type outlineOf struct {
	name    string
	chinese bool
	in      reflect.Type
}

// outlines keeps the outline of each tool that comes with Troupe from its
// first use on. They are the same for every agent and never change, and making
// one costs more than many a call.
var outlines sync.Map // of outlineOf to outline

// builtin makes a tool whose name has a text. The options must be the same
// for all tools of the name and the type of arguments.
func builtin[In any](name string, l lang, fn callFunc[In], opts ...Option) Tool {
	key := outlineOf{name, l == "zh", reflect.TypeFor[In]()}
	if kept, ok := outlines.Load(key); ok {
		if o, ok := kept.(outline); ok {
			return &function[In, string]{outline: o, fn: fn}
		}
	}
	t := textOf(name, l)
	all := []Option{Lang(string(l))}
	for _, argument := range t.arguments {
		all = append(all, Describe(argument.name, argument.text))
	}
	o := newOutline[In](name, t.description, append(all, opts...))
	if o.spec.Schema = schemaOf(name, l); o.spec.Schema == nil {
		o.spec.Schema = o.params().schema()
	}
	outlines.Store(key, o)
	return &function[In, string]{outline: o, fn: fn}
}
