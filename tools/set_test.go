package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/tools"
)

func named(name string) tools.Tool {
	return tools.Func(name, "", func(context.Context, struct{}) (string, error) { return "result of " + name, nil })
}

func mustSet(t *testing.T, list ...tools.Tool) tools.Set {
	t.Helper()
	set, err := tools.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// raw is a tool with any spec.
type raw struct{ spec tools.Spec }

func (r raw) Spec() tools.Spec                                { return r.spec }
func (r raw) Run(context.Context, tools.Call) (string, error) { return "", nil }

func TestNewSetRefuses(t *testing.T) {
	good := json.RawMessage(`{"type":"object","properties":{}}`)
	tests := map[string][]tools.Tool{
		"nil":          {nil},
		"duplicate":    {named("a"), named("b"), named("a")},
		"no name":      {named("")},
		"space":        {named("a b")},
		"chinese":      {named("工具")},
		"newline":      {named("a\n")},
		"long":         {named(strings.Repeat("a", 65))},
		"no schema":    {raw{tools.Spec{Name: "a"}}},
		"null schema":  {raw{tools.Spec{Name: "a", Schema: json.RawMessage(`null`)}}},
		"no props":     {raw{tools.Spec{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}}},
		"null props":   {raw{tools.Spec{Name: "a", Schema: json.RawMessage(`{"type":"object","properties":null}`)}}},
		"array schema": {raw{tools.Spec{Name: "a", Schema: json.RawMessage(`{"type":"array","properties":{}}`)}}},
	}
	for name, list := range tests {
		if set, err := tools.NewSet(list...); err == nil {
			t.Errorf("%s: got %v, want an error", name, set.Names())
		} else if !strings.HasPrefix(err.Error(), "tools: ") {
			t.Errorf("%s: error %q does not begin with its package", name, err)
		}
	}
	if _, err := tools.NewSet(raw{tools.Spec{Name: strings.Repeat("a", 64), Schema: good}}); err != nil {
		t.Errorf("a name of 64 bytes: %v", err)
	}
	_, err := tools.NewSet(named("a b"), named("c d"))
	if err == nil || !strings.Contains(err.Error(), "a b") || !strings.Contains(err.Error(), "c d") {
		t.Errorf("error %v, want both names in it", err)
	}
}

func TestSetSelection(t *testing.T) {
	set := mustSet(t, named("c"), named("a"), named("b"))
	more, err := set.With(named("d"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.With(named("a")); err == nil {
		t.Error("With took a name twice")
	}
	only, err := set.Only("b", "c", "b")
	if err != nil {
		t.Fatal(err)
	}
	none, err := set.Only()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		what string
		got  tools.Set
		want []string
	}{
		{"set", set, []string{"c", "a", "b"}},
		{"with", more, []string{"c", "a", "b", "d"}},
		{"without", set.Without("a", "x"), []string{"c", "b"}},
		{"only", only, []string{"c", "b"}},
		{"only none", none, []string{}},
		{"zero", tools.Set{}, []string{}},
	} {
		if diff := cmp.Diff(test.want, test.got.Names()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
		for i, spec := range test.got.Specs() {
			if spec.Name != test.want[i] {
				t.Errorf("%s: spec %d is %s, want %s", test.what, i, spec.Name, test.want[i])
			}
			if tool, ok := test.got.Lookup(spec.Name); !ok || tool.Spec().Name != spec.Name {
				t.Errorf("%s: %s is not found", test.what, spec.Name)
			}
		}
	}
	if _, ok := set.Lookup("x"); ok {
		t.Error("x was found")
	}
	if _, err := set.Only("a", "x"); !errors.Is(err, tools.ErrUnknownTool) {
		t.Errorf("error %v, want ErrUnknownTool", err)
	}
}

func TestSetsDoNotShare(t *testing.T) {
	set := mustSet(t, named("a"))
	first, err := set.With(named("b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.With(named("c")); err != nil {
		t.Fatal(err)
	}
	if got := first.Names()[1]; got != "b" {
		t.Errorf("the second With changed the first: %s", got)
	}
	first.Specs()[0].Name = "changed"
	if got := first.Names()[0]; got != "a" {
		t.Errorf("changing the specs changed the set: %s", got)
	}
}

func TestUnknownTool(t *testing.T) {
	set := mustSet(t, named("read_file"), named("write_file"), named("ask_master"))
	for name, want := range map[string]string{
		"reed_file":           `tools: unknown tool "reed_file"; did you mean read_file?; valid tools: read_file, write_file, ask_master`,
		"Read_File":           `tools: unknown tool "Read_File"; did you mean read_file?; valid tools: read_file, write_file, ask_master`,
		"functions.read_file": `tools: unknown tool "functions.read_file"; did you mean read_file?; valid tools: read_file, write_file, ask_master`,
		"browse":              `tools: unknown tool "browse"; valid tools: read_file, write_file, ask_master`,
		"":                    `tools: unknown tool ""; valid tools: read_file, write_file, ask_master`,
	} {
		result, err := set.Run(t.Context(), name, tools.Call{})
		if result != "" || !errors.Is(err, tools.ErrUnknownTool) || err.Error() != want {
			t.Errorf("%q: got %q, %v\nwant %s", name, result, err, want)
		}
	}
	if _, err := (tools.Set{}).Run(t.Context(), strings.Repeat("x", 1000), tools.Call{}); err == nil || len(err.Error()) > 200 {
		t.Errorf("error %v, want a short one", err)
	}
}

func TestPanicIsAnError(t *testing.T) {
	for _, value := range []any{"boom", errors.New("boom"), nil, 42, strings.Repeat("boom", 1000)} {
		tool := tools.Func("explode", "", func(context.Context, struct{}) (string, error) { panic(value) })
		result, err := mustSet(t, tool).Run(t.Context(), "explode", tools.Call{})
		if result != "" || !errors.Is(err, tools.ErrPanic) {
			t.Fatalf("panic(%v): got %q, %v, want ErrPanic", value, result, err)
		}
		text := err.Error()
		if !strings.Contains(text, "explode") || strings.Contains(text, ".go:") || len(text) > 600 {
			t.Errorf("panic(%v): error %q, want the name, no stack and no more than 600 bytes", value, text)
		}
		if value == "boom" && text != "tools: tool panicked: explode: boom" {
			t.Errorf("got %q", text)
		}
	}
}

func TestRunCompletesTheCall(t *testing.T) {
	tool := tools.FuncCall("f", "", func(_ context.Context, call tools.Call, _ struct{}) (string, error) {
		call.Blocked("uio_1")()
		call.Sent()
		call.Output("text")
		call.Artifact("path", 1)
		return "fine", nil
	})
	if got, err := mustSet(t, tool).Run(t.Context(), "f", tools.Call{}); got != "fine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	sent := 0
	if _, err := mustSet(t, tool).Run(t.Context(), "f", tools.Call{Sent: func() { sent++ }}); err != nil || sent != 1 {
		t.Errorf("Sent was called %d times, %v", sent, err)
	}
}

func TestResultIsUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"a\xff\xfeb\n": "a\uFFFD\uFFFDb\n[2 bytes are not UTF-8 and shown as U+FFFD]",
		"a\uFFFD\x00":  "a\uFFFD\x00",
		"\xe4\xb8":     "\uFFFD\uFFFD\n[2 bytes are not UTF-8 and shown as U+FFFD]",
	} {
		tool := tools.Func("f", "", func(context.Context, struct{}) (string, error) { return text, nil })
		if got, err := mustSet(t, tool).Run(t.Context(), "f", tools.Call{}); got != want || err != nil {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}
