package model

import (
	"sync"
	"time"
)

// Limiters are the limiters of a team, one for each endpoint and key, however
// its clients were made. They are safe for concurrent use.
type Limiters struct {
	waitCap time.Duration

	mu  sync.Mutex // guards all
	all map[target]*Limiter
}

// target is an endpoint and the key that it is asked with.
type target struct{ address, key string }

// direct is a client of one endpoint, with nothing between.
type direct interface {
	Client
	target() target
}

// NewLimiters returns no limiters yet; waitCap is [LimiterOptions.WaitCap] of
// those to come.
func NewLimiters(waitCap time.Duration) *Limiters {
	return &Limiters{waitCap: waitCap, all: map[target]*Limiter{}}
}

// Of returns the limiter of the endpoint that c asks; nil if c is not from
// [Open], [NewAdaptive] or [NewOpenAI], or if it is a script.
func (l *Limiters) Of(c Client) *Limiter {
	p, ok := c.(direct)
	if !ok {
		return nil
	}
	at := p.target()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all[at] == nil {
		l.all[at] = NewLimiter(LimiterOptions{Name: at.address, WaitCap: l.waitCap})
	}
	return l.all[at]
}

// Client returns c with what it lacks of the usual chain: the client of an
// endpoint gets the limiter of that endpoint, below the retries that it has or
// above which it gets the usual ones. So do the clients below [WithFallback]. A
// client that has a limiter, a script, and a client of your own stay as they
// are.
func (l *Limiters) Client(c Client) Client {
	switch c := c.(type) {
	case direct:
		return WithRetry(l.limited(c), RetryPolicy{WaitCap: l.waitCap})
	case *fallback:
		return c.below(l.Client)
	case *retrying:
		return c.below(l.limited)
	}
	return c
}

// limited puts the limiter of its endpoint above a client that has none.
func (l *Limiters) limited(c Client) Client {
	if limiter := l.Of(c); limiter != nil {
		return limiter.Client(c)
	}
	if c, ok := c.(*fallback); ok {
		return c.below(l.limited)
	}
	return c
}
