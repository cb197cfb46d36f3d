package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/config"
)

// hostile are texts of about size bytes that are costly for a careless reader.
func hostile(size int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var keys, roles strings.Builder
	for i := 0; keys.Len() < size; i++ {
		fmt.Fprintf(&keys, "k%d: v\n", i)
	}
	roles.WriteString("roles:\n")
	for i := 0; roles.Len() < size; i++ {
		fmt.Fprintf(&roles, "  r%d: {does: x, tols: [y], may_ask: [z%d]}\n", i, i)
	}
	return map[string]string{
		"keys":      keys.String(),
		"roles":     roles.String(),
		"list":      "context: [" + repeat("x,") + "]",
		"text":      "name: " + repeat("x"),
		"open":      repeat("["),
		"closed":    repeat("]"),
		"items":     repeat("- "),
		"questions": repeat("? "),
		"colons":    repeat("a: "),
		"anchors":   repeat("&a "),
		"tags":      repeat("!a "),
		"documents": repeat("---\n"),
		"quotes":    repeat("'"),
		"wide":      repeat("a：b\n"),
		"tight":     repeat("a:b\n"),
		"tabs":      "a:\n" + repeat("\tb: c\n"),
		"stray":     "a:\n    b: c\n" + repeat("  b: c\n    d: e\n"),
		"aliases":   "x-a: &a [x]\nmodels: {a: {provider: ollama, model: m, extra: {a: [" + repeat("*a,") + "]}}}",
		"controls":  repeat("\x01\n"),
		"long line": "roles: {" + repeat("a: {b: c}, ") + "}",
		"refs":      "name: '" + repeat("${A}") + "'",
		"doubling":  "x: &a [b]\n" + repeat("y: &a [*a, *a]\n"),
	}
}

func TestHostileTextsAreAnsweredSoon(t *testing.T) {
	for _, size := range []int{1 << 14, 1 << 18} {
		for name, text := range hostile(size) {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				start := time.Now()
				_, err := config.Parse("team.yaml", []byte(text), nil, known())
				if err == nil {
					t.Error("Parse: no error, want one")
				}
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("Parse took %s, want an answer soon", took)
				}
				if got := len(fmt.Sprint(err)); got > 100_000 {
					t.Errorf("the error has %d bytes, want what a person can read", got)
				}
			})
		}
	}
}
