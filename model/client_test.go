package model_test

import (
	"context"
	"iter"

	"github.com/troupe-go/troupe/model"
)

// clientFunc is a client that is one function.
type clientFunc func(ctx context.Context, req model.Request, yield func(model.Chunk, error) bool)

func (f clientFunc) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { f(ctx, req, yield) }
}
