package streams

import (
	"context"
	"errors"
	"iter"

	"github.com/redis/go-redis/v9"
)

// Entry is one event of a session with its place in the stream.
type Entry struct {
	ID    string
	Event Event
}

// Begin is the place before the first entry of a stream.
const Begin = "0-0"

// Cursor is the place behind the last entry of a session now. Take it before
// sending: the stream holds all turns of the session.
func (c *Client) Cursor(ctx context.Context, session string) (string, error) {
	last, err := c.store.rdb.XRevRangeN(ctx, c.store.schema.DataStream(session), "+", "-", 1).Result()
	if err != nil || len(last) == 0 {
		return Begin, err
	}
	return last[0].ID, nil
}

// Checkpoint is how far the reader of that name has come in a session, Begin
// at first.
func (c *Client) Checkpoint(ctx context.Context, session, reader string) (string, error) {
	id, err := c.store.rdb.Get(ctx, c.store.schema.Checkpoint(session, reader)).Result()
	if errors.Is(err, redis.Nil) {
		return Begin, nil
	}
	return id, err
}

// SaveCheckpoint notes that the reader of that name has handled the entry.
func (c *Client) SaveCheckpoint(ctx context.Context, session, reader, id string) error {
	return c.store.rdb.Set(ctx, c.store.schema.Checkpoint(session, reader), id, sessionTTL).Err()
}

// pageEntries is how many entries of a stream a read takes at a time. An entry can
// have megabytes, and Redis cannot be asked for so many bytes.
const pageEntries = 10

// Tail reads the events of a session after a place, and waits for more until
// ctx ends. It goes on where it was when Redis was away. An entry that cannot be
// read comes as a [WireError] with its id, and the reading can go on; any other
// error is the last. An event that was written twice comes once.
func (c *Client) Tail(ctx context.Context, session, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c.tail(ctx, session, after, false, func() (bool, error) { return false, nil }, yield)
	}
}

// Read is Tail up to the end that the stream has now.
func (c *Client) Read(ctx context.Context, session, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c.tail(ctx, session, after, true, nil, yield)
	}
}

// Follow is Tail for one task and those below it, and ends with the task: with
// its end marker, or without one when its record says that it has ended. A task
// that waits for the user has not.
func (c *Client) Follow(ctx context.Context, session, message, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var rec Record
		ended := func() (bool, error) {
			var err error
			rec, err = c.store.record(ctx, session, message)
			return rec.Status.Terminal(), err
		}
		if _, err := ended(); err != nil {
			yield(Entry{}, err)
			return
		}
		trace := rec.TraceID
		c.tail(ctx, session, after, false, ended, func(e Entry, err error) bool {
			of := e.Event.MessageID == message || e.Event.ParentMessageID == message || trace != "" && e.Event.TraceID == trace
			if err == nil && !of {
				return true
			}
			end := err == nil && e.Event.Kind() == KindEnd && e.Event.MessageID == message
			return yield(e, err) && !end
		})
	}
}

// tail reads until yield or ended says so, or only what is there when last is
// set. ended is asked when there is nothing to read; what came until then is still
// read.
func (c *Client) tail(
	ctx context.Context, session, after string, last bool, ended func() (bool, error), yield func(Entry, error) bool,
) {
	recent := newRecent()
	for {
		var got []redis.XMessage
		err := persist(ctx, func() (err error) {
			got, err = c.readAfter(ctx, session, after, last)
			return err
		})
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			yield(Entry{}, err)
			return
		}
		for _, m := range got {
			after = m.ID
			entry, err := decodeEntry(m)
			if err == nil && !recent.add(entry.Event.Data.ID) {
				continue
			}
			if !yield(entry, err) {
				return
			}
		}
		if len(got) > 0 {
			continue
		}
		if last {
			return
		}
		err = persist(ctx, func() (err error) {
			last, err = ended()
			return err
		})
		if err != nil {
			yield(Entry{}, err)
			return
		}
	}
}

// readAfter reads what stands after a place, and unless now is set waits a
// moment for the first.
func (c *Client) readAfter(ctx context.Context, session, after string, now bool) ([]redis.XMessage, error) {
	block := blockFor
	if now {
		block = -1
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	found, err := c.store.rdb.XRead(ctx, &redis.XReadArgs{
		Streams: []string{c.store.schema.DataStream(session), after}, Count: pageEntries, Block: block,
	}).Result()
	if errors.Is(err, redis.Nil) || err == nil && len(found) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found[0].Messages, nil
}

func decodeEntry(m redis.XMessage) (Entry, error) {
	text, err := entryText(m.Values)
	if err != nil {
		return Entry{ID: m.ID}, fault("event", "", ErrNoData)
	}
	e, err := DecodeEvent(text)
	return Entry{ID: m.ID, Event: e}, err
}

// recentKept is how far back an event that was written twice is known: its
// copy follows it closely.
const recentKept = 64

// recent knows the ids of the last events.
type recent struct {
	known map[string]bool
	order []string
}

func newRecent() *recent { return &recent{known: map[string]bool{}} }

// add is false for an id that is known.
func (r *recent) add(id string) bool {
	if id == "" {
		return true
	}
	if r.known[id] {
		return false
	}
	r.known[id] = true
	r.order = append(r.order, id)
	if len(r.order) > recentKept {
		delete(r.known, r.order[0])
		r.order = r.order[1:]
	}
	return true
}
