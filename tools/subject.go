package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// About makes rules with a pattern possible: they are held against the value
// of a string argument, as a [CommandSubject] or a [TextSubject].
func About(kind SubjectKind, argument string) Option {
	return optionFunc(func(s *settings) { s.spec.Subject, s.about = kind, argument })
}

// Asks sets [Spec.Asks].
func Asks() Option {
	return optionFunc(func(s *settings) { s.spec.Asks = true })
}

// subjected is a tool that can tell what a call is about.
type subjected interface {
	subject(raw json.RawMessage) (Subject, error)
}

// Subject tells what a call of the tool of the name is about, from the
// arguments as the tool itself reads them; nothing for a tool without a
// subject. The error is the one that the tool has for the arguments.
func (s Set) Subject(name string, arguments json.RawMessage) (Subject, error) {
	tool, ok := s.Lookup(name)
	if !ok {
		return nil, s.unknown(name)
	}
	if t, ok := tool.(subjected); ok {
		return t.subject(arguments)
	}
	return nil, nil
}

// checkAbout says why calls cannot be about an argument.
func (p *parameters) checkAbout(kind SubjectKind, argument string) error {
	if kind == NoSubject {
		return nil
	}
	param := p.find(argument)
	if param == nil || param.schema.Type != "string" {
		return fmt.Errorf("calls are about %q, which is no string argument", argument)
	}
	p.about = argument
	return nil
}

// subject is the value of the argument that calls are about; empty when it was
// left out.
func (f *function[In, Out]) subject(raw json.RawMessage) (Subject, error) {
	if f.spec.Subject == NoSubject {
		return nil, nil
	}
	params := f.params()
	members, err := params.members(raw)
	if err == nil {
		members, err = params.check(members)
	}
	if err != nil {
		return nil, err
	}
	var text string
	for _, m := range members {
		if m.name == params.about {
			if err := json.Unmarshal(m.value, &text); err != nil {
				return nil, params.wrong(m.name, found(params.lang, m.value), "string")
			}
		}
	}
	return Subject{text}, nil
}

// placed is a workspace tool whose calls are about a path.
type placed struct {
	Tool
	space *Workspace
}

func (p placed) inferred() {}

// subject is the path that the call reaches, and the path that it wrote.
func (p placed) subject(raw json.RawMessage) (Subject, error) {
	t, ok := p.Tool.(subjected)
	if !ok {
		return nil, errors.New("tools: " + p.Spec().Name + " tells nothing of its calls")
	}
	s, err := t.subject(raw)
	if err != nil {
		return nil, err
	}
	name := s[0]
	if name == "" {
		name = "."
	}
	written, err := p.space.relative(name)
	if err != nil {
		return nil, err
	}
	reached, err := p.space.locate(name)
	if err != nil {
		return nil, err
	}
	return slices.Compact(Subject{reached, written}), nil
}
