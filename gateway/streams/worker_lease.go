package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// claimPatience is how long a worker waits for an id that another has,
// claimFirst how long until the second try, and claimPause how long at most
// between two.
const (
	claimPatience = 90 * time.Second
	claimFirst    = 3 * time.Second
	claimPause    = 10 * time.Second
)

// claim takes the worker's id.
func (w *Worker) claim(ctx context.Context) error {
	text, err := w.lease.Encode() // last seen at 0: not yet online
	if err != nil {
		return err
	}
	key := w.store.schema.Lease(w.opts.ID)
	begin := time.Now()
	for pause := claimFirst; ; pause = min(2*pause, claimPause) {
		var taken bool
		err := persist(ctx, func() error {
			taken, err = w.store.rdb.SetNX(ctx, key, string(text), w.opts.Lease).Result()
			return err
		})
		if err != nil || taken {
			return err
		}
		if mine, err := w.holds(ctx); err != nil || mine {
			return err // an earlier try got through, and only its answer was lost
		}
		if pause == claimFirst {
			w.log().Warn().Msg("another worker has this id; this one waits until that one is gone")
		}
		if time.Since(begin) > claimPatience {
			return fmt.Errorf("streams: worker id %s is taken: %w", w.opts.ID, ErrLeaseLost)
		}
		if err := wait(ctx, min(pause, w.opts.Lease)); err != nil {
			return err
		}
	}
}

// holds reports whether the lease is the worker's own.
func (w *Worker) holds(ctx context.Context) (bool, error) {
	token, err := w.store.leaseToken(ctx, w.store.rdb, w.opts.ID)
	return token == w.lease.Token, err
}

// leaseToken is the token in the lease of a worker: "" when it has none, and a
// text that is no token when the lease has an older form.
func (s *store) leaseToken(ctx context.Context, from redis.StringCmdable, worker string) (string, error) {
	value, err := from.Get(ctx, s.schema.Lease(worker)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	l, err := DecodeLease([]byte(value))
	if err != nil || l.Token == "" {
		return "?", nil //nolint:nilerr // somebody lives there who writes another form
	}
	return l.Token, nil
}

// renew writes a sign of life, unless the lease is another's: ErrLeaseLost.
func (w *Worker) renew(ctx context.Context) error {
	key := w.store.schema.Lease(w.opts.ID)
	text, err := w.lease.beat(w.store.now()).Encode()
	if err != nil {
		return err
	}
	return w.underLease(ctx, key, true, func(p redis.Pipeliner) error {
		return p.Set(ctx, key, string(text), w.opts.Lease).Err()
	})
}

// release gives the id back and leaves all sets.
func (w *Worker) release(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, w.opts.Lease)
	defer done()
	key := w.store.schema.Lease(w.opts.ID)
	return persist(ctx, func() error {
		err := w.underLease(ctx, key, false, func(p redis.Pipeliner) error { return p.Del(ctx, key).Err() })
		if errors.Is(err, ErrLeaseLost) {
			return nil // it is not ours to give
		}
		if err != nil {
			return err
		}
		if err := w.leaveSets(ctx); err != nil {
			return err
		}
		if err := w.store.rdb.Del(ctx, w.store.schema.AgentTypes(w.opts.ID)).Err(); err != nil {
			return err
		}
		return w.store.rdb.SRem(ctx, w.store.schema.Workers(), w.opts.ID).Err()
	})
}

// underLease does op in a transaction that fails with ErrLeaseLost when the
// lease is another's, or, unless absent is good enough, is gone.
func (w *Worker) underLease(ctx context.Context, key string, absent bool, op func(redis.Pipeliner) error) error {
	err := w.store.rdb.Watch(ctx, func(tx *redis.Tx) error {
		token, err := w.store.leaseToken(ctx, tx, w.opts.ID)
		if err != nil {
			return err
		}
		if gone := token == ""; token != w.lease.Token && (!gone || !absent) {
			return ErrLeaseLost
		}
		return whole(tx.TxPipelined(ctx, op))
	}, key)
	if errors.Is(err, redis.TxFailedErr) {
		return ErrBusy
	}
	return err
}

// beats gives signs of life until life ends, and ends it when the lease is
// lost: when it is another's, or no sign got through for too long. A slow sign is
// waited for, as long as others may not take our tasks.
func (w *Worker) beats(life context.Context, end, stop context.CancelCauseFunc) {
	last := time.Now()
	for wait(life, w.opts.Beat) == nil {
		sign, done := context.WithDeadline(life, last.Add(w.patience()))
		err := w.renew(sign)
		if err == nil {
			last = time.Now()
			w.note(w.alive)
			err = w.attend(sign)
		}
		done()
		switch {
		case errors.Is(err, ErrLeaseLost):
			w.log().Error().Msg("lease lost: another process has the worker's id")
			end(ErrLeaseLost)
			return
		case life.Err() != nil: // it ended in the middle
		case time.Since(last) > w.patience():
			w.log().Error().Msg("lease lost: no sign of life got through")
			end(ErrLeaseLost)
			return
		case errors.Is(err, ErrEvicted):
			w.note(evicted)
			stop(ErrEvicted)
		case err != nil:
			w.trouble(err, "sign of life did not get through")
		}
	}
}

// patience is how long the worker works without a sign of life: until others may
// take its tasks, and a little less.
func (w *Worker) patience() time.Duration { return w.opts.Lease * 5 / 6 }

// attend does what else is due with each sign of life.
func (w *Worker) attend(ctx context.Context) error {
	if err := w.touch(ctx); err != nil {
		return err
	}
	if w.isDraining() {
		return w.leaveSets(ctx) // it may have come back by a sign that was under way
	}
	return w.obey(ctx)
}

// enter makes the worker's groups and takes its places, in the order of the
// Python SDK: known, groups, admin state, memberships, online.
func (w *Worker) enter(ctx context.Context) error {
	s := w.store
	if err := s.rdb.SAdd(ctx, s.schema.Workers(), w.opts.ID).Err(); err != nil {
		return err
	}
	for _, stream := range w.streams() {
		if err := w.openStream(ctx, stream); err != nil {
			return err
		}
	}
	if err := w.obey(ctx); err != nil {
		return err
	}
	return w.renew(ctx)
}

// streams lists the control streams of the worker, its own last.
func (w *Worker) streams() []string {
	var all []string
	for _, t := range w.opts.AgentTypes {
		all = append(all, w.store.schema.TypeStream(t))
	}
	return append(all, w.store.schema.WorkerStream(w.opts.ID))
}

// typeOf is the agent type of a control stream; that of the worker's own is its
// first.
func (w *Worker) typeOf(stream string) string {
	for _, t := range w.opts.AgentTypes {
		if w.store.schema.TypeStream(t) == stream {
			return t
		}
	}
	return w.opts.AgentTypes[0]
}

// openStream makes the group on a stream, from its beginning.
func (w *Worker) openStream(ctx context.Context, stream string) error {
	err := w.store.rdb.XGroupCreateMkStream(ctx, stream, w.opts.Group, "0").Err()
	if err != nil && redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil
	}
	return err
}
