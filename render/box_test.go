package render_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/render"
)

// TestBoxesHaveOneWidth draws boxes of all widths around a text that tries to
// get out of them.
func TestBoxesHaveOneWidth(t *testing.T) {
	text := "{\n  \"path\": \"a\x1b[2Jb.md\"\n}\n一段很长的中文，" + strings.Repeat("和 English words，", 20) + "\u202eend\r\n" + strings.Repeat("x", 300)
	for width := 24; width <= 120; width++ {
		for _, most := range []int{0, 3, 100} {
			lines := render.Box("apr_001 Team Leader\nasks", text, render.Options{Width: width, Lang: "en"}, most)
			for _, line := range lines {
				if got, want := render.Width(line, 1), render.Width(lines[0], 1); got != want || got > width {
					t.Errorf("width %d: a line of %d in a box of %d: %q", width, got, want, line)
				}
				if strings.ContainsAny(line, "\x1b\u202e\r\n") {
					t.Errorf("width %d: %q", width, line)
				}
			}
			if most == 3 && !strings.Contains(strings.Join(lines, "\n"), "… +") {
				t.Errorf("width %d: nothing says that lines are missing:\n%s", width, strings.Join(lines, "\n"))
			}
		}
	}
	short := render.Box("title", "one line", render.Options{Width: 30, ASCII: true}, 5)
	if len(short) != 4 || !strings.HasPrefix(short[0], "+--") || !strings.Contains(short[2], "| one line ") {
		t.Errorf("a short box:\n%s", strings.Join(short, "\n"))
	}
}
