package tools

import (
	"fmt"
	"io/fs"
	"strings"
)

// page is the piece of a long result that a call asks for.
type page struct {
	offset, limit int
}

// newPage takes the arguments of a call: a limit that is absent is usual, one
// that is too high is most.
func newPage(offset, limit, usual, most int) page {
	if limit <= 0 {
		limit = usual
	}
	return page{max(offset, 0), min(limit, most)}
}

// more is the last line of a result that has more than it shows. It is the
// same in every language, so that programs can read it.
func more(n, offset int) string {
	return fmt.Sprintf("… %d more; go on with offset=%d\n", n, offset)
}

// pastEnd is the error for an offset beyond the last of n items.
func (l lang) pastEnd(offset, n int) error {
	return &refusalError{fs.ErrInvalid, l.say("workspace: offset=%d is past the end; there are %d",
		"工作区：offset=%d 超出末尾；总数为 %d", offset, n)}
}

// listing is a result of many lines, of which it keeps those of a page.
type listing struct {
	page  page
	n     int // lines so far
	shown strings.Builder
}

// add takes the next line, which it asks for only if the page shows it.
func (l *listing) add(line func() string) {
	if l.n >= l.page.offset && l.n-l.page.offset < l.page.limit {
		l.shown.WriteString(line())
		l.shown.WriteByte('\n')
	}
	l.n++
}

// past reports whether the page begins behind the last line.
func (l *listing) past() bool { return l.page.offset > 0 && l.page.offset >= l.n }

// text has the lines of the page and says what is left.
func (l *listing) text() string {
	if left := l.n - l.page.offset - l.page.limit; left > 0 {
		return l.shown.String() + more(left, l.n-left)
	}
	return l.shown.String()
}
