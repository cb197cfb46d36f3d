package tools

import (
	"fmt"
	"strings"
)

// pageArgs are how a long result is read in pieces.
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

// pastEnd is the error for an offset beyond the last item.
func (l lang) pastEnd(what string, offset, n int) error {
	return &refusal{nil, l.say("workspace: %s has %d; offset=%d is past the end",
		"工作区：%s 共有 %d；offset=%d 超出末尾", what, n, offset)}
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
