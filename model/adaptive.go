package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/event"
)

// Adaptive is a client of an endpoint that learns from refusals: when a request
// is refused with words that name a parameter, it changes the switch of the
// endpoint's profile that is about it, says so in a notice
// [event.ModelProfile], and asks again. Each switch changes at most once; what
// was learned holds for all later calls, as long as the client lives. It is
// safe for use by many agents at once.
type Adaptive struct {
	name    string
	current atomic.Pointer[shape]

	mu      sync.Mutex // guards changed, and changes of current
	changed map[string]bool
}

// shape is an endpoint as it is asked at the moment.
type shape struct {
	endpoint Endpoint
	client   direct
}

// NewAdaptive returns a client of the endpoint as [NewOpenAI] does, which
// begins with the endpoint's profile.
func NewAdaptive(e Endpoint) (*Adaptive, error) {
	e, err := e.complete()
	if err != nil {
		return nil, err
	}
	c, err := newAdapter(e)
	if err != nil {
		return nil, err
	}
	a := &Adaptive{name: e.Provider + "/" + e.Model, changed: map[string]bool{}}
	a.current.Store(&shape{e, c})
	return a, nil
}

// Profile returns the endpoint's profile with all that was learned.
func (a *Adaptive) Profile() Profile { return a.current.Load().endpoint.Profile }

func (a *Adaptive) target() target { return a.current.Load().client.target() }

// Stream asks the endpoint, again after each thing it learned; see [Client].
func (a *Adaptive) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for {
			asked := a.current.Load()
			begun, err := asked.run(ctx, req, yield)
			if err == nil {
				return
			}
			notice, learned := a.learn(asked, req, err)
			if begun || !learned {
				yield(Chunk{}, err)
				return
			}
			if notice != nil && !yield(Chunk{Notice: *notice}, nil) {
				return
			}
		}
	}
}

// run hands the pieces of a reply on and returns the error that ended it; nil
// also if the consumer stopped.
func (s *shape) run(ctx context.Context, req Request, yield func(Chunk, error) bool) (begun bool, err error) {
	for chunk, err := range s.client.Stream(ctx, req) {
		if err != nil {
			return begun, err
		}
		begun = true
		if !yield(chunk, nil) {
			return begun, nil
		}
	}
	return begun, nil
}

// Restore makes the client know what another one learned, as a record of a log
// tells it. Values that no switch has change nothing.
func (a *Adaptive) Restore(d event.ModelProfile) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.current.Load().endpoint
	next.Extra = maps.Clone(next.Extra)
	if !next.relearn(d.Switch, d.Value) {
		return nil
	}
	client, err := newAdapter(next)
	if err != nil {
		return err
	}
	a.changed[d.Switch] = true
	a.current.Store(&shape{next, client})
	return nil
}

// learn changes what is asked after a refusal, and returns false if there is
// nothing to change. The notice is nil if another call learned it first.
func (a *Adaptive) learn(asked *shape, req Request, err error) (notice *event.ModelProfile, learned bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.like() != ClassBadRequest || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return nil, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current.Load() != asked {
		return nil, true
	}
	next := asked.endpoint
	next.Extra = maps.Clone(next.Extra)
	d, ok := findDowngrade(&next, req, e.Message, a.changed)
	if !ok {
		return nil, false
	}
	a.changed[d.name] = true
	client, err := newAdapter(next)
	if err != nil { // only less is asked than before
		return nil, false
	}
	a.current.Store(&shape{next, client})
	return &event.ModelProfile{Endpoint: a.name, Switch: d.name, Value: fmt.Sprint(d.value), Why: e.Message}, true
}
