package transcript

import "github.com/troupe-go/troupe/event"

// ringSize is how many live records a reader may fall behind before it misses
// some.
const ringSize = 1024

// liveRecord is a live record and its place: behind the record after.
type liveRecord struct {
	after int64
	rec   event.Record
}

// ring keeps the newest live records. They are counted from 0; number n
// stands in slot n modulo ringSize.
type ring struct {
	slots []liveRecord
	count int64
}

func (r *ring) add(rec event.Record, after int64) {
	lr := liveRecord{after: after, rec: rec}
	if len(r.slots) < ringSize {
		r.slots = append(r.slots, lr)
	} else {
		r.slots[r.count%ringSize] = lr
	}
	r.count++
}

// at returns number n, which must be one of those kept.
func (r *ring) at(n int64) *liveRecord { return &r.slots[n%ringSize] }

// skip returns the first number from n on that is kept and does not stand
// before the record after.
func (r *ring) skip(n, after int64) int64 {
	n = max(n, r.count-int64(len(r.slots)))
	for n < r.count && r.at(n).after < after {
		n++
	}
	return n
}

// take returns the live records from n on that stand right behind the record
// after.
func (r *ring) take(n, after int64) []event.Record {
	var recs []event.Record
	for ; n < r.count && r.at(n).after == after; n++ {
		recs = append(recs, r.at(n).rec)
	}
	return recs
}
