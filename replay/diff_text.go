package replay

import (
	"bytes"
	"encoding/json"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

const (
	maxDiffLines = 16       // of a shown difference
	maxDiffText  = 16 << 10 // bytes behind the first change that are looked at
)

// changedLines shows the first change from a to b as lines that begin with
// "-", "+" or a space, with so many unchanged lines around it. JSON is shown
// indented. What does not fit is left out, marked by a line " …".
func changedLines(a, b string, context int) string {
	if x, ok := laidOut(a); ok {
		if y, ok := laidOut(b); ok && x != y {
			a, b = x, y
		}
	}
	context = max(context, 0)
	a, b = fromFirstChange(a, b, context)
	edits := udiff.Lines(a, b)
	diff, err := udiff.ToUnifiedDiff("", "", a, edits, context)
	if err != nil || len(diff.Hunks) == 0 {
		return ""
	}
	var out strings.Builder
	for i, l := range diff.Hunks[0].Lines {
		if i == maxDiffLines {
			out.WriteString(" …\n")
			break
		}
		out.WriteString(mark(l.Kind) + strings.TrimSuffix(l.Content, "\n") + "\n")
	}
	return out.String()
}

func mark(kind udiff.OpKind) string {
	switch kind {
	case udiff.Delete:
		return "-"
	case udiff.Insert:
		return "+"
	case udiff.Equal:
	}
	return " "
}

// laidOut lays out a JSON object or list over lines.
func laidOut(text string) (string, bool) {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return "", false
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return "", false
	}
	return out.String(), true
}

// fromFirstChange cuts both texts down to what is near their first change, and
// ends each with a line break.
func fromFirstChange(a, b string, context int) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	start := strings.LastIndexByte(a[:same], '\n') + 1
	for range context {
		if start > 0 {
			start = strings.LastIndexByte(a[:start-1], '\n') + 1
		}
	}
	return ended(a[start:], same-start), ended(b[start:], same-start)
}

// ended ends a text with a line break, and cuts it some way behind the first
// change.
func ended(text string, change int) string {
	if most := change + maxDiffText; len(text) > most {
		text = beginning(text, most) + "…"
	}
	return line(text)
}
