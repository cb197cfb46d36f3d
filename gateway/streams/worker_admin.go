package streams

import (
	"context"
	"errors"
)

// obey reads what administrators say about the worker, and is a member of its
// types or not accordingly. The error is ErrEvicted for a worker that shall end.
func (w *Worker) obey(ctx context.Context) error {
	s := w.store
	lifecycle, err := s.rdb.HGet(ctx, s.schema.Admin(w.opts.ID), "lifecycle").Result()
	if err = absent(err); err != nil && !errors.Is(err, ErrNoRecord) {
		return err
	}
	if lifecycle == "evicted" {
		return errors.Join(ErrEvicted, w.leaveSets(ctx))
	}
	w.setSuspended(lifecycle == "suspended")
	if lifecycle == "suspended" {
		return w.leaveSets(ctx)
	}
	return w.joinSets(ctx)
}

// joinSets makes the worker a member of its types, and of no other.
func (w *Worker) joinSets(ctx context.Context) error {
	s := w.store
	own := s.schema.AgentTypes(w.opts.ID)
	was, err := s.rdb.SMembers(ctx, own).Result()
	if err != nil {
		return err
	}
	is := map[string]bool{}
	for _, t := range w.opts.AgentTypes {
		is[t] = true
	}
	for _, t := range was {
		if is[t] {
			continue
		}
		if err := s.rdb.SRem(ctx, s.schema.Members(t), w.opts.ID).Err(); err != nil {
			return err
		}
		if err := s.rdb.SRem(ctx, own, t).Err(); err != nil {
			return err
		}
	}
	if err := s.rdb.SAdd(ctx, s.schema.Workers(), w.opts.ID).Err(); err != nil {
		return err
	}
	for _, t := range w.opts.AgentTypes {
		if err := w.joinType(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// joinType makes the worker a member of a type, unless it is denied.
func (w *Worker) joinType(ctx context.Context, t string) error {
	s := w.store
	if err := s.rdb.SAdd(ctx, s.schema.AgentTypes(w.opts.ID), t).Err(); err != nil {
		return err
	}
	denied, err := s.rdb.SIsMember(ctx, s.schema.Denied(t), w.opts.ID).Result()
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.denied[t] = denied
	w.mu.Unlock()
	if denied {
		return s.rdb.SRem(ctx, s.schema.Members(t), w.opts.ID).Err()
	}
	return s.rdb.SAdd(ctx, s.schema.Members(t), w.opts.ID).Err()
}

// leaveSets takes the worker out of its types, so that nobody counts on it.
func (w *Worker) leaveSets(ctx context.Context) error {
	for _, t := range w.opts.AgentTypes {
		if err := w.store.rdb.SRem(ctx, w.store.schema.Members(t), w.opts.ID).Err(); err != nil {
			return err
		}
	}
	return nil
}

// leaveTypes leaves the sets before the runs end, as far as Redis is there.
func (w *Worker) leaveTypes(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, w.opts.Beat)
	defer done()
	if err := w.leaveSets(ctx); err != nil {
		w.log().Warn().Err(err).Msg("could not leave the agent types")
	}
}

func (w *Worker) setSuspended(suspended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suspended = suspended
}

// mayTake reports whether the worker may take tasks of a type now.
func (w *Worker) mayTake(t string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.suspended && !w.denied[t]
}

// admin does what an administrator's command says.
func (w *Worker) admin(ctx context.Context, body Body, stop context.CancelCauseFunc) error {
	switch body.(type) {
	case *Suspend:
		w.setSuspended(true)
		return persist(ctx, func() error { return w.leaveSets(ctx) })
	case *Restore:
		w.setSuspended(false)
		return persist(ctx, func() error { return w.joinSets(ctx) })
	case *Evict:
		w.note(evicted)
		stop(ErrEvicted)
		return nil
	case *Reload, *Ask, *Resume, *Cancel:
		return nil // there are no plugins, and tasks are no admin commands
	default:
		return nil
	}
}
