package transcript

import (
	"cmp"
	"slices"
	"strings"
)

// span is the place of a secret in a text.
type span struct {
	from, to int
	kind     string
}

// redacted is the kind of what an expression of the team file found.
const redacted = "redact"

// maxViews is how often escapes are undone: JSON text stands in JSON text.
const maxViews = 3

// spans finds what looks like a secret in s, also where escapes of JSON stand
// in it. Views is how many escapes were undone already.
func (m *Mask) spans(s string, views int) []span {
	found := m.finder.spans(s)
	for _, re := range m.redact {
		for _, at := range re.FindAllStringIndex(s, -1) {
			found = append(found, span{at[0], at[1], redacted})
		}
	}
	if views == maxViews {
		return found
	}
	view, ok := unescape(s)
	if !ok {
		return found
	}
	for _, sp := range m.spans(view.text, views+1) {
		found = append(found, span{view.raw(sp.from), view.raw(sp.to), sp.kind})
	}
	return found
}

// replaceSpans puts a mask into each of the spans, which may overlap: those
// that do become one.
func replaceSpans(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	end := 0
	for i := 0; i < len(spans); {
		sp := spans[i]
		for i++; i < len(spans) && spans[i].from < sp.to; i++ {
			sp.to = max(sp.to, spans[i].to)
		}
		if sp.from < sp.to {
			b.WriteString(s[end:sp.from])
			b.WriteString("[masked: " + sp.kind + "]")
			end = sp.to
		}
	}
	b.WriteString(s[end:])
	return b.String()
}
