package tools

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Func makes a tool of a function. In is a struct: its fields are the
// arguments, named by their json tags and described by their jsonschema tags;
// those with omitempty or omitzero are optional, and arguments that it does
// not have are refused. A string that fn returns is the result as it is,
// anything else is its JSON. An error of fn goes to the model; for an argument
// that no schema can check it is an [ArgumentError] with Argument, Found and
// Want, and the rest is filled in.
//
// Func panics, as regexp.MustCompile does, when In cannot be arguments: when
// it is no struct, holds channels, functions, cycles or types with a JSON form
// that no schema tells of, or when an option names an argument that In does
// not have.
func Func[In, Out any](name, description string, fn func(context.Context, In) (Out, error), opts ...Option) Tool {
	if fn == nil {
		panic(fmt.Sprintf("tools: %s: the function is nil", name))
	}
	return FuncCall(name, description, func(ctx context.Context, _ Call, in In) (Out, error) {
		return fn(ctx, in)
	}, opts...)
}

// FuncCall is [Func] for a function that needs the call: who calls, the id
// that stays the same after a crash, or a way to tell that it waits.
func FuncCall[In, Out any](name, description string, fn func(context.Context, Call, In) (Out, error), opts ...Option) Tool {
	return newFunction(name, description, fn, opts...)
}

func newFunction[In, Out any](name, description string, fn func(context.Context, Call, In) (Out, error), opts ...Option) *function[In, Out] {
	if fn == nil {
		panic(fmt.Sprintf("tools: %s: the function is nil", name))
	}
	o := newOutline[In](name, description, opts)
	o.spec.Schema = o.params().schema()
	return &function[In, Out]{outline: o, fn: fn}
}

// outline is what a model sees of a tool, and what its calls are checked
// against: all of it but the function.
type outline struct {
	spec   Spec
	params func() *parameters // inferred at the first use
}

// newOutline makes an outline without a schema.
func newOutline[In any](name, description string, opts []Option) outline {
	var s settings
	for _, opt := range opts {
		opt.apply(&s)
	}
	s.spec.Name, s.spec.Description = name, description
	return outline{s.spec, sync.OnceValue(func() *parameters {
		if s.texts != nil {
			for _, a := range s.texts() {
				Describe(a.name, a.text).apply(&s)
			}
		}
		p, err := newParameters(name, reflect.TypeFor[In](), s)
		if err != nil {
			panic(fmt.Sprintf("tools: %s: %v", name, err))
		}
		return p
	})}
}

// function is a tool made by [FuncCall].
type function[In, Out any] struct {
	outline
	fn func(context.Context, Call, In) (Out, error)
}

// inferred is a tool whose schema was made here, and needs no check.
type inferred interface{ inferred() }

func (f *function[In, Out]) inferred() {}

func (f *function[In, Out]) Spec() Spec {
	spec := f.spec
	spec.Schema = bytes.Clone(spec.Schema)
	return spec
}

func (f *function[In, Out]) Run(ctx context.Context, call Call) (string, error) {
	var in In
	params := f.params()
	if err := params.decode(call.Arguments, &in); err != nil {
		return "", err
	}
	out, err := f.fn(ctx, call, in)
	if err != nil {
		return "", params.complete(err)
	}
	return resultText(f.spec.Name, out)
}

// resultText is the text of a result: a string as it is, anything else as
// JSON.
func resultText(name string, out any) (string, error) {
	if text, ok := out.(string); ok {
		return text, nil
	}
	text, err := appendjson.Value(nil, out)
	if err != nil {
		return "", fmt.Errorf("tools: %s: the result has no JSON form: %w", name, err)
	}
	return string(text), nil
}
