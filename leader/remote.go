package leader

import (
	"context"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Remote is somewhere else where the workers of a role run, behind a protocol
// that knows tasks, questions and results. Its methods are safe for concurrent
// use.
type Remote interface {
	// Step tells an agent something and yields what it says; see
	// [event.RemoteStep]. Errors have the method Failure() event.Failure where
	// there is more to tell than words. When ctx ends, Step only listens no more;
	// the agent works on, and a step with the same ID hears it again.
	Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error]
	// Cancel ends the task of a step, with the reason for people.
	Cancel(ctx context.Context, s event.RemoteStep, reason string) error
}
