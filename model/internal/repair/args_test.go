package repair_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/model/internal/repair"
)

func TestSchema(t *testing.T) {
	tests := []struct {
		schema, value string
		want          bool
	}{
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":"x"}`, true},
		{`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{}`, false},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"a":1}`, false},
		{`{"type":"object","additionalProperties":false}`, `{"a":1}`, false},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{}`, false},
		{`{"type":["string","null"]}`, `null`, true},
		{`{"type":"integer"}`, `1.0`, true},
		{`{"type":"integer"}`, `1.5`, false},
		{`{"type":"number"}`, `"1"`, false},
		{`{"type":"boolean"}`, `false`, true},
		{`{"enum":["a",1]}`, `1`, true},
		{`{"enum":["a",1]}`, `2`, false},
		{`{"const":{"a":1}}`, `{ "a": 1 }`, true},
		{`{"type":"array","items":{"type":"string"}}`, `["a",1]`, false},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, false},
		{`{"type":"string","pattern":"x"}`, `"x"`, false},
		{`{"$ref":"#/$defs/a"}`, `1`, false},
		{`true`, `1`, true},
		{`{`, `{}`, false},
		{``, `{}`, true},
	}
	for _, tt := range tests {
		if got := repair.Fits(tt.schema, tt.value); got != tt.want {
			t.Errorf("%s fits %s: %v, want %v", tt.value, tt.schema, got, tt.want)
		}
	}
}

// TestArgumentsAreNeverGuessed: whatever the model wrote, what the tool gets is
// that, or {} for nothing, or an object that obeys the schema.
func TestArgumentsAreNeverGuessed(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}`
	parts := rapid.SampledFrom([]string{`{"a":"x"}`, `{`, `}`, `"a"`, ":", ",", `"x"`, "1", "[", "]", "{}", "null", "```json", "```", `\"`, " ", "\n"})
	rapid.Check(t, func(t *rapid.T) {
		written := strings.Join(rapid.SliceOfN(parts, 0, 8).Draw(t, "parts"), "")
		got, repaired := repair.Arguments(written, []byte(schema))
		switch {
		case repaired:
			if !json.Valid([]byte(got)) || !repair.Fits(schema, got) {
				t.Fatalf("%q was repaired to %q, which does not fit", written, got)
			}
		case got != written && strings.TrimSpace(written) != "" && strings.TrimSpace(written) != "null":
			t.Fatalf("%q became %q without being called repaired", written, got)
		}
	})
}

func TestWithoutNulls(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":["string","null"]}},"required":["a"]}`
	for in, want := range map[string]string{
		`{"a":"x","b":null}`: `{"a":"x"}`,
		`{"a":null}`:         `{"a":null}`,
		`{"c":null}`:         `{"c":null}`,
		`{"a":"null"}`:       `{"a":"null"}`,
		`null`:               `null`,
		`{"a":`:              `{"a":`,
	} {
		if got := repair.WithoutNulls(in, []byte(schema)); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestJoinDetails(t *testing.T) {
	in := []string{
		`{"type":"reasoning.text","index":0,"text":"a\ud83d"}`, `{"type":"reasoning.text","index":0,"text":"\ude00","signature":"s"}`,
		`{"type":"reasoning.encrypted","index":1,"data":"x"}`, `{"type":"reasoning.text","text":"no index"}`, `{"type":"reasoning.text","text":"again"}`,
	}
	want := []string{
		`{"index":0,"signature":"s","text":"a😀","type":"reasoning.text"}`, in[2], in[3], in[4],
	}
	var pieces [][]byte
	for _, p := range in {
		pieces = append(pieces, []byte(p))
	}
	got := repair.JoinDetails(pieces)
	if len(got) != len(want) {
		t.Fatalf("%d items %s, want %d", len(got), got, len(want))
	}
	for i := range want {
		if string(got[i]) != want[i] {
			t.Errorf("item %d is %s, want %s", i, got[i], want[i])
		}
	}
}
