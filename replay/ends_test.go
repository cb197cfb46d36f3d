package replay_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
)

// TestVerifyEnds verifies logs that nobody can have recorded: the first record of
// a turn of an agent stands in the place of a result of its calls, and the result
// in its place. Each is found to be different, and none holds the verification
// up.
func TestVerifyEnds(t *testing.T) {
	for _, path := range recorded(t) {
		records := load(t, path)
		for i, rec := range records {
			if d, ok := rec.Data.(event.AgentState); !ok || d.To != event.Working || d.From.Busy() {
				continue
			}
			own := func(at int, fits bool) bool { return at > i && records[at].Agent == rec.Agent && fits }
			first, result := -1, -1
			for at := range records {
				if first < 0 && own(at, true) {
					first = at
				}
				if result < 0 && own(at, records[at].Type() == event.TypeToolFinished) {
					result = at
				}
			}
			if result < 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(path), i+1), func(t *testing.T) {
				odd := slices.Clone(records)
				odd[first].Data, odd[result].Data = odd[result].Data, odd[first].Data
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				v, err := replay.Verify(ctx, sequence(odd), replay.VerifyOptions{})
				if err != nil || v.OK() {
					t.Errorf("verified: %t, error %v; want a difference", v.OK(), err)
				}
			})
		}
	}
}
