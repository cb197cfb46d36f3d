package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/internal/nearest"
)

// ArgumentError tells a model what is wrong with the arguments of a call.
type ArgumentError struct {
	// Tool is the name of the tool.
	Tool string
	// Argument is the name of the argument, empty when the arguments as a
	// whole are wrong.
	Argument string
	// Found says what the call had, Want what the tool takes, both in the
	// language of the tool.
	Found, Want string
	// Signature shows how the tool is called, for example
	// "read_file(path: string, offset?: integer)".
	Signature string

	lang lang
}

// Error names all of it in one line.
func (e *ArgumentError) Error() string {
	if e.Argument == "" {
		return e.lang.say("%s: wrong arguments: found %s; wanted %s; usage: %s",
			"%s：参数有误：收到 %s；需要 %s；用法：%s", e.Tool, e.Found, e.Want, e.Signature)
	}
	return e.lang.say("%s: wrong argument %q: found %s; wanted %s; usage: %s",
		"%s：参数 %q 有误：收到 %s；需要 %s；用法：%s", e.Tool, e.Argument, e.Found, e.Want, e.Signature)
}

// wrong makes the error for an argument.
func (p *parameters) wrong(argument, found, want string) error {
	return &ArgumentError{
		Tool: p.tool, Argument: argument, Found: found, Want: want, Signature: p.signature, lang: p.lang,
	}
}

// complete fills in what a function does not know of the tool that it is in,
// when it returns an [ArgumentError].
func (p *parameters) complete(err error) error {
	bad, ok := err.(*ArgumentError) //nolint:errorlint // one that is wrapped has words of its own around it
	if !ok || bad.Signature != "" {
		return err
	}
	return p.wrong(bad.Argument, bad.Found, bad.Want)
}

// decode checks the arguments that a model wrote and stores them in the
// struct that in points to.
func (p *parameters) decode(raw json.RawMessage, in any) error {
	members, err := p.members(raw)
	if err != nil {
		return err
	}
	if members, err = p.check(members); err != nil {
		return err
	}
	if json.Unmarshal(join(members), in) == nil {
		return nil
	}
	for _, m := range members {
		if json.Unmarshal(join([]member{m}), in) != nil {
			return p.wrong(m.name, found(p.lang, m.value),
				p.lang.say("a value that fits %s", "符合 %s 的取值", typeName(p.find(m.name).schema)))
		}
	}
	return p.wrong("", found(p.lang, raw), p.lang.say("values that fit", "符合要求的取值"))
}

// member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// members splits a JSON object. Nothing, and null, count as an object without
// members if no argument is required.
func (p *parameters) members(raw json.RawMessage) ([]member, error) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		if slices.ContainsFunc(p.list, func(param *parameter) bool { return param.required }) {
			return nil, p.wrong("", found(p.lang, trimmed), p.lang.say("a JSON object", "一个 JSON 对象"))
		}
		return nil, nil
	}
	if !utf8.Valid(raw) {
		return nil, p.wrong("", p.lang.say("bytes that are not UTF-8", "不是 UTF-8 的字节"),
			p.lang.say("a JSON object in UTF-8", "UTF-8 编码的 JSON 对象"))
	}
	if !json.Valid(raw) {
		err := json.Unmarshal(raw, new(json.RawMessage)) // says why
		return nil, p.wrong("", p.lang.say("text that is not JSON (%v): %s", "不是 JSON 的文本（%v）：%s", err, excerpt(string(trimmed))),
			p.lang.say("one JSON object", "一个 JSON 对象"))
	}
	if trimmed[0] != '{' {
		return nil, p.wrong("", found(p.lang, trimmed), p.lang.say("a JSON object", "一个 JSON 对象"))
	}
	members, err := split(trimmed)
	if name, twice := errors.AsType[twiceError](err); twice {
		return nil, p.wrong(excerpt(string(name)), p.lang.say("two values", "两个值"), p.lang.say("one value", "一个值"))
	}
	if err != nil {
		return nil, p.wrong("", found(p.lang, trimmed), p.lang.say("a JSON object", "一个 JSON 对象"))
	}
	return members, nil
}

// twiceError is the name of a member that an object has twice.
type twiceError string

func (e twiceError) Error() string { return fmt.Sprintf("tools: %q comes twice", string(e)) }

// split returns the members of a valid JSON object in their order.
func split(object []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []member
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			return nil, twiceError(name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
	}
	return members, nil
}

// join is the inverse of split.
func join(members []member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// check holds the members against the schema and returns those that count:
// optional arguments that are null, or empty where an enum has no empty value,
// are as good as absent.
func (p *parameters) check(members []member) ([]member, error) {
	var kept []member
	for _, m := range members {
		param := p.find(m.name)
		if param == nil {
			return nil, p.unknown(m)
		}
		if !param.required && (string(m.value) == "null" || len(param.schema.Enum) > 0 && string(m.value) == `""`) {
			continue
		}
		m.value = wholeNumber(param.schema.Type, m.value)
		if err := p.checkValue(param, m.value); err != nil {
			return nil, err
		}
		kept = append(kept, m)
	}
	for _, param := range p.list {
		if param.required && !slices.ContainsFunc(kept, func(m member) bool { return m.name == param.name }) {
			return nil, p.wrong(param.name, p.lang.say("nothing", "没有给出"), p.want(param))
		}
	}
	return kept, nil
}

// unknown is the error for an argument that the tool does not have.
func (p *parameters) unknown(m member) error {
	names := make([]string, len(p.list))
	for i, param := range p.list {
		names[i] = param.name
	}
	want := p.lang.say("no such argument", "没有这个参数")
	if near := nearest.Of(m.name, names); near != "" {
		want = p.lang.say("no such argument; did you mean %q?", "没有这个参数；是否想写 %q？", near)
	}
	return p.wrong(excerpt(m.name), found(p.lang, m.value), want)
}

// checkValue holds one value against its schema.
func (p *parameters) checkValue(param *parameter, raw json.RawMessage) error {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return p.wrong(param.name, found(p.lang, raw), p.want(param))
	}
	if text, ok := value.(string); ok && param.nonBlank && strings.TrimSpace(text) == "" {
		return p.wrong(param.name, found(p.lang, raw), p.lang.say("a string that is not blank", "不为空白的 string"))
	}
	resolved, err := param.resolve()
	if err == nil {
		err = resolved.Validate(value)
	}
	if err == nil {
		return nil
	}
	want := p.want(param)
	switch value.(type) {
	case []any, map[string]any:
		text := err.Error()
		if i := strings.LastIndex(text, "validating "); i >= 0 {
			text = text[i+len("validating "):]
		}
		want += p.lang.say(" (%s)", "（%s）", excerpt(text))
	}
	return p.wrong(param.name, found(p.lang, raw), want)
}

// want names what a parameter takes.
func (p *parameters) want(param *parameter) string {
	want := typeName(param.schema)
	if low := param.schema.Minimum; low != nil {
		want += p.lang.say(" from %v", "，最小 %v", *low)
	}
	if high := param.schema.Maximum; high != nil {
		want += p.lang.say(" up to %v", "，最大 %v", *high)
	}
	return want
}

// wholeNumber writes a number such as 10.0 without its point for an integer
// argument, because models do not care and Go does.
func wholeNumber(schemaType string, raw json.RawMessage) json.RawMessage {
	if schemaType != "integer" {
		return raw
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return raw
	}
	return strconv.AppendInt(nil, int64(f), 10)
}

// found names the kind of a JSON value and shows its beginning.
func found(l lang, raw json.RawMessage) string {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 {
		return l.say("nothing", "没有内容")
	}
	kind := "number"
	switch trimmed[0] {
	case '"':
		kind = "string"
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "boolean"
	case 'n':
		return "null"
	}
	return kind + " " + excerpt(string(trimmed))
}

// excerpt is at most the first 80 runes of a text.
func excerpt(text string) string {
	return cut(text, 80)
}

// cut is at most the first n runes of a text, with an ellipsis if some are
// missing.
func cut(text string, n int) string {
	count := 0
	for i := range text {
		if count == n {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
