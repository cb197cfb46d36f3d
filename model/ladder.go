package model

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// ladder says how often and how patiently calls of one class are tried again.
type ladder struct {
	tries     int // retries of a call for this class
	base, cap int // the waits, as multiples of the policy's
}

// ladders are the classes that are worth another try, each with a ladder of its
// own: capacity comes back in seconds to minutes, a gateway's hiccup is over at
// once or not at all.
var ladders = map[string]ladder{
	ClassOverloaded:      {tries: 8, base: 10, cap: 12},
	ClassRateLimited:     {tries: 8, base: 5, cap: 6},
	ClassTransport:       {tries: 5, base: 1, cap: 1},
	ClassServerError:     {tries: 3, base: 1, cap: 1},
	ClassProviderError:   {tries: 3, base: 1, cap: 1},
	ClassTruncatedStream: {tries: 3, base: 1, cap: 1},
	ClassEmptyResponse:   {tries: 3, base: 1, cap: 1},
	ClassStalled:         {tries: 2, base: 1, cap: 1},
}

// climb is where one call stands on the ladders.
type climb struct {
	policy RetryPolicy
	total  int           // retries so far
	waited time.Duration // in all waits so far
	rungs  map[string]*rung
}

// rung is where one call stands on the ladder of one class.
type rung struct {
	tries int
	waits *backoff.ExponentialBackOff
}

// next is how long to wait before the next try after a failure of the class,
// and false if there is to be none. The wait is the longer one of what the
// provider asked for and of the ladder's own.
func (c *climb) next(class string, asked time.Duration) (time.Duration, bool) {
	p := c.policy
	l, ok := ladders[class]
	if !ok {
		l = ladders[ClassProviderError]
	}
	most, tries := DefaultRetries, l.tries
	if p.Max != 0 {
		most, tries = p.Max, p.Max
	}
	r := c.rungs[class]
	if r == nil {
		r = &rung{waits: l.waits(p)}
		c.rungs[class] = r
	}
	if c.total >= most || r.tries >= tries {
		return 0, false
	}
	wait := r.waits.NextBackOff()
	wait -= time.Duration(p.Rand() * float64(wait) / 2)
	if asked >= wait {
		wait = asked + time.Duration(p.Rand()*float64(min(asked/4, maxSpread)))
	}
	if p.Budget > 0 && c.waited+wait > p.Budget {
		return 0, false
	}
	c.total, r.tries, c.waited = c.total+1, r.tries+1, c.waited+wait
	return wait, true
}

// maxSpread bounds what is added to a wait that the provider asked for, so
// that those who were sent away together do not come back together.
const maxSpread = 5 * time.Second

func (l ladder) waits(p RetryPolicy) *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = p.Base * time.Duration(l.base)
	b.MaxInterval = p.Cap * time.Duration(l.cap)
	b.Multiplier, b.RandomizationFactor = 2, 0
	return b
}
