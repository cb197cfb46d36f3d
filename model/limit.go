package model

import (
	"context"
	"iter"
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
// with the context. Retries belong outside, so that a call that waits for its
// retry holds no place.
func (g *Gate) Client(c Client) Client { return &gated{gate: g, client: c} }

// WithParallel returns a client that makes at most n calls to c at once; see
// [NewGate].
func WithParallel(c Client, n int) Client { return NewGate(n).Client(c) }

type gated struct {
	gate   *Gate
	client Client
}

// Stream waits for a place, then asks the client below; see [Client].
func (g *gated) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		if ctx.Err() != nil {
			yield(Chunk{}, cancelled(ctx))
			return
		}
		select {
		case g.gate.slots <- struct{}{}:
		case <-ctx.Done():
			yield(Chunk{}, cancelled(ctx))
			return
		}
		defer func() { <-g.gate.slots }()
		g.client.Stream(ctx, req)(yield)
	}
}
