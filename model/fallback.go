package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/troupe-go/troupe/event"
)

// Named is a client with the name of its model, such as
// "deepseek/deepseek-chat".
type Named struct {
	Name   string
	Client Client
}

// WithFallback returns a client that asks first, and when that failed with a
// retryable [*Error] before anything visible came, the others in their order.
// Each client should have its retries below: the next one is a last resort. A
// warning names both; usage of the failed calls is added to that of the last
// one, because each is a call of its own, and [Chunk.Model] tells whose it is.
// The error is that of the last client asked.
func WithFallback(first Named, others ...Named) Client {
	if len(others) == 0 {
		return first.Client
	}
	return &fallback{chain: append([]Named{first}, others...)}
}

type fallback struct{ chain []Named }

// below puts wrap around each client.
func (f *fallback) below(wrap func(Client) Client) Client {
	chain := slices.Clone(f.chain)
	for i := range chain {
		chain[i].Client = wrap(chain[i].Client)
	}
	return &fallback{chain}
}

// Stream asks one client after the other until one answers; see [Client].
func (f *fallback) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var spent event.Usage
		for i, n := range f.chain {
			a := attempt{spent: spent}
			err := a.run(ctx, n.Client, req, func(c Chunk, err error) bool {
				c.Model = cmp.Or(c.Model, n.Name)
				return yield(c, err)
			})
			if err == nil {
				return
			}
			spent = a.total()
			e, ok := errors.AsType[*Error](err)
			if last := i == len(f.chain)-1; last || !ok || !e.Retryable || a.visible || ctx.Err() != nil {
				giveUp(yield, spent, err)
				return
			}
			next := f.chain[i+1].Name
			text := fmt.Sprintf("%s failed, %s is asked: %s", n.Name, next, e.Failure())
			if !yield(Chunk{Model: next, Notice: event.Warning{Code: "model_fallback", Text: text}}, nil) {
				return
			}
		}
	}
}
