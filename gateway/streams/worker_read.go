package streams

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/redis/go-redis/v9"
)

// delivery is one entry as it came to the worker.
type delivery struct {
	stream string
	id     string
	values map[string]any
	count  int // how often it was delivered, with this time
}

// entryName is what an entry is known by in the worker. The name of a stream may
// begin that of another one, whatever stands between it and the id.
type entryName struct{ stream, id string }

func (d delivery) name() entryName { return entryName{d.stream, d.id} }

// originField is the field in which the copy of an entry names the first one.
const originField = "troupe_entry"

// origin is the id of the entry that this one is a copy of, or its own.
func (d delivery) origin() string {
	if first, ok := d.values[originField].(string); ok {
		return first
	}
	return d.id
}

// carrier is what the record of a task knows the entry by, also its copies.
func (d delivery) carrier() string { return d.stream + "/" + d.origin() }

// read takes new entries of an agent type, one for each free slot, until
// reading ends.
func (w *Worker) read(reading, life context.Context, t string, tasks *sync.WaitGroup) {
	stream := w.store.schema.TypeStream(t)
	for reading.Err() == nil {
		if !w.mayTake(t) {
			_ = wait(reading, w.opts.Beat) // the loop ends with reading
			continue
		}
		if !w.acquire(reading) {
			return
		}
		got, err := w.next(life, stream, 1)
		if err != nil {
			w.trouble(err, "could not read a control stream")
			_ = wait(reading, lastPause) // the loop ends with reading
		}
		if len(got) == 0 {
			w.freeSlot()
			continue
		}
		tasks.Go(func() {
			defer w.freeSlot()
			if reading.Err() != nil || !w.mayTake(t) { // it came into a read that could not be ended
				w.passOn(life, got[0])
				return
			}
			w.handle(life, got[0])
		})
	}
}

// acquire takes a slot; it is false when ctx ended first.
func (w *Worker) acquire(ctx context.Context) bool {
	select {
	case w.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *Worker) freeSlot() { <-w.slots }

// next reads new entries, and waits for the first no longer than blockFor: a
// blocked read does not end with its context.
func (w *Worker) next(ctx context.Context, stream string, count int64) ([]delivery, error) {
	found, err := w.store.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: w.opts.Group, Consumer: w.opts.ID, Streams: []string{stream, ">"}, Count: count, Block: blockFor,
	}).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil && redis.HasErrorPrefix(err, "NOGROUP"):
		return nil, w.openStream(ctx, stream) // Redis has lost it
	case err != nil:
		return nil, err
	}
	var all []delivery
	for _, s := range found {
		for _, m := range s.Messages {
			all = append(all, delivery{stream: stream, id: m.ID, values: m.Values, count: 1})
		}
	}
	return all, nil
}

// sweep takes what is pending of each type: the worker's own entries, from
// before it began or from when Redis was away, and those of workers that are
// dead. It waits for a slot for each.
func (w *Worker) sweep(reading, life context.Context, tasks *sync.WaitGroup) {
	for _, t := range w.opts.AgentTypes {
		if !w.mayTake(t) {
			continue
		}
		err := w.sweepStream(reading, w.store.schema.TypeStream(t), func(d delivery) {
			tasks.Go(func() {
				defer w.freeSlot()
				w.handle(life, d)
			})
		})
		err = errors.Join(err, w.lookAfter(reading, t))
		if err != nil && reading.Err() == nil {
			w.trouble(err, "could not look for what is left behind")
		}
	}
}

// pendingPage is how many pending entries are looked at at a time.
const pendingPage = 100

func (w *Worker) sweepStream(reading context.Context, stream string, take func(delivery)) error {
	dead := map[string]bool{}
	for start := "-"; ; {
		page, err := w.store.rdb.XPendingExt(reading, &redis.XPendingExtArgs{
			Stream: stream, Group: w.opts.Group, Start: start, End: "+", Count: pendingPage,
		}).Result()
		if err != nil {
			return err
		}
		for _, p := range page {
			ok, err := w.isLeft(reading, p, stream, dead)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if !w.acquire(reading) {
				return nil
			}
			d, err := w.take(reading, stream, p)
			if err != nil || d == nil {
				w.freeSlot()
				if err != nil {
					return err
				}
				continue
			}
			take(*d)
		}
		if len(page) < pendingPage {
			return nil
		}
		start = "(" + page[len(page)-1].ID
	}
}

// isLeft reports whether a pending entry waits for nobody: it is the worker's
// own and not in hand, or rests with a worker that has no lease. dead keeps
// what was asked about each worker.
func (w *Worker) isLeft(ctx context.Context, p redis.XPendingExt, stream string, dead map[string]bool) (bool, error) {
	if p.Consumer == w.opts.ID {
		return !w.isInHand(delivery{stream: stream, id: p.ID}.name()), nil
	}
	if p.Idle < w.opts.Claim {
		return false, nil
	}
	gone, known := dead[p.Consumer]
	if !known {
		token, err := w.store.leaseToken(ctx, w.store.rdb, p.Consumer)
		if err != nil {
			return false, err
		}
		gone = token == ""
		dead[p.Consumer] = gone
	}
	return gone, nil
}

// take makes a pending entry the worker's own; nil when somebody else was
// faster, or when it is gone from the stream.
func (w *Worker) take(ctx context.Context, stream string, p redis.XPendingExt) (*delivery, error) {
	rest := w.opts.Claim
	if p.Consumer == w.opts.ID {
		rest = 0
	}
	got, err := w.store.rdb.XClaim(ctx, &redis.XClaimArgs{
		Stream: stream, Group: w.opts.Group, Consumer: w.opts.ID, MinIdle: rest, Messages: []string{p.ID},
	}).Result()
	if err != nil || len(got) == 0 {
		return nil, err
	}
	return &delivery{stream: stream, id: got[0].ID, values: got[0].Values, count: int(p.RetryCount) + 1}, nil
}

// touch shows that the entries in hand do not rest, without counting as a
// delivery.
func (w *Worker) touch(ctx context.Context) error {
	for _, stream := range w.streams() {
		ids := w.inHandOf(stream)
		if len(ids) == 0 {
			continue
		}
		err := w.store.rdb.XClaimJustID(ctx, &redis.XClaimArgs{
			Stream: stream, Group: w.opts.Group, Consumer: w.opts.ID, Messages: ids,
		}).Err()
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) isInHand(name entryName) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, held := w.inHand[name]
	return held
}

// carries reports whether an entry that records know by that name is in hand.
func (w *Worker) carries(carrier string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.inHand {
		if c == carrier {
			return true
		}
	}
	return false
}

// hold takes an entry in hand; it is false when it is already.
func (w *Worker) hold(d delivery) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, held := w.inHand[d.name()]; held {
		return false
	}
	w.inHand[d.name()] = d.carrier()
	return true
}

func (w *Worker) letGo(d delivery) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inHand, d.name())
}

// inHandOf lists the entries of a stream that are in hand.
func (w *Worker) inHandOf(stream string) (ids []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.inHand {
		if name.stream == stream {
			ids = append(ids, name.id)
		}
	}
	return ids
}

// ack acknowledges an entry, whose effect is there.
func (w *Worker) ack(ctx context.Context, d delivery) error {
	return persist(ctx, func() error { return w.store.rdb.XAck(ctx, d.stream, w.opts.Group, d.id).Err() })
}

// passOn gives an entry back to all workers of its type: a copy is added and
// the entry acknowledged, at once. An entry of the worker's own stream stays
// where it is, for its next start.
func (w *Worker) passOn(ctx context.Context, d delivery) {
	if d.stream == w.store.schema.WorkerStream(w.opts.ID) {
		return
	}
	if err := persist(ctx, func() error { return w.store.passOn(ctx, d, w.opts.Group) }); err != nil {
		w.log().Warn().Err(err).Msg("could not hand an entry back; it stays pending")
	}
}

// passOn adds a copy of an entry that names it, and acknowledges it.
func (s *store) passOn(ctx context.Context, d delivery, group string) error {
	return whole(s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		if d.values != nil {
			values := maps.Clone(d.values)
			values[originField] = d.origin()
			p.XAdd(ctx, &redis.XAddArgs{Stream: d.stream, Values: values})
		}
		p.XAck(ctx, d.stream, group, d.id)
		return nil
	}))
}

// control reads the worker's own stream. Nothing in it waits for a run: tasks
// get a goroutine each, which waits for a slot.
func (w *Worker) control(reading, life context.Context, tasks *sync.WaitGroup, stop context.CancelCauseFunc) {
	stream := w.store.schema.WorkerStream(w.opts.ID)
	dispatch := func(d delivery) { w.dispatch(reading, life, d, tasks, stop) }
	if err := w.sweepOwn(life, stream, dispatch); err != nil {
		w.trouble(err, "could not look for pending commands")
	}
	for life.Err() == nil {
		got, err := w.next(life, stream, 10)
		if err != nil {
			w.trouble(err, "could not read the worker's stream")
			_ = wait(life, lastPause) // the loop ends with life
		}
		for _, d := range got {
			dispatch(d)
		}
	}
}

// sweepOwn takes what an earlier process of that id left in the worker's own
// stream.
func (w *Worker) sweepOwn(ctx context.Context, stream string, take func(delivery)) error {
	page, err := w.store.rdb.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: stream, Group: w.opts.Group, Start: "-", End: "+", Count: 10 * pendingPage, Consumer: w.opts.ID,
	}).Result()
	if err != nil {
		return err
	}
	for _, p := range page {
		d, err := w.take(ctx, stream, p)
		if err != nil {
			return err
		}
		if d != nil {
			take(*d)
		}
	}
	return nil
}

// dispatch does at once what an entry of the worker's own stream says. Each is
// acknowledged, whatever it is.
func (w *Worker) dispatch(reading, life context.Context, d delivery, tasks *sync.WaitGroup, stop context.CancelCauseFunc) {
	text, err := entryText(d.values)
	var cmd Command
	if err == nil {
		cmd, err = DecodeCommand(text)
	}
	switch cmd.Body.(type) {
	case *Ask, *Resume:
		tasks.Go(func() {
			told, done := w.tellSoon(life, d, cmd)
			defer done()
			if told {
				w.acked(life, d)
				return
			}
			if !w.acquire(reading) {
				return // it stays pending for the next start
			}
			defer w.freeSlot()
			w.handle(life, d)
		})
		return
	case *Cancel:
		tasks.Go(func() {
			if err := w.cancelTask(life, cmd); err != nil {
				w.log().Warn().Err(err).Msg("could not cancel a task")
				return
			}
			w.acked(life, d)
		})
		return
	case nil:
		err = errors.Join(err, w.bury(life, d, cmd, err))
	default:
		err = w.admin(life, cmd.Body, stop)
	}
	if err != nil {
		w.log().Warn().Err(err).Msg("command refused")
	}
	w.acked(life, d)
}

// acked acknowledges, and tells the log when it could not.
func (w *Worker) acked(ctx context.Context, d delivery) {
	if err := w.ack(ctx, d); err != nil {
		w.log().Warn().Err(err).Msg("could not acknowledge an entry; it stays pending")
	}
}
