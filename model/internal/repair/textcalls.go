package repair

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Call is a call that was found in a text.
type Call struct {
	Name, Arguments string
}

// callBlock is a form in which models write calls as text.
type callBlock struct {
	open, close string // an empty close means the end of the text
	tag         bool   // open and close belong to what is read
}

var callBlocks = []callBlock{
	{"<tool_call>", "</tool_call>", false},
	{"<tool_calls>", "</tool_calls>", false},
	{"<function_calls>", "</function_calls>", false},
	{"<invoke ", "</invoke>", true},
	{"<function=", "</function>", true},
	{"[TOOL_CALLS]", "", false},
	{"```json", "```", false},
	{"```tool_call", "```", false},
}

// dialects are prefixes of tag names that mean nothing.
var dialects = strings.NewReplacer("｜DSML｜", "", "|DSML|", "")

// firstWords are the beginnings of a text from which on it may hold calls.
var firstWords = []string{
	"<tool_call", "<function_calls>", "<invoke ", "<function=", "<｜DSML｜", "<|DSML|", "[TOOL_CALLS]", "```json", "```tool_call",
}

// TextCalls finds calls that a model wrote as text and returns them with the
// text that is left. schemaOf returns the schema of a tool on offer; calls of
// others stay text.
func TextCalls(text string, schemaOf func(name string) (schema []byte, ok bool)) (calls []Call, left string) {
	var rest strings.Builder
	todo := dialects.Replace(text)
	if whole := strings.TrimSpace(todo); strings.HasPrefix(whole, "{") {
		if calls = jsonCalls([]byte(whole), schemaOf); calls != nil {
			return calls, ""
		}
	}
	for todo != "" {
		at, block := nextBlock(todo)
		if at < 0 {
			break
		}
		inner, after, ok := block.cut(todo[at:])
		var found []Call
		if ok {
			found = readCalls(inner, schemaOf)
		}
		if found == nil {
			rest.WriteString(todo[:at+len(block.open)])
			todo = todo[at+len(block.open):]
			continue
		}
		calls = append(calls, found...)
		rest.WriteString(todo[:at])
		todo = after
	}
	if calls == nil {
		return nil, text
	}
	rest.WriteString(todo)
	return calls, strings.TrimSpace(rest.String())
}

// nextBlock finds where the next block begins; at is -1 if there is none.
func nextBlock(text string) (at int, block callBlock) {
	at = -1
	for _, b := range callBlocks {
		if i := strings.Index(text, b.open); i >= 0 && (at < 0 || i < at) {
			at, block = i, b
		}
	}
	return at, block
}

// cut parts the block that text begins with from what comes after it.
func (b callBlock) cut(text string) (inner, after string, ok bool) {
	if b.close == "" {
		return text[len(b.open):], "", true
	}
	end := strings.Index(text[len(b.open):], b.close)
	if end < 0 {
		return "", "", false
	}
	end += len(b.open)
	after = text[end+len(b.close):]
	if b.tag {
		return text[:end+len(b.close)], after, true
	}
	return text[len(b.open):end], after, true
}

// readCalls reads the calls of a block; nil unless all of it is calls of tools
// on offer.
func readCalls(inner string, schemaOf func(string) ([]byte, bool)) []Call {
	inner = strings.TrimSpace(inner)
	switch {
	case inner == "":
		return nil
	case inner[0] == '{', inner[0] == '[':
		return jsonCalls([]byte(inner), schemaOf)
	case strings.HasPrefix(inner, "<invoke "):
		return taggedCalls(inner, invokeTags, schemaOf)
	case strings.HasPrefix(inner, "<function="):
		return taggedCalls(inner, functionTags, schemaOf)
	}
	return nil
}

// jsonCalls reads calls written as JSON objects, in a list or one after the
// other.
func jsonCalls(text []byte, schemaOf func(string) ([]byte, bool)) []Call {
	var calls []Call
	ok := true
	add := func(v []byte) {
		if f := get(v, "function"); len(f) > 0 && f[0] == '{' {
			v = f
		}
		name, args := plain(get(v, "name")), get(v, "arguments")
		if args == nil {
			args = get(v, "parameters")
		}
		if inner, isText := unquoted(args); isText {
			args = inner
		}
		_, known := schemaOf(name)
		ok = ok && known && len(args) > 0 && args[0] == '{' && valid(args)
		calls = append(calls, Call{Name: name, Arguments: string(args)})
	}
	s := scanner{text: text}
	for ok && !s.end() {
		value, isJSON := s.value()
		switch {
		case !isJSON:
			return nil
		case value[0] == '[':
			list := scanner{text: value}
			list.items(func() bool {
				one, ok := list.value()
				add(one)
				return ok
			})
		default:
			add(value)
		}
	}
	if !ok {
		return nil
	}
	return calls
}

// unquoted is the content of a JSON string.
func unquoted(value []byte) ([]byte, bool) {
	t := text(value)
	if t == nil {
		return nil, false
	}
	whole, _ := Whole(t)
	return []byte(whole), true
}

// callTags are the tags of a call and its arguments. The name stands behind
// open, up to the end of the tag.
type callTags struct{ open, close, argOpen, argClose string }

var (
	invokeTags   = callTags{`<invoke name="`, "</invoke>", `<parameter name="`, "</parameter>"}
	functionTags = callTags{"<function=", "</function>", "<parameter=", "</parameter>"}
)

// taggedCalls reads calls written as tags, one after the other.
func taggedCalls(text string, tags callTags, schemaOf func(string) ([]byte, bool)) []Call {
	var calls []Call
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		body, ok := strings.CutPrefix(text, tags.open)
		if !ok {
			return nil
		}
		body, text, ok = strings.Cut(body, tags.close)
		if !ok {
			return nil
		}
		name, body := tagName(body)
		toolSchema, known := schemaOf(name)
		if !known {
			return nil
		}
		args := strings.TrimSpace(body)
		if !strings.HasPrefix(args, "{") {
			if args, ok = taggedArguments(args, tags, toolSchema); !ok {
				return nil
			}
		}
		if !valid([]byte(args)) {
			return nil
		}
		calls = append(calls, Call{Name: name, Arguments: args})
	}
	return calls
}

// tagName parts the name in a tag from what comes after the tag.
func tagName(text string) (name, after string) {
	tag, after, _ := strings.Cut(text, ">")
	name, _, _ = strings.Cut(tag, `"`)
	return strings.TrimSpace(name), after
}

// taggedArguments makes an object of arguments written as tags. A value is the
// text in its tag where the schema wants a text, else JSON if it is that.
func taggedArguments(body string, tags callTags, toolSchema []byte) (string, bool) {
	s := readSchema(toolSchema)
	out := []byte{'{'}
	for body = strings.TrimSpace(body); body != ""; body = strings.TrimSpace(body) {
		inner, ok := strings.CutPrefix(body, tags.argOpen)
		if !ok {
			return "", false
		}
		inner, body, ok = strings.Cut(inner, tags.argClose)
		if !ok {
			return "", false
		}
		name, value := tagName(inner)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(appendjson.String(out, name), ':')
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		if isText := slices.Contains(s.properties[name].types, "string"); !isText && valid([]byte(value)) {
			out = append(out, strings.TrimSpace(value)...)
		} else {
			out = appendjson.String(out, value)
		}
	}
	return string(append(out, '}')), true
}

// Holder holds text back from the place on where calls may begin. The zero
// value is ready.
type Holder struct {
	begun  bool // text that is no white space came
	caught bool // everything is held from here on
	held   []byte
}

// Add takes in a piece of text and returns what of it cannot be part of calls.
func (h *Holder) Add(piece string) string {
	h.held = append(h.held, piece...)
	if h.caught {
		return ""
	}
	if !h.begun {
		start := bytes.TrimLeft(h.held, blank)
		h.begun = len(start) > 0
		h.caught = h.begun && start[0] == '{'
		if !h.begun || h.caught {
			return ""
		}
	}
	at := len(h.held)
	for _, w := range firstWords {
		if i := bytes.Index(h.held, []byte(w)); i >= 0 {
			at, h.caught = min(at, i), true
		}
		for n := min(len(w)-1, len(h.held)); n > 0; n-- {
			if bytes.HasSuffix(h.held, []byte(w[:n])) {
				at = min(at, len(h.held)-n)
				break
			}
		}
	}
	out := string(h.held[:at])
	h.held = append(h.held[:0], h.held[at:]...)
	return out
}

// Flush returns what is held, at the end of a reply.
func (h *Holder) Flush() string {
	out := string(h.held)
	h.held = nil
	return out
}

// parallelPrefix stands before the names of tools in the tool that models
// invent to call several at once.
const parallelPrefix = "functions."

// ParallelName is the tool that models invent to call several at once.
const ParallelName = "multi_tool_use.parallel"

// Parallel returns the calls in the arguments of [ParallelName]; nil if these
// are not as expected.
func Parallel(args string) []Call {
	var wrapped struct {
		ToolUses []struct {
			Name       string          `json:"recipient_name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tool_uses"`
	}
	if json.Unmarshal([]byte(args), &wrapped) != nil {
		return nil
	}
	var calls []Call
	for _, use := range wrapped.ToolUses {
		args := string(use.Parameters)
		if use.Name == "" || len(args) == 0 || args[0] != '{' {
			return nil
		}
		calls = append(calls, Call{Name: strings.TrimPrefix(use.Name, parallelPrefix), Arguments: args})
	}
	return calls
}
