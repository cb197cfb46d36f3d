package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// texts hold the description of each tool that comes with Troupe: NAME.md with
// a section "## en" and a section "## zh", each a description and then one
// line "- `argument`: text" for every argument.
//
//go:embed *.md
var texts embed.FS

// What a model is told of these tools, a line each: the name, the description,
// quoted, and the schema that inference makes of the type of the arguments and of
// their texts. Made in advance it costs a program little at its start.
var (
	//go:embed told.en.txt
	toldEn string
	//go:embed told.zh.txt
	toldZh string
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

// told is what a model is told of a tool, as it was made in advance; ok is false
// when it was not.
func told(tool string, l lang) (description string, schema json.RawMessage, ok bool) {
	_, rest, ok := strings.Cut(l.say(toldEn, toldZh), "\n"+tool+" ")
	if !ok {
		return "", nil, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	quoted, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", nil, false
	}
	description, err = strconv.Unquote(quoted)
	return description, json.RawMessage(strings.TrimSpace(line[len(quoted):])), err == nil
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
	all := append([]Option{Lang(string(l)), argumentsOf(name, l)}, opts...)
	description, schema, ok := told(name, l)
	if !ok {
		description = textOf(name, l).description
	}
	o := newOutline[In](name, description, all)
	if o.spec.Schema = schema; !ok {
		o.spec.Schema = o.params().schema()
	}
	outlines.Store(key, o)
	return &function[In, string]{outline: o, fn: fn}
}

// argumentsOf describes the arguments of a tool by its text, which is read when
// they are needed.
func argumentsOf(tool string, l lang) Option {
	return optionFunc(func(s *settings) { s.texts = func() []argumentText { return textOf(tool, l).arguments } })
}
