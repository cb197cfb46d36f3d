package main

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/render"
)

// typeKeys types keys as they come, each chunk at once, and returns the lines.
func typeKeys(e *lineEditor, chunks ...string) (lines []string, end typed) {
	for _, chunk := range chunks {
		for rest := []byte(chunk); ; {
			var did typed
			did, rest = e.typeAll(rest)
			if did == typedLine {
				lines = append(lines, e.take())
				continue
			}
			if end = did; len(rest) == 0 {
				break
			}
		}
	}
	return lines, end
}

func TestLineEditor(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chunks []string
		want   string // the lines, with | between
	}{
		{"a line", []string{"hello\r"}, "hello"},
		{"byte by byte", strings.Split("你好，世界\r", ""), "你好，世界"},
		{"half a character", []string{"\xe4\xbd", "\xa0\r"}, "你"},
		{"backspace over wide ones", []string{"你好\x7f\x7fab\x7f\r"}, "a"},
		{"in the middle", []string{"ac\x1b[Db\r"}, "abc"},
		{"home and end", []string{"bc\x01a\x05d\r", "yz\x1b[Hx\x1b[F!\r"}, "abcd|xyz!"},
		{"delete", []string{"abc\x01\x1b[3~\x04\r"}, "c"},
		{"words and rests", []string{"one two \x17three\r", "gone\x15here\r", "left right\x01\x06\x06\x06\x06\x0b\r"}, "one three|here|left"},
		{"history", []string{"one\r", "two\r", "\x1b[A\x1b[A\r", "\x1b[A\x1b[B\x1b[Bthree\r", "now\x1b[A\x1b[B!\r"}, "one|two|one|three|now!"},
		{"a bracketed paste", []string{"say \x1b[200~one\rtwo\n\x03\x1b[A three\x1b[201~.\r"}, "say one\ntwo\n three."},
		{"a paste in pieces", []string{"\x1b[200~one\r", "two\x1b[201", "~\r"}, "one\ntwo"},
		{"lines at once", []string{"one\rtwo\rthree", "\r"}, "one|two|three"},
		{"a key that means nothing", []string{"a\x1b[5~b\x1bOPc\x1bxd\r"}, "abcd"},
		{"not UTF-8", []string{"a\xffb\r"}, "ab"},
	} {
		lines, _ := typeKeys(&lineEditor{}, tt.chunks...)
		if got := strings.Join(lines, "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for keys, want := range map[string]typed{"\x04": typedEnd, "a\x04": typedText, "\x03": typedInterrupt, "\x1b[3~": typedText} {
		if _, did := typeKeys(&lineEditor{}, keys); did != want {
			t.Errorf("%q did %d, want %d", keys, did, want)
		}
	}
}

func TestLineEditorRows(t *testing.T) {
	var e lineEditor
	typeKeys(&e, "\x1b[200~你好，世界，这是一段很长的文字，要折行\rtwo\x1b[201~")
	for width := 8; width < 50; width += 3 {
		rows := e.rows("› ", "▏", width, 1, 100)
		for _, row := range rows {
			if render.Width(row, 1) > width {
				t.Errorf("a row of width %d on a terminal of %d: %q", render.Width(row, 1), width, row)
			}
		}
		if text := strings.Join(rows, ""); strings.Count(text, "▏") != 1 || !strings.HasSuffix(text, "two▏") {
			t.Errorf("the rows are %q", rows)
		}
		if few := e.rows("› ", "▏", width, 1, 2); len(few) > 2 || !strings.Contains(strings.Join(few, ""), "▏") {
			t.Errorf("two rows around the cursor are %q", few)
		}
	}
}
