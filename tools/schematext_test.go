package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/troupe-go/troupe/tools"
)

// sameText undoes how the library writes what HTML would read.
var sameText = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// TestSchemaText holds the text of a schema against the library's.
func TestSchemaText(t *testing.T) {
	type point struct {
		X int  `json:"x"`
		Y *int `json:"y,omitempty"`
	}
	type odd struct {
		Text   string            `json:"text" jsonschema:"a <text> & \"more\""`
		Number float64           `json:"number,omitempty"`
		Points []point           `json:"points"`
		Map    map[string]point  `json:"map"`
		Any    any               `json:"any,omitempty"`
		Raw    json.RawMessage   `json:"raw"`
		Bytes  []byte            `json:"bytes"`
		When   time.Time         `json:"when"`
		Pair   [2]string         `json:"pair"`
		Words  map[string]string `json:"words,omitempty"`
		Flag   bool              `json:"flag"`
	}
	inferred, err := jsonschema.For[odd](nil)
	if err != nil {
		t.Fatal(err)
	}
	low, never := 1.0, &jsonschema.Schema{Not: &jsonschema.Schema{}}
	text := &jsonschema.Schema{Type: "string", Description: "设计 <b>"}
	for name, s := range map[string]*jsonschema.Schema{
		"inferred":    inferred,
		"anything":    {},
		"nothing":     never,
		"no type":     {Description: "of any type"},
		"types":       {Types: []string{"string", "null"}},
		"minimum":     {Type: "integer", Minimum: &low},
		"enum":        {Type: "string", Enum: []any{"a", "b", 3, nil}},
		"empty enum":  {Type: "string", Enum: []any{}},
		"no property": {Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never},
		"no order":    {Type: "object", Properties: map[string]*jsonschema.Schema{"b": text, "a": text}},
		"order": {
			Type: "object", Properties: map[string]*jsonschema.Schema{"b": text, "a": {}}, PropertyOrder: []string{"b", "a"},
			Required: []string{"b"}, AdditionalProperties: text,
		},
		"other order": {Type: "object", Properties: map[string]*jsonschema.Schema{"b": text}, PropertyOrder: []string{"a"}},
		"deep":        {Type: "array", Items: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text, never}}}},
		"title":       {Type: "string", Title: "t"},
		"extra":       {Type: "string", Extra: map[string]any{"x-more": 1}},
	} {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tools.AppendSchema(nil, s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(sameText.Replace(string(want)), sameText.Replace(string(got))); diff != "" {
			t.Errorf("%s (-library +got):\n%s", name, diff)
		}
	}
	tool := tools.Func("point", "A point.", func(context.Context, point) (string, error) { return "", nil })
	want := `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}},"required":["x"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(tool.Spec().Schema)); diff != "" {
		t.Errorf("a tool of a function (-want +got):\n%s", diff)
	}
}

// TestSchemaWithoutText looks for schemas that the library cannot write.
func TestSchemaWithoutText(t *testing.T) {
	bad := &jsonschema.Schema{Type: "string", Types: []string{"null"}}
	for _, s := range []*jsonschema.Schema{
		bad,
		{Type: "array", Items: bad},
		{Type: "string", Enum: []any{make(chan bool)}},
		{Type: "object", Properties: map[string]*jsonschema.Schema{"a": bad}, PropertyOrder: []string{"a"}},
	} {
		if text, err := tools.AppendSchema(nil, s); err == nil {
			t.Errorf("%v was written as %s", s, text)
		}
	}
}
