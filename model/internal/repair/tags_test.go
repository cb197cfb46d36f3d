package repair_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// split feeds pieces to a splitter.
func split(open bool, pieces ...string) (text, reasoning string) {
	s := repair.NewSplitter(open)
	for _, p := range pieces {
		a, b := s.Add(p)
		text, reasoning = text+a, reasoning+b
	}
	a, b := s.Flush()
	return text + a, reasoning + b
}

func TestSplitter(t *testing.T) {
	tests := []struct {
		open                bool
		in, text, reasoning string
	}{
		{false, "plain", "plain", ""},
		{false, "  <think> a b </think>\n\n c ", "c ", "a b"},
		{false, "<thinking>a</think></thinking>c", "c", "a</think>"},
		{false, "◁think▷a◁/think▷c", "c", "a"},
		{false, "<think></think>c", "c", ""},
		{false, "<think>a</think> <think>b</think> c", "c", "ab"},
		{false, "c <think>a</think>", "c <think>a</think>", ""},
		{false, "<think>a", "", "a"},
		{false, "<thin", "<thin", ""},
		{true, "a</think>c", "c", "a"},
		{true, "<think>a</think>c", "c", "a"},
		{true, "a", "", "a"},
		{true, "", "", ""},
	}
	for _, tt := range tests {
		text, reasoning := split(tt.open, tt.in)
		if text != tt.text || reasoning != tt.reasoning {
			t.Errorf("%q: text %q and reasoning %q, want %q and %q", tt.in, text, reasoning, tt.text, tt.reasoning)
		}
	}
}

// TestSplitterInAnyPieces: how the text is cut makes no difference, and only
// tags and white space are lost.
func TestSplitterInAnyPieces(t *testing.T) {
	word := rapid.SampledFrom([]string{"<think>", "</think>", "<thin", "k>", "</", "a", "<", " ", "\n", "b c"})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(word).Draw(t, "pieces")
		open := rapid.Bool().Draw(t, "open")
		all := strings.Join(pieces, "")
		text, reasoning := split(open, pieces...)
		wantText, wantReasoning := split(open, all)
		if text != wantText || reasoning != wantReasoning {
			t.Fatalf("%q: text %q and reasoning %q, in one piece %q and %q", pieces, text, reasoning, wantText, wantReasoning)
		}
		letters := func(s string) string {
			return strings.NewReplacer("<think>", "", "</think>", "", " ", "", "\n", "").Replace(s)
		}
		if got, want := len(letters(text+reasoning)), len(letters(all)); got < want-len("<think></think>") {
			t.Fatalf("%q lost text: %q and %q", pieces, text, reasoning)
		}
	})
}

// TestHolderInAnyPieces: nothing is lost, and what comes before the calls is
// handed on.
func TestHolderInAnyPieces(t *testing.T) {
	word := rapid.SampledFrom([]string{"<tool_call>", "<tool", "_call>", "```", "json", "[TOOL", "_CALLS]", "{", "a", " ", "<"})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(word).Draw(t, "pieces")
		all := strings.Join(pieces, "")
		var h, whole repair.Holder
		var out string
		for _, p := range pieces {
			out += h.Add(p)
		}
		if want := whole.Add(all); out != want {
			t.Fatalf("%q: handed on %q, in one piece %q", pieces, out, want)
		}
		if held := h.Flush(); out+held != all {
			t.Fatalf("%q became %q and %q", all, out, held)
		}
	})
}
