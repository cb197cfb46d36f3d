package golden_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/internal/golden"
)

// witness notes failures instead of failing.
type witness struct {
	testing.TB
	failures []string
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

// setUpdate sets -update for the length of a test.
func setUpdate(t *testing.T, value string) {
	t.Helper()
	before := flag.Lookup("update").Value.String()
	if err := flag.Set("update", value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set("update", before); err != nil {
			t.Error(err)
		}
	})
}

func TestEqual(t *testing.T) {
	tests := []struct {
		name string
		file string // "" for none
		got  string
		want []string // parts of the one failure; none for no failure
	}{
		{name: "same", file: "one\ntwo\n", got: "one\ntwo\n"},
		{name: "other text", file: "one\ntwo\n", got: "one\nthree\n", want: []string{"two", "three", "-update"}},
		{name: "no file", got: "one\n", want: []string{"no such file", "-update"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setUpdate(t, "false")
			path := filepath.Join(t.TempDir(), "golden.txt")
			if tt.file != "" {
				if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w := &witness{TB: t}
			golden.Equal(w, path, []byte(tt.got))
			if got, want := len(w.failures), min(1, len(tt.want)); got != want {
				t.Fatalf("got %d failures, want %d: %q", got, want, w.failures)
			}
			for _, part := range tt.want {
				if !strings.Contains(w.failures[0], part) {
					t.Errorf("failure %q does not say %q", w.failures[0], part)
				}
			}
		})
	}
}

func TestEqualUpdates(t *testing.T) {
	setUpdate(t, "true")
	path := filepath.Join(t.TempDir(), "new", "golden.txt")
	for _, text := range []string{"first", "second"} {
		golden.Equal(t, path, []byte(text))
		got, err := os.ReadFile(path)
		if err != nil || string(got) != text {
			t.Errorf("file holds %q, %v; want %q", got, err, text)
		}
	}
}

func TestEqualTellsThatItCannotWrite(t *testing.T) {
	setUpdate(t, "true")
	w := &witness{TB: t}
	golden.Equal(w, t.TempDir(), []byte("a folder is in the way"))
	if len(w.failures) != 1 {
		t.Errorf("got failures %q, want one", w.failures)
	}
}
