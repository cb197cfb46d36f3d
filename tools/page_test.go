package tools_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

// TestListing goes through pages of short results: what they show is a piece of
// all lines, what they leave is told, and no line is written that is only
// counted, for a search may find millions.
func TestListing(t *testing.T) {
	for n := range 9 {
		for _, offset := range []int{math.MinInt, -1, 0, 1, 2, n - 1, n, n + 1, math.MaxInt} {
			for _, limit := range []int{math.MinInt, 0, 1, 2, 3, 4, 5, 6, math.MaxInt} {
				from, most := max(0, offset), 3 // usual
				if limit > 0 {
					most = min(limit, 5)
				}
				text, past, written := tools.List(offset, limit, n)
				if past != (from > 0 && from >= n) {
					t.Errorf("offset %d of %d: past the end: %t", offset, n, past)
				}
				if past {
					continue
				}
				var want strings.Builder
				shown := 0
				for i := from; i < n && shown < most; i++ {
					fmt.Fprintln(&want, i)
					shown++
				}
				if left := n - from - shown; left > 0 {
					fmt.Fprintf(&want, "… %d more; go on with offset=%d\n", left, from+shown)
				}
				if text != want.String() || written != shown {
					t.Errorf("offset %d, limit %d of %d: %q with %d lines written, want %q with %d", offset, limit, n, text, written, want.String(), shown)
				}
			}
		}
	}
}
