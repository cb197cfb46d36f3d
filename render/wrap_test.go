package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/render"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"empty", "", 10, []string{""}},
		{"fits", "one two", 7, []string{"one two"}},
		{"at a space", "one two", 6, []string{"one", "two"}},
		{"line breaks stay", "a\n\nb\n", 10, []string{"a", "", "b", ""}},
		{"han breaks anywhere", "接口字段设计", 5, []string{"接口", "字段", "设计"}},
		{"word between han stays whole", "见design.md的", 10, []string{"见", "design.md", "的"}},
		{"path stays whole", "see sub/agent/x.md now", 14, []string{"see", "sub/agent/x.md", "now"}},
		{"path longer than the line", "abc/defgh/ijklm", 6, []string{"abc/de", "fgh/ij", "klm"}},
		{"closing mark stays with its word", "接口字段。设计", 8, []string{"接口字", "段。设计"}},
		{"two closing marks", "接口字段。」设", 8, []string{"接口字", "段。」设"}},
		{"opening mark goes along", "接口字「段」", 8, []string{"接口字", "「段」"}},
		{"ellipsis of two", "接口字段……", 9, []string{"接口字", "段……"}},
		{"dashes stay together", "接口字——段", 7, []string{"接口字", "——段"}},
		{"percent", "增长到 50 %吧", 9, []string{"增长到", "50 %吧"}},
		{"verb of a format", "aaaa bbb %s", 8, []string{"aaaa bbb", "%s"}},
		{"straight quotes go with what they touch", "他说\"好\"了", 8, []string{"他", "说\"好\"了"}},
		{"apostrophe", "we don’t know", 8, []string{"we don’t", "know"}},
		{"only marks", "。。。。。", 4, []string{"。。", "。。", "。"}},
		{"no space dangles", "one   two  ", 4, []string{"one", "two"}},
		{"only spaces", "    ", 2, []string{""}},
		{"indent stays", "  one two", 6, []string{"  one", "two"}},
		{"indent wider than the line", "          word", 6, []string{"word"}},
		{"ideographic indent", "\u3000\u3000接口字段", 8, []string{"\u3000\u3000接口", "字段"}},
		{"no-break space", "aa bb\u00a0cc", 6, []string{"aa", "bb\u00a0cc"}},
		{"tabs", "a\tb\n\tc\n接\td", 20, []string{"a   b", "    c", "接  d"}},
		{"family at the edge", "ab👨‍👩‍👧‍👦c", 3, []string{"ab", "👨‍👩‍👧‍👦c"}},
		{"flags", "🇨🇳🇩🇪🇫🇷", 4, []string{"🇨🇳🇩🇪", "🇫🇷"}},
		{"marks do not start a line", "ab" + "e\u0301\u0301", 2, []string{"ab", "e\u0301\u0301"}},
		{"width below two", "接a", 0, []string{"接", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, render.Wrap(tt.text, tt.width, 1)); diff != "" {
				t.Errorf("Wrap(%q, %d) (-want +got):\n%s", tt.text, tt.width, diff)
			}
		})
	}
}

func TestWrapAmbiguous(t *testing.T) {
	got := render.Wrap("αβγδ", 4, 2)
	if diff := cmp.Diff([]string{"αβ", "γδ"}, got); diff != "" {
		t.Errorf("Wrap of Greek letters of two columns (-want +got):\n%s", diff)
	}
}

// TestWrapKeepsTheText checks that no line is too wide and that nothing but
// spaces is lost or added.
func TestWrapKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := render.Clean(mixedText().Draw(t, "text"))
		width, ambiguous := rapid.IntRange(2, 60).Draw(t, "width"), rapid.IntRange(1, 2).Draw(t, "ambiguous")
		lines := render.Wrap(text, width, ambiguous)
		for _, line := range lines {
			if got := render.Width(line, ambiguous); got > width {
				t.Fatalf("line %q is %d wide, want at most %d", line, got, width)
			}
		}
		if got, want := ink(strings.Join(lines, "")), ink(text); got != want {
			t.Fatalf("text after wrapping is %q, want %q", got, want)
		}
		if got, least := len(lines), strings.Count(text, "\n")+1; got < least {
			t.Fatalf("%d lines, want at least %d", got, least)
		}
	})
}

// ink is the text without white space.
func ink(s string) string { return strings.Join(strings.Fields(s), "") }

const (
	closing = "、。，．）」』】》！？：；…%"
	opening = "（「『【《“‘"
)

// TestWrapMarks checks the marks at the ends of lines, for text in which rows
// of marks are shorter than a line.
func TestWrapMarks(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"接", "口", "字段", "，", "。」", "（", "「《", "……", "“", "”。", "API", "design.md", " ", " 50 %增", "！", "【", "】", "a/b",
	})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(part, 1, 60).Draw(t, "parts")
		text := strings.Join(parts, "")
		width := rapid.IntRange(24, 60).Draw(t, "width")
		if longestMarks(text) > width/2-4 {
			t.Skip("a row of marks fills the line")
		}
		lines := render.Wrap(text, width, 1)
		for i, line := range lines {
			first, _ := utf8.DecodeRuneInString(line)
			last, _ := utf8.DecodeLastRuneInString(line)
			if i > 0 && strings.ContainsRune(closing, first) {
				t.Fatalf("line %d starts with a closing mark:\n%s", i+1, strings.Join(lines, "\n"))
			}
			if i < len(lines)-1 && strings.ContainsRune(opening, last) {
				t.Fatalf("line %d ends with an opening mark:\n%s", i+1, strings.Join(lines, "\n"))
			}
		}
	})
}

// longestMarks is the length of the longest stretch that cannot be broken for
// the marks in it, in columns.
func longestMarks(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if !strings.ContainsRune(closing+opening+"” ", r) {
			run = 0
			continue
		}
		run += render.Width(string(r), 1)
		longest = max(longest, run)
	}
	return longest
}

// TestWrapWords checks that words stay whole when they fit into a line.
func TestWrapWords(t *testing.T) {
	word := rapid.StringMatching(`[a-z]([a-zA-Z0-9_./-]{0,22}[a-z])?`)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 30).Draw(t, "words")
		glue := rapid.SampledFrom([]string{" ", "接", " 口 ", "😀", "\n"}).Draw(t, "between")
		width := rapid.IntRange(24, 60).Draw(t, "width")
		lines := strings.Join(render.Wrap(strings.Join(words, glue), width, 1), "\n")
		rest := lines
		for _, w := range words {
			_, after, found := strings.Cut(rest, w)
			if !found {
				t.Fatalf("word %q is cut at width %d:\n%s", w, width, lines)
			}
			rest = after
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	text := strings.Repeat("API 接口已经确定了吗？我需要接口字段来设计表单，see sub_agent_results/design/design.md。\n", 200)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		render.Wrap(text, 76, 1)
	}
}
