package gateway

import "time"

// bucket is a token bucket: it fills with rate tokens a second up to burst, and
// what is taken may bring it below zero, which is paid off before more is given.
type bucket struct {
	rate, burst float64
	level       float64
	at          time.Time // of level
}

func newBucket(rate, burst float64, now time.Time) bucket {
	return bucket{rate: rate, burst: burst, level: burst, at: now}
}

// fill brings the bucket up to now. A clock that goes back fills nothing.
func (b *bucket) fill(now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.level = min(b.burst, b.level+passed.Seconds()*b.rate)
		b.at = now
	}
}

// wait is how long it takes until n may be taken, 0 if at once. More than fits
// may be taken from a full bucket.
func (b *bucket) wait(n float64) time.Duration {
	missing := min(n, b.burst) - b.level
	if missing <= 0 {
		return 0
	}
	// At least a nanosecond, or who waits would find that it still has to.
	return time.Duration(missing/b.rate*float64(time.Second)) + 1
}

func (b *bucket) full() bool { return b.level >= b.burst }
