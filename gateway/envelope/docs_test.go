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
	block := func(language string) []byte {
		_, rest, ok := strings.Cut(string(text), "```"+language+"\n")
		code, _, closed := strings.Cut(rest, "```")
		if !ok || !closed {
			t.Fatalf("no block of %s", language)
		}
		return []byte(code)
	}
	if _, err := envelope.Decode(block("json")); err != nil {
		t.Error(err)
	}
	house := dialect(t, string(block("yaml")))
	f := house.Read([]byte(`{"id":"m-1","head":{"from":"a","to":"b"},"kind":"order","body":"x"}`), fill, envelope.Options{})
	if f.Verdict != envelope.OK || f.Envelope.Type != envelope.Task || house.Name() != "house" {
		t.Errorf("%+v", f)
	}
}
