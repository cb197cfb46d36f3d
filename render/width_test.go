package render_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/render"
)

func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want, two  int // with ambiguous characters of 1 and of 2 columns
	}{
		{"empty", "", 0, 0},
		{"ascii", "api.md", 6, 6},
		{"han", "回答", 4, 4},
		{"full-width mark", "，。", 4, 4},
		{"half-width katakana", "ｱｲ", 2, 2},
		{"hangul", "한국", 4, 4},
		{"hangul of parts", "\u1112\u1161\u11ab", 2, 2},
		{"combining", "e\u0301", 1, 1},
		{"many marks", "e" + strings.Repeat("\u0301", 50), 1, 1},
		{"lone mark", "\u0301", 0, 0},
		{"ambiguous ellipsis", "…", 1, 2},
		{"ambiguous quotes", "“a”", 3, 5},
		{"ambiguous Greek", "α", 1, 2},
		{"box", "┌─┐", 3, 6},
		{"arrow and marks", "→●○", 3, 6},
		{"yen", "¥", 1, 1},
		{"emoji", "😀", 2, 2},
		{"family", "👨‍👩‍👧‍👦", 2, 2},
		{"skin", "👍🏽", 2, 2},
		{"flag", "🇨🇳", 2, 2},
		{"two flags", "🇨🇳🇩🇪", 4, 4},
		{"flag by tags", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", 2, 2},
		{"keycap", "1\ufe0f\u20e3", 2, 2},
		{"text heart", "❤", 1, 1},
		{"emoji heart", "❤\ufe0f", 2, 2},
		{"wide after a mark that goes before", "\u0600世", 2, 2},
		{"hebrew", "שלום", 4, 4},
		{"arabic with marks", "مَ", 1, 1},
		{"thai", "กำ", 2, 2},
		{"joiner alone", "\u200d", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := render.Width(tt.text, 1); got != tt.want {
				t.Errorf("Width(%q, 1) = %d, want %d", tt.text, got, tt.want)
			}
			if got := render.Width(tt.text, 2); got != tt.two {
				t.Errorf("Width(%q, 2) = %d, want %d", tt.text, got, tt.two)
			}
		})
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"api.md", 6, "api.md"},
		{"api.md", 5, "api.…"},
		{"接口字段", 7, "接口字…"},
		{"接口字段", 6, "接口…"},
		{"ab cd", 4, "ab…"},
		{"👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -1, ""},
	} {
		if got := render.Cut(tt.text, tt.width, 1); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestCutNeverWider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := render.CleanLine(mixedText().Draw(t, "text"))
		width, ambiguous := rapid.IntRange(0, 40).Draw(t, "width"), rapid.IntRange(1, 2).Draw(t, "ambiguous")
		cut := render.Cut(text, width, ambiguous)
		if got := render.Width(cut, ambiguous); got > width {
			t.Fatalf("Cut(%q, %d, %d) = %q, %d wide", text, width, ambiguous, cut, got)
		}
		if fits := render.Width(text, ambiguous) <= width; fits != (cut == text) {
			t.Fatalf("Cut(%q, %d, %d) = %q, but fits is %t", text, width, ambiguous, cut, fits)
		}
	})
}

func TestPad(t *testing.T) {
	if got, want := render.Pad("回答", 6, 1), "回答  "; got != want {
		t.Errorf("Pad = %q, want %q", got, want)
	}
	if got, want := render.Pad("回答", 3, 1), "回答"; got != want {
		t.Errorf("Pad = %q, want %q", got, want)
	}
}

// pieces are what random text is made of: each a trap of its own.
var pieces = []string{
	"a", "word ", "don’t", "well-known ", "sub_agent_results/design/design.md", "https://example.com/a/b?c=d&e=%20",
	strings.Repeat("long", 40), "回答", "接口字段", "，", "。", "！？", "……", "——", "（", "）", "「", "」", "“", "”", "《", "》",
	"100%", "%s", "(", ")", "\"", "'", " ", "   ", "\u3000", "\u00a0", "\t", "\n", "\r\n", "\r", "\u2028",
	"😀", "👨‍👩‍👧‍👦", "🇨🇳", "🇨", "👍🏽", "1\ufe0f\u20e3", "❤\ufe0f", "\ufe0f", "e\u0301", "\u0301", "\u200d", "\u200b", "\ufeff", "\u00ad",
	"שלום", "مرحبا", "\u202e", "\u2066", "\u200f", "กำ", "क्षि", "한국어", "\u1112\u1161\u11ab", "\u1112", "\u0600", "α",
	"\x1b[31m", "\x1b]0;title\a", "\x1b", "\x00", "\b", "\u009b1m", "\xff", "\xe4\xb8", "\u0085", "│", "\U000e0067", "\u2060",
}

// mixedText is text made of pieces and of random runes.
func mixedText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		part := rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 6, -1))
		return strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "parts"), "")
	})
}
