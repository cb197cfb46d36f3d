package model

import (
	"context"
	"iter"
	"time"
)

// DefaultParallel is how many model calls a team makes at once, unless the
// limits say otherwise.
const DefaultParallel = 8

// Gate bounds how many calls run at once, over all clients that share it.
// Those who wait go on in the order in which they came.
type Gate struct {
	slots chan struct{} // as many as may run at once
}

// NewGate returns a gate for n calls at once; n below 1 means
// [DefaultParallel].
func NewGate(n int) *Gate {
	if n < 1 {
		n = DefaultParallel
	}
	return &Gate{slots: make(chan struct{}, n)}
}

// Client returns a client that makes its calls to c through the gate. A call
// holds its place from its start until its sequence ends; waiting for one ends
// with the context. If c retries ([WithRetry]), falls back ([WithFallback]) or
// waits for its endpoint ([Limiter.Client]), the gate stands below that: a
// call that waits for another try holds no place.
func (g *Gate) Client(c Client) Client {
	if w, ok := c.(waiting); ok {
		return w.below(g.Client)
	}
	return &gated{gate: g, client: c}
}

// waiting is a client that may wait long between calls to the client below it.
type waiting interface {
	// below returns the client with wrap around each client below it.
	below(wrap func(Client) Client) Client
}

// WithParallel returns a client that makes at most n calls to c at once; see
// [NewGate].
func WithParallel(c Client, n int) Client { return NewGate(n).Client(c) }

// enter takes a place and returns true, or returns false when patience is over
// before there is one. The error is that of a call whose context ended.
func (g *Gate) enter(ctx context.Context, patience <-chan time.Time) (bool, error) {
	if ctx.Err() != nil {
		return false, cancelled(ctx)
	}
	select {
	case g.slots <- struct{}{}:
		return true, nil
	case <-patience:
		return false, nil
	case <-ctx.Done():
		return false, cancelled(ctx)
	}
}

func (g *Gate) leave() { <-g.slots }

type gated struct {
	gate   *Gate
	client Client
}

// Stream waits for a place, then asks the client below; see [Client].
func (g *gated) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if _, err := g.gate.enter(ctx, nil); err != nil {
			yield(Chunk{}, err)
			return
		}
		defer g.gate.leave()
		g.client.Stream(ctx, req)(yield)
	}
}
