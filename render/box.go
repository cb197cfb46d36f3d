package render

import (
	"fmt"
	"strings"
)

// Box is a box with a title and a text, drawn like the bubbles of messages, in
// lines. It shows at most most lines of the text and says how many are missing.
func Box(title, text string, o Options, most int) []string {
	s := newStyle(o)
	x := newBox(s)
	content := s.wrap(Clean(text), x.inner)
	more := len(content) - max(0, most)
	if more > 0 {
		content = append(content[:len(content)-more:len(content)-more], fmt.Sprintf("%s +%d", s.ellipsis, more))
	}
	var b strings.Builder
	x.border(&b, s.topLeft, s.topRight)
	for _, line := range s.wrap(CleanLine(title), x.inner) {
		x.line(&b, line, StyleTitle)
	}
	for _, line := range content {
		x.line(&b, s.cut(line, x.inner, s.ellipsis), StylePlain)
	}
	x.border(&b, s.bottomLeft, s.bottomRight)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
