package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Defaults of a [RetryPolicy].
const (
	DefaultRetries     = 10
	DefaultBase        = 200 * time.Millisecond
	DefaultCap         = 5 * time.Second
	DefaultWaitCap     = 120 * time.Second
	DefaultRetryBudget = 10 * time.Minute
)

// RetryPolicy says how often and when a failed call is tried again. Each class
// of errors has a ladder of its own:
//
//	overloaded                                        8 times, 10 × Base to 12 × Cap
//	rate_limited                                      8 times, 5 × Base to 6 × Cap
//	transport                                         5 times, Base to Cap
//	server_error, provider_error, truncated_stream,
//	empty_response                                    3 times, Base to Cap
//	stalled                                           2 times, Base to Cap
//
// Each wait is twice the one before it, less a random part of up to half. The
// zero value has the defaults.
type RetryPolicy struct {
	// Max is how many times a call is tried again after the first, whatever
	// the class; 0 means as often as the ladder of the class says and
	// [DefaultRetries] times in all, a negative number never.
	Max int `json:"max,omitempty"`
	// Base and Cap are the first and the longest wait of the shortest ladder.
	// Zero means [DefaultBase] and [DefaultCap].
	Base time.Duration `json:"base,omitempty"`
	Cap  time.Duration `json:"cap,omitempty"`
	// WaitCap is the longest wait that a provider may ask for; if it asks for
	// more the call fails. Zero means [DefaultWaitCap].
	WaitCap time.Duration `json:"wait_cap,omitempty"`
	// Budget bounds all waits of one call together; a call whose next wait
	// would go past it fails. Zero means [DefaultRetryBudget], a negative
	// number no bound.
	Budget time.Duration `json:"budget,omitempty"`
	// AfterText lets a call be tried again also after it showed text, reasoning
	// or calls, which are then void. A warning says so.
	AfterText bool `json:"after_text,omitempty"`
	// Rand returns numbers from 0 up to 1 and is safe for use by many
	// goroutines at once; nil means [rand.Float64].
	Rand func() float64 `json:"-"`
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	set := func(d *time.Duration, usual time.Duration) {
		if *d <= 0 {
			*d = usual
		}
	}
	set(&p.Base, DefaultBase)
	set(&p.Cap, DefaultCap)
	set(&p.WaitCap, DefaultWaitCap)
	if p.Budget == 0 {
		p.Budget = DefaultRetryBudget
	}
	if p.Rand == nil {
		p.Rand = rand.Float64
	}
	return p
}

// WithRetry returns a client that tries a call of c again when it failed with
// a retryable [*Error] before anything visible came: text, reasoning or calls.
// A notice [event.ModelRetried] goes before each wait; the end of the context
// ends a wait at once. Usage of the failed attempts is added to that of the
// last one.
func WithRetry(c Client, p RetryPolicy) Client {
	return &retrying{client: c, policy: p.withDefaults()}
}

type retrying struct {
	client Client
	policy RetryPolicy
}

// Stream asks the client below until it answers; see [Client].
func (r *retrying) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		way := &climb{policy: r.policy, rungs: map[string]*rung{}}
		var spent event.Usage
		for tried := 1; ; tried++ {
			a := attempt{spent: spent}
			err := a.run(ctx, r.client, req, yield)
			if err == nil {
				return
			}
			spent = a.total()
			wait, ok, failed := r.wait(err, a.visible, way)
			if !ok {
				giveUp(yield, spent, failed)
				return
			}
			if a.visible && !yield(Chunk{Notice: voided(failed)}, nil) {
				return
			}
			notice := event.ModelRetried{Attempt: tried, WaitMS: wait.Milliseconds(), Failure: AsFailure(failed)}
			if !yield(Chunk{Notice: notice}, nil) {
				return
			}
			if err := sleep(ctx, wait); err != nil {
				giveUp(yield, spent, err)
				return
			}
		}
	}
}

// below puts wrap around the client that is tried again, so that nothing of
// wrap is held during a wait.
func (r *retrying) below(wrap func(Client) Client) Client {
	return &retrying{client: wrap(r.client), policy: r.policy}
}

// voided tells that what was shown of a reply does not count.
func voided(err error) event.Warning {
	return event.Warning{Code: "reply_discarded", Text: "the part of the reply that came is discarded and the step is asked again: " + AsFailure(err).Message}
}

// giveUp yields what all attempts cost, then the error.
func giveUp(yield func(Chunk, error) bool, spent event.Usage, err error) {
	if spent == (event.Usage{}) || yield(Chunk{Usage: &spent}, nil) {
		yield(Chunk{}, err)
	}
}

// wait returns how long to wait after a failed attempt, and false if it must
// not be tried again; failed is err, with a hint if the wait would be too long.
func (r *retrying) wait(err error, visible bool, way *climb) (wait time.Duration, ok bool, failed error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Retryable || visible && !r.policy.AfterText {
		return 0, false, err
	}
	if e.RetryAfter > r.policy.WaitCap {
		return 0, false, tooLate(e, r.policy.WaitCap)
	}
	wait, ok = way.next(e.like(), e.RetryAfter)
	return wait, ok, err
}

// tooLate is e with a hint that the wait it asks for is too long.
func tooLate(e *Error, waitCap time.Duration) *Error {
	late := *e
	late.Hint = fmt.Sprintf("the provider asks to wait %s, longer than the %s allowed; try later or use another model",
		e.RetryAfter.Round(time.Second), waitCap)
	return &late
}

// attempt is one try of a call.
type attempt struct {
	spent   event.Usage // by the attempts before
	usage   event.Usage // by this one, as far as it is known
	visible bool        // text, reasoning or calls were handed on
}

func (a *attempt) total() event.Usage { return a.spent.Add(a.usage) }

// run hands the pieces of one try on and returns the error that ended it; nil
// also if the consumer stopped.
func (a *attempt) run(ctx context.Context, c Client, req Request, yield func(Chunk, error) bool) error {
	for chunk, err := range c.Stream(ctx, req) {
		if err != nil {
			return err
		}
		a.visible = a.visible || chunk.Text != "" || chunk.Reasoning != "" || len(chunk.Calls) > 0
		if chunk.Usage != nil {
			a.usage = *chunk.Usage
			total := a.total()
			chunk.Usage = &total
		}
		if !yield(chunk, nil) {
			return nil
		}
	}
	return nil
}

// sleep waits for d, or returns the error of a call whose context ended.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}
