package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"text/template"
)

// call checks one tool call of a script.
func (p *scriptParser) call(path string, raw json.RawMessage) callTemplate {
	var in callJSON
	p.object(path, raw, &in)
	out := callTemplate{tool: in.Tool}
	if in.Tool == "" {
		p.fault(path+".tool", "the name of a tool is wanted")
	}
	if in.Arguments != nil {
		if len(in.Args) > 0 {
			p.fault(path, "args and arguments exclude each other")
		}
		text := p.template(path+".arguments", *in.Arguments)
		out.args = func(v *ScriptView) (string, error) { return play(text, v) }
		return out
	}
	if len(in.Args) == 0 {
		in.Args = json.RawMessage("{}")
	}
	tree := p.argument(path+".args", in.Args)
	out.args = func(v *ScriptView) (string, error) { return encodeArguments(tree, v) }
	return out
}

// argument reads JSON whose strings are templates.
func (p *scriptParser) argument(path string, raw json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		p.fault(path, "%v", err)
		return nil
	}
	if _, ok := value.(map[string]any); !ok {
		p.fault(path, "an object is wanted here; use arguments for other texts")
	}
	return p.prepare(path, value)
}

// prepare puts templates in place of the strings that need them.
func (p *scriptParser) prepare(path string, value any) any {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "{{") {
			return p.template(path, v)
		}
	case []any:
		for i := range v {
			v[i] = p.prepare(path, v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = p.prepare(path+"."+key, v[key])
		}
	}
	return value
}

func encodeArguments(tree any, view *ScriptView) (string, error) {
	value, err := fillArguments(tree, view)
	if err != nil {
		return "", err
	}
	return jsonText(value)
}

// fillArguments copies the tree with the templates played.
func fillArguments(tree any, view *ScriptView) (any, error) {
	var errs []error
	fill := func(value any) any {
		out, err := fillArguments(value, view)
		errs = append(errs, err)
		return out
	}
	switch v := tree.(type) {
	case *template.Template:
		return play(v, view)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(v[i])
		}
		return out, errors.Join(errs...)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			out[key] = fill(v[key])
		}
		return out, errors.Join(errs...)
	}
	return tree, nil
}

// play executes a template; nil says nothing.
func play(t *template.Template, view *ScriptView) (string, error) {
	if t == nil {
		return "", nil
	}
	var b strings.Builder
	if err := t.Execute(&b, view); err != nil {
		return "", err
	}
	return b.String(), nil
}
