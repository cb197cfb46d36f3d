package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/internal/nearest"
)

// Errors of a set.
var (
	// ErrUnknownTool is in the error of [Set.Run] and [Set.Only] for a name
	// that the set does not have.
	ErrUnknownTool = errors.New("tools: unknown tool")
	// ErrPanic is in the error of [Set.Run] for a tool that panicked.
	ErrPanic = errors.New("tools: tool panicked")
)

// Set is the tools of one agent in a fixed order. The zero Set is empty; a
// set never changes, so it may be shared.
type Set struct {
	tools []Tool
	specs []Spec // of the tools, asked once
}

// NewSet makes a set in the order of the tools. It refuses a nil tool, a bad
// or repeated name, and a schema that is not an object with properties; the
// error names every one of them.
func NewSet(tools ...Tool) (Set, error) {
	return Set{}.With(tools...)
}

// With returns a set that has the tools after those of s. It refuses what
// [NewSet] refuses.
func (s Set) With(tools ...Tool) (Set, error) {
	out := Set{tools: slices.Clone(s.tools), specs: slices.Clone(s.specs)}
	var errs []error
	for i, tool := range tools {
		if tool == nil {
			errs = append(errs, fmt.Errorf("tools: tool %d is nil", i+1))
			continue
		}
		spec := tool.Spec()
		if err := out.admit(tool, spec); err != nil {
			errs = append(errs, fmt.Errorf("tools: tool %q: %w", spec.Name, err))
			continue
		}
		out.tools, out.specs = append(out.tools, tool), append(out.specs, spec)
	}
	if err := errors.Join(errs...); err != nil {
		return Set{}, err
	}
	return out, nil
}

// admit says why a tool cannot be in the set.
func (s Set) admit(tool Tool, spec Spec) error {
	if !validName(spec.Name) {
		return errors.New("a name is 1 to 64 of the characters a-z, A-Z, 0-9, _ and -")
	}
	if s.index(spec.Name) >= 0 {
		return errors.New("the name is taken")
	}
	if _, ok := tool.(inferred); ok {
		return nil
	}
	return checkSchema(spec.Schema)
}

// validName tells whether every endpoint takes the name of a tool.
func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

// index is the place of a tool, or -1.
func (s Set) index(name string) int {
	return slices.IndexFunc(s.specs, func(spec Spec) bool { return spec.Name == name })
}

// Lookup returns the tool of the name; ok is false if there is none.
func (s Set) Lookup(name string) (tool Tool, ok bool) {
	i := s.index(name)
	if i < 0 {
		return nil, false
	}
	return s.tools[i], true
}

// Names returns the names in order.
func (s Set) Names() []string {
	names := make([]string, len(s.specs))
	for i, spec := range s.specs {
		names[i] = spec.Name
	}
	return names
}

// Specs returns what the model and the runtime are told of the tools, in
// order.
func (s Set) Specs() []Spec {
	return slices.Clone(s.specs)
}

// Without returns a set that lacks the tools of the names; names that s does
// not have are ignored.
func (s Set) Without(names ...string) Set {
	return s.filter(func(name string) bool { return !slices.Contains(names, name) })
}

// Only returns a set that has the tools of the names alone, in the order of
// s. A name that s does not have is an error that wraps [ErrUnknownTool].
func (s Set) Only(names ...string) (Set, error) {
	var errs []error
	for _, name := range names {
		if s.index(name) < 0 {
			errs = append(errs, s.unknown(name))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return Set{}, err
	}
	return s.filter(func(name string) bool { return slices.Contains(names, name) }), nil
}

func (s Set) filter(keep func(name string) bool) Set {
	var out Set
	for i, spec := range s.specs {
		if keep(spec.Name) {
			out.tools, out.specs = append(out.tools, s.tools[i]), append(out.specs, spec)
		}
	}
	return out
}

// unknown is the error for a name that the set does not have.
func (s Set) unknown(name string) error {
	hint := ""
	if near := nearest.Of(name, s.Names()); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	valid := strings.Join(s.Names(), ", ")
	if valid == "" {
		valid = "none"
	}
	return fmt.Errorf("%w %q%s; valid tools: %s", ErrUnknownTool, cut(name, 80), hint, valid)
}

// Run does one call of the tool of the name. An unknown name and a panic in
// the tool are errors like any other ([ErrUnknownTool], [ErrPanic]); their
// text is fit for the model. The result is valid UTF-8: a byte that is none is
// shown as U+FFFD, and a last line says how many there were. Functions that
// the call lacks are replaced by ones that do nothing.
//
// A panic in a goroutine that a tool started cannot be caught here.
func (s Set) Run(ctx context.Context, name string, call Call) (result string, err error) {
	tool, ok := s.Lookup(name)
	if !ok {
		return "", s.unknown(name)
	}
	defer func() {
		if value := recover(); value != nil {
			result, err = "", fmt.Errorf("%w: %s: %s", ErrPanic, name, cut(fmt.Sprint(value), 500))
		}
	}()
	result, err = tool.Run(ctx, complete(call))
	if err != nil {
		return "", err
	}
	return validText(result), nil
}

// complete fills in the functions that a call lacks.
func complete(call Call) Call {
	if call.Blocked == nil {
		call.Blocked = func(...string) func() { return func() {} }
	}
	if call.Sent == nil {
		call.Sent = func() {}
	}
	if call.Output == nil {
		call.Output = func(string) {}
	}
	if call.Artifact == nil {
		call.Artifact = func(string, int64) {}
	}
	return call
}

// validText replaces every byte that is not UTF-8 and says how many.
func validText(text string) string {
	clean, bad := replaceInvalid(text)
	if bad == 0 {
		return text
	}
	return fmt.Sprintf("%s\n[%d bytes are not UTF-8 and shown as U+FFFD]", strings.TrimSuffix(clean, "\n"), bad)
}

// replaceInvalid writes U+FFFD for every byte that is not UTF-8 and counts
// them.
func replaceInvalid(text string) (clean string, bad int) {
	if utf8.ValidString(text) {
		return text, 0
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		}
		b.WriteRune(r)
		i += size
	}
	return b.String(), bad
}
