package render_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/troupe-go/troupe/render"
)

func TestClean(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "a\n\tb", "a\n\tb"},
		{"chinese", "接口，字段。", "接口，字段。"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"colour with colons", "\x1b[38:2::1:2:3mx", "x"},
		{"clear screen", "a\x1b[2J\x1b[Hb", "ab"},
		{"private mode", "\x1b[?1049hx", "x"},
		{"title, BEL", "\x1b]0;owned\ax", "x"},
		{"title, ST", "\x1b]0;owned\x1b\\x", "x"},
		{"clipboard", "\x1b]52;c;ZXZpbA==\ax", "x"},
		{"link", "\x1b]8;;https://evil\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"title without an end shows what follows", "\x1b]0;rm -rf", "0;rm -rf"},
		{"title hides no second line", "\x1b]0;a\nb\a", "0;a\nb"},
		{"title ended by another sequence", "\x1b]0;a\x1b[1mb", "b"},
		{"title ended by an eight-bit sequence", "\x1b]0;a\u009b1mb", "b"},
		{"device control", "\x1bPq#0~\x1b\\x", "x"},
		{"application", "\x1b_x\x1b\\y", "y"},
		{"charset", "\x1b(0x", "x"},
		{"reset", "\x1bcx", "x"},
		{"cut sequence", "a\x1b[", "a"},
		{"cut sequence before text", "\x1b[3接", "接"},
		{"escape at the end", "a\x1b", "a"},
		{"two escapes", "\x1b\x1b[31mx", "x"},
		{"eight-bit sequence", "\u009b31mx", "x"},
		{"eight-bit title", "\u009d0;t\u009cx", "x"},
		{"eight-bit, raw bytes", "\x9b31mx", "\ufffd31mx"},
		{"backspace", "yes\b\b\bno", "yesno"},
		{"bell, NUL, DEL", "a\a\x00\x7fb", "ab"},
		{"CRLF", "a\r\nb", "a\nb"},
		{"CR", "10%\r20%", "10%\n20%"},
		{"other line breaks", "a\vb\fc\u0085d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"},
		{"override is shown", "user\u202etxt.exe", "user<U+202E>txt.exe"},
		{"isolate is shown", "\u2066a\u2069", "<U+2066>a<U+2069>"},
		{"marks of direction", "a\u200eb\u200fc\u061cd", "abcd"},
		{"invisible", "a\u200bb\ufeffc\u00add\u2060e", "abcde"},
		{"joiners stay", "👨‍👩‍👧 می\u200cخواهم", "👨‍👩‍👧 می\u200cخواهم"},
		{"no UTF-8", "a\xffb\xe4\xb8", "a\ufffdb\ufffd\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := render.Clean(tt.text); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestCleanLine(t *testing.T) {
	if got, want := render.CleanLine(" a\r\n\n\tb  \x1b[1mc\u3000d "), "a b c d"; got != want {
		t.Errorf("CleanLine = %q, want %q", got, want)
	}
}

func FuzzClean(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece)
	}
	f.Add("\x1b\x1b]0;\x1b\x1b\\")
	f.Add("\u009d\u009b1\x1b[")
	f.Add("\r\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := render.Clean(text)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is no UTF-8", text, got)
		}
		if i := strings.IndexFunc(got, isUnsafe); i >= 0 {
			t.Errorf("Clean(%q) = %q has an unsafe character at %d", text, got, i)
		}
		if again := render.Clean(got); again != got {
			t.Errorf("Clean(Clean(%q)) = %q, want %q", text, again, got)
		}
		if line := render.CleanLine(text); strings.ContainsAny(line, "\n\t") || strings.Contains(line, "  ") {
			t.Errorf("CleanLine(%q) = %q is not one line of single spaces", text, line)
		}
	})
}

// isUnsafe reports whether a terminal would take r for a command, or reorder
// text at it. Line breaks and tabs are safe.
func isUnsafe(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// TestCleanIsLinear cleans a great many introducers, which would take minutes
// if each looked for its end to the end of the text.
func TestCleanIsLinear(t *testing.T) {
	for _, intro := range []string{"\x1b]", "\u009d", "\x1b[", "\u009b", "\x1b", "\x1b "} {
		if got := strings.TrimLeft(render.Clean(strings.Repeat(intro, 1<<18)), "]"); got != "" {
			t.Errorf("Clean of many %q = %.20q, want nothing", intro, got)
		}
	}
}
