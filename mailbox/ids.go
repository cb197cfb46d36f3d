package mailbox

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/event"
)

// IDs mints the message ids of one run. The number in an id counts per prefix
// and code over the whole run, so two instances of a role never share an id.
// It is safe for concurrent use. See the mailbox protocol, section 5.
type IDs struct {
	mu   sync.Mutex     // guards last
	last map[string]int // the highest number seen, by everything before it in the id
}

// NewIDs returns counters that start at 1.
func NewIDs() *IDs {
	return &IDs{last: make(map[string]int)}
}

// Mint returns the next id of a message of kind k, which must be valid, from
// the participant with the given short code: "ask_uio_001". A task carries no
// code: "task_001". The number has at least three digits.
func (x *IDs) Mint(k event.Kind, code string) string {
	stem := k.Prefix()
	if k != event.Task {
		stem += code + "_"
	}
	return x.next(stem)
}

// next counts one up behind the stem of an id.
func (x *IDs) next(stem string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last == nil {
		x.last = make(map[string]int)
	}
	x.last[stem]++
	return fmt.Sprintf("%s%03d", stem, x.last[stem])
}

// MintApproval returns the id of the next approval: "apr_001".
func (x *IDs) MintApproval() string { return x.next("apr_") }

// longestID is as long as an id with this code can get in any run.
func longestID(code string) string {
	return fmt.Sprintf("%s%s_%d", event.Question.Prefix(), code, math.MaxInt64)
}

// Apply raises the counters to the ids in rec, so that a resumed run repeats
// none of them. Records without message ids change nothing.
func (x *IDs) Apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		x.raise(d.ID)
	case event.QuestionOpened:
		x.raise(d.ID)
	case event.QuestionClosed:
		x.raise(d.AnswerID)
	case event.HistoryCompacted:
		x.raise(d.ID)
	case event.ApprovalRequested:
		x.raise(d.ID)
	default: // no id of ours
	}
}

// raise takes note of an id. One that Mint could not have made, or whose
// number no run can reach, is nothing to collide with.
func (x *IDs) raise(id string) {
	end := strings.LastIndexByte(id, '_') + 1
	n, err := strconv.ParseUint(id[end:], 10, 40)
	if err != nil || end == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.last == nil {
		x.last = make(map[string]int)
	}
	stem := id[:end]
	x.last[stem] = max(x.last[stem], int(n))
}
