package envelope_test

import (
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/gateway/envelope"
)

// TestDocument: what the document shows is true.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/envelope.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := func(language string, want int) (all []string) {
		for _, rest := range strings.Split(string(text), "```"+language+"\n")[1:] {
			code, _, closed := strings.Cut(rest, "```")
			if !closed {
				t.Fatalf("a block of %s has no end", language)
			}
			all = append(all, code)
		}
		if len(all) != want {
			t.Fatalf("%d blocks of %s, want %d", len(all), language, want)
		}
		return all
	}
	for _, message := range blocks("json", 2) {
		if _, err := envelope.Decode([]byte(message)); err != nil {
			t.Errorf("%s: %v", message, err)
		}
	}
	files := blocks("yaml", 2)
	house := dialect(t, files[1])
	f := house.Read([]byte(`{"id":"m-1","head":{"from":"a","to":"b"},"kind":"order","body":"x"}`), fill, envelope.Options{})
	if f.Verdict != envelope.OK || f.Envelope.Type != envelope.Task || house.Name() != "house" {
		t.Errorf("%+v", f)
	}
}
