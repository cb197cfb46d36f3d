package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/internal/nearest"
)

// The JSON form of a script.
type (
	scriptJSON struct {
		Name     string                       `json:"name"`
		Defaults json.RawMessage              `json:"defaults"`
		Roles    map[string][]json.RawMessage `json:"roles"`
	}
	pacingJSON struct {
		Delay *string `json:"delay"`
		Chunk *int    `json:"chunk"`
		Pace  *string `json:"pace"`
	}
	entryJSON struct {
		When      json.RawMessage   `json:"when"`
		Text      string            `json:"text"`
		Reasoning string            `json:"reasoning"`
		Calls     []json.RawMessage `json:"calls"`
		Finish    event.Finish      `json:"finish"`
		Usage     json.RawMessage   `json:"usage"`
		Fault     json.RawMessage   `json:"fault"`
		pacingJSON
	}
	whenJSON struct {
		Number json.RawMessage `json:"number"`
		Last   string          `json:"last"`
		Any    string          `json:"any"`
		New    string          `json:"new"`
		Kind   event.Kind      `json:"kind"`
		From   string          `json:"from"`
		Tool   string          `json:"tool"`
	}
	callJSON struct {
		Tool      string          `json:"tool"`
		Args      json.RawMessage `json:"args"`
		Arguments *string         `json:"arguments"`
	}
	faultJSON struct {
		Times      *int   `json:"times"`
		Status     int    `json:"status"`
		RetryAfter string `json:"retry_after"`
		Message    string `json:"message"`
		StopAfter  *int   `json:"stop_after"`
		Empty      bool   `json:"empty"`
	}
)

// ParseScript reads and checks a script; name is for errors and for scripts
// without a name of their own. See [LoadScript].
func ParseScript(name string, text []byte) (*Script, error) {
	if err := checkSyntax(text); err != nil {
		return nil, scriptError(name, err)
	}
	p := &scriptParser{}
	var top scriptJSON
	p.object("", text, &top)
	usual := p.pacing("defaults", top.Defaults, pacing{})
	if len(top.Roles) == 0 {
		p.fault("roles", `no entries; write {"roles": {"*": [{"text": "…"}]}}`)
	}
	s := &Script{Name: top.Name, roles: make(map[string][]*entry, len(top.Roles))}
	if s.Name == "" {
		s.Name = name
	}
	for _, role := range slices.Sorted(maps.Keys(top.Roles)) {
		plain := 0
		for i, raw := range top.Roles[role] {
			e := p.entry(fmt.Sprintf("roles.%s[%d]", role, i), raw, usual)
			if e.when == nil {
				plain++
				e.number = plain
			}
			s.roles[role] = append(s.roles[role], e)
		}
	}
	if len(p.errs) > 0 {
		return nil, scriptError(name, errors.Join(p.errs...))
	}
	return s, nil
}

func scriptError(name string, err error) error { return fmt.Errorf("model: script %s: %w", name, err) }

// checkSyntax reports broken JSON with line and column.
func checkSyntax(text []byte) error {
	err := json.Unmarshal(text, new(json.RawMessage))
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	before := text[:min(int(syntax.Offset), len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("line %d, column %d: %w (the format is JSON: double quotes, no comments, no comma before a closing bracket)", line, column, err)
}

// scriptParser collects the mistakes of a script.
type scriptParser struct{ errs []error }

func (p *scriptParser) fault(path, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...)))
}

// object decodes a JSON object and reports keys that its struct does not have.
func (p *scriptParser) object(path string, raw json.RawMessage, into any) {
	if len(raw) == 0 {
		return
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		p.fault(place(path, ""), "an object is wanted here")
		return
	}
	known := jsonKeys(reflect.TypeOf(into).Elem())
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if slices.Contains(known, key) || strings.HasPrefix(key, "x-") {
			continue
		}
		hint := "known are " + strings.Join(known, ", ")
		if near := nearest.Of(key, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		p.fault(place(path, key), "unknown key (%s)", hint)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			p.fault(place(path, wrong.Field), "found %s where another type is wanted", wrong.Value)
			return
		}
		p.fault(place(path, ""), "%v", err)
	}
}

func place(path, key string) string {
	switch {
	case path == "" && key == "":
		return "top"
	case path == "":
		return key
	case key == "":
		return path
	}
	return path + "." + key
}

func jsonKeys(t reflect.Type) []string {
	var keys []string
	for f := range t.Fields() {
		if f.Anonymous {
			keys = append(keys, jsonKeys(f.Type)...)
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

func (p *scriptParser) entry(path string, raw json.RawMessage, usual pacing) *entry {
	var in entryJSON
	p.object(path, raw, &in)
	e := &entry{path: path, finish: in.Finish}
	e.when = p.when(path+".when", in.When)
	e.text = p.template(path+".text", in.Text)
	e.reasoning = p.template(path+".reasoning", in.Reasoning)
	for i, raw := range in.Calls {
		e.calls = append(e.calls, p.call(fmt.Sprintf("%s.calls[%d]", path, i), raw))
	}
	if e.finish == "" {
		e.finish = event.FinishStop
		if len(e.calls) > 0 {
			e.finish = event.FinishToolCalls
		}
	}
	if f, kept := finishOf(string(e.finish)); kept != "" || f == event.FinishError {
		p.fault(path+".finish", "%q is none of stop, tool_calls, length, content_filter, unknown", e.finish)
	}
	if len(in.Usage) > 0 {
		e.usage = &event.Usage{}
		p.object(path+".usage", in.Usage, e.usage)
	}
	e.pacing = p.pace(path, in.pacingJSON, usual)
	e.fault = p.faultOf(path+".fault", in.Fault)
	return e
}

func (p *scriptParser) pacing(path string, raw json.RawMessage, usual pacing) pacing {
	var in pacingJSON
	p.object(path, raw, &in)
	return p.pace(path, in, usual)
}

func (p *scriptParser) pace(path string, in pacingJSON, usual pacing) pacing {
	if in.Delay != nil {
		usual.delay = p.duration(path+".delay", *in.Delay)
	}
	if in.Pace != nil {
		usual.pace = p.duration(path+".pace", *in.Pace)
	}
	if in.Chunk != nil {
		usual.chunk = *in.Chunk
	}
	if usual.chunk < 0 {
		p.fault(path+".chunk", "%d characters in a piece; 0 means all at once", usual.chunk)
	}
	return usual
}

func (p *scriptParser) duration(path, text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		p.fault(path, `%q is no duration; write "200ms" or "1.5s"`, text)
		return 0
	}
	return d
}

func (p *scriptParser) when(path string, raw json.RawMessage) *conditions {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var in whenJSON
	p.object(path, raw, &in)
	c := &conditions{kind: in.Kind, from: in.From, tool: in.Tool}
	if len(in.Number) > 0 {
		c.number = p.numbers(path+".number", in.Number)
	}
	c.last = p.pattern(path+".last", in.Last)
	c.any = p.pattern(path+".any", in.Any)
	c.fresh = p.pattern(path+".new", in.New)
	if c.kind != "" && !c.kind.Valid() {
		p.fault(path+".kind", "%q is none of %v", c.kind, event.Kinds())
	}
	return c
}

func (p *scriptParser) pattern(path, text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		p.fault(path, "%v", err)
	}
	return re
}

// numbers reads 3, "3", "2-4" and "5-".
func (p *scriptParser) numbers(path string, raw json.RawMessage) *numbers {
	text := strings.Trim(string(raw), `"`)
	from, to, isRange := strings.Cut(text, "-")
	n := &numbers{}
	var err, err2 error
	n.from, err = strconv.Atoi(from)
	switch {
	case !isRange:
		n.to = n.from
	case to == "":
		n.to = int(^uint(0) >> 1)
	default:
		n.to, err2 = strconv.Atoi(to)
	}
	if err != nil || err2 != nil || n.from < 1 || n.to < n.from {
		p.fault(path, `%s is no number of a reply; they count from 1: 3, "2-4" or "5-"`, raw)
	}
	return n
}

func (p *scriptParser) faultOf(path string, raw json.RawMessage) *fault {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var in faultJSON
	p.object(path, raw, &in)
	f := &fault{times: 1, status: in.Status, message: in.Message, stopAfter: -1, empty: in.Empty}
	f.retryAfter = p.duration(path+".retry_after", in.RetryAfter)
	if in.Times != nil {
		f.times = *in.Times
	}
	given := 0
	if in.StopAfter != nil {
		f.stopAfter = max(*in.StopAfter, 0)
		given++
	}
	if in.Empty {
		given++
	}
	if in.Status != 0 {
		given++
		if in.Status < 400 || in.Status > 599 {
			p.fault(path+".status", "%d is no error status; they go from 400 to 599", in.Status)
		}
	}
	if given != 1 {
		p.fault(path, "one of status, stop_after and empty is wanted, found %d", given)
	}
	return f
}

func (p *scriptParser) template(path, text string) *template.Template {
	if text == "" {
		return nil
	}
	t, err := template.New(path).Option("missingkey=error").Funcs(scriptFuncs()).Parse(text)
	if err != nil {
		p.fault(path, "%v", err)
	}
	return t
}
