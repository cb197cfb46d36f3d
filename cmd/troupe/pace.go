package main

import (
	"context"
	"time"
)

// pace holds a replay back so that it goes on as the run did.
type pace struct {
	speed float64       // times faster than the run; 0 never waits
	idle  time.Duration // the longest wait

	last time.Time // when the record before was appended
}

// wait waits until it is time for a record that was appended at the given
// time.
func (p *pace) wait(ctx context.Context, at time.Time) error {
	gap := at.Sub(p.last)
	first := p.last.IsZero()
	p.last = at
	if p.speed == 0 || first || gap <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(min(time.Duration(float64(gap)/p.speed), p.idle))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
