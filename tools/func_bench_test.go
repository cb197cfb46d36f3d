package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"what to look for"`
	Path    string `json:"path,omitempty" jsonschema:"where to look"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many lines at most"`
	Case    bool   `json:"case,omitempty"`
}

func search(context.Context, searchArgs) (string, error) { return "found", nil }

// BenchmarkFunc makes a tool of a function.
func BenchmarkFunc(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		tools.Func("search", "Look for text.", search)
	}
}

// BenchmarkCall checks the arguments of a call and runs a function that does
// nothing.
func BenchmarkCall(b *testing.B) {
	set, err := tools.NewSet(tools.Func("search", "Look for text.", search))
	if err != nil {
		b.Fatal(err)
	}
	call := tools.Call{Arguments: json.RawMessage(`{"pattern":"来自 \"User\"","path":"docs","limit":10}`)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.Run(b.Context(), "search", call); err != nil {
			b.Fatal(err)
		}
	}
}
