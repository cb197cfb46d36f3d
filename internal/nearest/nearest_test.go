package nearest_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/internal/nearest"
)

func TestOf(t *testing.T) {
	names := []string{"read_file", "write_file", "list_dir", "run", "maxSteps", "深度"}
	for written, want := range map[string]string{
		"raed_file":              "read_file", // two letters swapped
		"READFILE":               "read_file",
		"functions.read_file":    "read_file",
		"list_directory":         "list_dir",
		"max-steps":              "maxSteps",
		"rnu":                    "run",
		"rub":                    "run",
		"rnub":                   "", // two of four letters
		"深渡":                     "深度",
		"delete":                 "",
		"":                       "",
		"-":                      "",
		strings.Repeat("x", 1e6): "",
	} {
		if got := nearest.Of(written, names); got != want {
			t.Errorf("Of(%.30q) = %q, want %q", written, got, want)
		}
	}
	if got := nearest.Of("run", []string{strings.Repeat("run", 1e6)}); got != "" {
		t.Errorf("a name of %d bytes was near", len(got))
	}
}

// TestDistance holds the distance to what a distance is.
func TestDistance(t *testing.T) {
	words := rapid.StringOfN(rapid.RuneFrom([]rune("ab度")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "a"), words.Draw(t, "b")
		d := nearest.Distance(a, b)
		if (d == 0) != (a == b) || d != nearest.Distance(b, a) || d > max(len([]rune(a)), len([]rune(b))) {
			t.Errorf("Distance(%q, %q) = %d, and %d the other way", a, b, d, nearest.Distance(b, a))
		}
		if got := nearest.Distance(a, a+b); got != len([]rune(b)) {
			t.Errorf("Distance(%q, %q) = %d, want %d", a, a+b, got, len([]rune(b)))
		}
	})
}
