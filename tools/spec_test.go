package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/internal/golden"
	"github.com/troupe-go/troupe/tools"
)

// families are all tools that come with Troupe, by who has them.
func families(t *testing.T, lang string) map[string][]tools.Tool {
	t.Helper()
	w, err := tools.NewWorkspace(t.TempDir(), tools.WorkspaceOptions{Lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return map[string][]tools.Tool{
		"leader":    tools.LeaderTools(echo{}, lang),
		"peer":      tools.PeerTools(echo{}, lang),
		"remote":    tools.RemoteTools(echo{}, lang),
		"workspace": w.Tools(),
	}
}

func TestSpecsGolden(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		var b strings.Builder
		for _, family := range []string{"leader", "peer", "remote", "workspace"} {
			for _, tool := range families(t, lang)[family] {
				writeSpec(&b, family, tool.Spec())
			}
		}
		golden.Equal(t, "testdata/specs."+lang+".golden", []byte(b.String()))
	}
}

// What is told of the tools was made of their texts and types as they are today.
func TestToldAsToday(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		lines := map[string]string{}
		for family, list := range families(t, lang) {
			for _, tool := range list {
				name := tool.Spec().Name
				line := fmt.Sprintf("%s %q %s", name, tools.DescriptionOf(name, lang), tools.Inferred(tool))
				if other, ok := lines[name]; ok && other != line {
					t.Errorf("%s: %s is told of as %s, and elsewhere as %s", family, name, line, other)
				}
				lines[name] = line
			}
		}
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			b.WriteString("\n" + lines[name])
		}
		golden.Equal(t, "told."+lang+".txt", []byte(b.String()+"\n"))
	}
}

func writeSpec(b *strings.Builder, family string, spec tools.Spec) {
	var flags []string
	for _, f := range []struct {
		set  bool
		name string
	}{
		{spec.Effect != "", string(spec.Effect)},
		{spec.Exclusive, "exclusive"},
		{spec.Ordered, "ordered"},
		{spec.Waits, "waits"},
		{spec.Writes, "writes"},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	fmt.Fprintf(b, "=== %s: %s [%s]\n%s\n--- schema\n", family, spec.Name, strings.Join(flags, " "), spec.Description)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, spec.Schema, "", "  "); err != nil {
		fmt.Fprintf(b, "no JSON: %v", err)
	}
	fmt.Fprintf(b, "%s\n\n", pretty.String())
}

// TestSpecsAreComplete holds every tool against what endpoints and models need.
func TestSpecsAreComplete(t *testing.T) {
	names := map[string][]string{
		"leader": tools.LeaderNames(), "peer": tools.PeerNames(), "workspace": tools.WorkspaceNames(),
		"remote": tools.RemoteNames(),
	}
	for _, lang := range []string{"en", "zh"} {
		for family, list := range families(t, lang) {
			set, err := tools.NewSet(list...)
			if err != nil {
				t.Errorf("%s %s: %v", lang, family, err)
			}
			if diff := cmp.Diff(names[family], set.Names()); diff != "" {
				t.Errorf("%s %s: names (-listed +made):\n%s", lang, family, diff)
			}
			for _, spec := range set.Specs() {
				checkSpec(t, lang, spec)
			}
		}
	}
}

func checkSpec(t *testing.T, lang string, spec tools.Spec) {
	t.Helper()
	if spec.Description == "" {
		t.Errorf("%s %s: no description", lang, spec.Name)
	}
	if chinese := strings.Contains(spec.Description, "。"); chinese != (lang == "zh") {
		t.Errorf("%s %s: the description is in another language: %s", lang, spec.Name, spec.Description)
	}
	var schema struct {
		Type       string `json:"type"`
		Properties map[string]struct {
			Type        string `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
		AdditionalProperties *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		t.Fatalf("%s %s: %v", lang, spec.Name, err)
	}
	if schema.Type != "object" || schema.Properties == nil {
		t.Errorf("%s %s: schema %s is no object with properties", lang, spec.Name, spec.Schema)
	}
	if schema.AdditionalProperties == nil || *schema.AdditionalProperties {
		t.Errorf("%s %s: the schema allows unknown arguments: %s", lang, spec.Name, spec.Schema)
	}
	for name, property := range schema.Properties {
		if property.Description == "" || property.Type == "" {
			t.Errorf("%s %s: argument %s has no description or no single type", lang, spec.Name, name)
		}
	}
}

func TestSpecIsStable(t *testing.T) {
	for family, list := range families(t, "en") {
		again := families(t, "en")[family]
		for i, tool := range list {
			first := tool.Spec()
			if diff := cmp.Diff(first, again[i].Spec()); diff != "" {
				t.Errorf("%s: two specs differ:\n%s", first.Name, diff)
			}
			clear(first.Schema)
			if slices.Equal(first.Schema, tool.Spec().Schema) {
				t.Errorf("%s: changing a spec changes the tool", first.Name)
			}
		}
	}
}

func TestLanguages(t *testing.T) {
	spec := func(lang string) string { return tools.PeerTools(echo{}, lang)[0].Spec().Description }
	if spec("fr") != spec("en") || spec("") != spec("en") {
		t.Error("another language than zh is not English")
	}
	if spec("zh") == spec("en") {
		t.Error("zh is English")
	}
}

func TestDefaultRoleToolsOnlyRead(t *testing.T) {
	set, err := tools.NewSet(families(t, "en")["workspace"]...)
	if err != nil {
		t.Fatal(err)
	}
	reading, err := set.Only(tools.DefaultRoleTools()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range reading.Specs() {
		if spec.Writes || spec.Effect != tools.Pure {
			t.Errorf("%s does more than read", spec.Name)
		}
	}
	if got, want := len(reading.Specs()), 3; got != want {
		t.Errorf("%d reading tools, want %d", got, want)
	}
}

// TestToolTakesSixLines counts the code of the function inline.
func TestToolTakesSixLines(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "example_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "inline" {
			if lines := files.Position(fn.End()).Line - files.Position(fn.Pos()).Line - 1; lines > 6 {
				t.Errorf("a tool takes %d lines, want 6 at most", lines)
			}
			return
		}
	}
	t.Error("there is no function inline")
}
