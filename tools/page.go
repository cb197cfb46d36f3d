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

// of returns the part of n items that the page shows.
func (p page) of(n int) (from, to int) {
	from = min(p.offset, n)
	return from, min(from+p.limit, n)
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

// lines joins the lines of a page and adds what is left.
func (p page) lines(all []string) string {
	from, to := p.of(len(all))
	var b strings.Builder
	for _, line := range all[from:to] {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	if to < len(all) {
		b.WriteString(more(len(all)-to, to))
	}
	return b.String()
}
