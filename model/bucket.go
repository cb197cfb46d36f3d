package model

import (
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// bucket keeps an amount a minute. The nil bucket bounds nothing. Its owner
// guards it.
type bucket struct {
	limiter *rate.Limiter
	owed    int // what the next take pays beside its own; may be negative
}

// newBucket returns a bucket for an amount a minute, of which burst may be
// taken at once when it is full. An amount of 0 bounds nothing. If burst is
// less than the whole amount, no minute ever sees more than the amount.
func newBucket(perMinute, burst int) *bucket {
	if perMinute <= 0 {
		return nil
	}
	filling := perMinute
	if 1 < burst && burst < perMinute {
		filling -= burst
	}
	return &bucket{limiter: rate.NewLimiter(rate.Limit(float64(filling)/time.Minute.Seconds()), burst)}
}

// take takes n out and returns how long to wait before using it; undo puts it
// back if it will not be used. More than the bucket holds is paid in parts.
func (b *bucket) take(n int) (wait time.Duration, undo func()) {
	if b == nil {
		return 0, func() {}
	}
	n += b.owed
	b.owed = min(n, 0)
	now := time.Now()
	var taken []*rate.Reservation
	for rest := n; rest > 0; {
		part := min(rest, b.limiter.Burst())
		r := b.limiter.ReserveN(now, part)
		taken = append(taken, r)
		wait = max(wait, r.DelayFrom(now))
		rest -= part
	}
	return wait, func() {
		for _, r := range slices.Backward(taken) {
			r.Cancel()
		}
	}
}

// correct books that n more than estimated was used; n may be negative.
func (b *bucket) correct(n int) {
	if b != nil {
		b.owed += n
	}
}
