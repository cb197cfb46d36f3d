package model

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"sync"
	"time"
)

// Rate is what an endpoint allows to one key; zero fields bound nothing.
type Rate struct {
	// RequestsPerMinute and TokensPerMinute count prompts and replies of all
	// calls. They are kept by buckets that fill evenly: a tenth of a minute's
	// requests, and a minute's tokens, may go out at once.
	RequestsPerMinute int `json:"requests_per_minute,omitempty"`
	TokensPerMinute   int `json:"tokens_per_minute,omitempty"`
	// Concurrent is how many calls may run at once.
	Concurrent int `json:"concurrent,omitempty"`
}

// LimiterOptions are the settings of a [Limiter].
type LimiterOptions struct {
	// Name is the endpoint as notices name it.
	Name string
	// Rate is what the endpoint allows.
	Rate Rate
	// WaitCap bounds how long a call waits for a pause that the provider asked
	// for; a call that would wait longer fails with class rate_limited. Zero
	// means [DefaultWaitCap].
	WaitCap time.Duration
	// Rand is that of [RetryPolicy].
	Rand func() float64
}

// Limiter keeps the calls of a whole team within what one endpoint allows to
// one key: all clients of the endpoint share it. When the endpoint refuses a
// call and says for how long, all others wait too and do not run into the same
// refusal. A wait of more than a second is told in a warning.
type Limiter struct {
	options LimiterOptions

	mu       sync.Mutex // guards all below
	rate     Rate
	requests *bucket
	tokens   *bucket
	gate     *Gate // nil if any number of calls may run
	pause    pause
}

// pause is a time in which an endpoint wants no calls.
type pause struct {
	until time.Time
	why   *Error
}

// NewLimiter returns a limiter for one endpoint and key.
func NewLimiter(o LimiterOptions) *Limiter {
	o.WaitCap = cmp.Or(o.WaitCap, DefaultWaitCap)
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	l := &Limiter{options: o}
	l.Tighten(o.Rate)
	return l
}

// Tighten lowers what the limiter allows to r, where r is stricter. It is
// meant for a second model of the same endpoint, before the first call.
func (l *Limiter) Tighten(r Rate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate = Rate{
		RequestsPerMinute: stricter(l.rate.RequestsPerMinute, r.RequestsPerMinute),
		TokensPerMinute:   stricter(l.rate.TokensPerMinute, r.TokensPerMinute),
		Concurrent:        stricter(l.rate.Concurrent, r.Concurrent),
	}
	l.requests = newBucket(l.rate.RequestsPerMinute, max(1, l.rate.RequestsPerMinute/10))
	l.tokens = newBucket(l.rate.TokensPerMinute, l.rate.TokensPerMinute)
	l.gate = nil
	if l.rate.Concurrent > 0 {
		l.gate = NewGate(l.rate.Concurrent)
	}
}

// stricter is the smaller of two bounds, of which 0 is none.
func stricter(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Client returns a client that makes its calls to c when the limiter allows
// it. Retries belong outside.
func (l *Limiter) Client(c Client) Client { return &limited{limiter: l, client: c} }

type limited struct {
	limiter *Limiter
	client  Client
}

// below puts wrap around the client below, so that nothing of wrap is held
// while a call waits for its endpoint.
func (l *limited) below(wrap func(Client) Client) Client {
	return &limited{limiter: l.limiter, client: wrap(l.client)}
}

// Stream waits until the endpoint may be asked, then asks the client below;
// see [Client].
func (l *limited) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		w := &turn{limiter: l.limiter, tokens: EstimateTokens(req), yield: yield}
		leave, err := w.enter(ctx)
		defer leave()
		if err != nil {
			if !errors.Is(err, errStopped) {
				yield(Chunk{}, err)
			}
			return
		}
		used, refused := 0, false
		defer func() {
			if used > 0 || refused {
				l.limiter.correct(used - w.tokens)
			}
		}()
		for chunk, err := range l.client.Stream(ctx, req) {
			if err != nil {
				refused = true
				l.limiter.refused(err)
			}
			if chunk.Usage != nil {
				used = chunk.Usage.Total()
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// correct books what a call took beside its estimate; n may be negative.
func (l *Limiter) correct(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens.correct(n)
}

// refused makes all calls wait when the endpoint says for how long it wants
// none.
func (l *Limiter) refused(err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.RetryAfter <= 0 || !e.mayPass() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := time.Now().Add(e.RetryAfter); until.After(l.pause.until) {
		l.pause = pause{until, e}
	}
}

// paused returns how long the endpoint wants no calls, and why.
func (l *Limiter) paused() (time.Duration, *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.pause.until), l.pause.why
}

// reserve books a request of so many tokens and returns how long it must wait.
func (l *Limiter) reserve(tokens int) (wait time.Duration, undo func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait, undoRequest := l.requests.take(1)
	more, undoTokens := l.tokens.take(tokens)
	return max(wait, more), func() { undoRequest(); undoTokens() }
}

func (l *Limiter) places() *Gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gate
}
