package streams

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// What callers of a worker or a client can branch on.
var (
	ErrNoRecord = errors.New("streams: no such task")
	ErrBusy     = errors.New("streams: others keep changing the record")
	ErrState    = errors.New("streams: the state does not allow it")
	ErrNoGroup  = errors.New("streams: no such task group")
)

// errKeep ends an update without a write.
var errKeep = errors.New("streams: nothing to write")

// updateTries is how often an update is made anew when somebody else wrote
// first. All tasks of a session share one hash, so each of many workers can be
// in the way once.
const updateTries = 500

// store reads and writes what the protocol keeps on Redis.
type store struct {
	rdb    redis.UniversalClient
	schema Schema
	now    func() time.Time
	random io.Reader
	page   bool // events are written in the flat form of the source page too
}

// newStore fills in the clock and the source of ids. A cluster needs V2.
func newStore(rdb redis.UniversalClient, schema Schema, now func() time.Time, random io.Reader) (*store, error) {
	if rdb == nil {
		return nil, errors.New("streams: no connection to Redis")
	}
	schema, err := ParseSchema(string(schema))
	if err != nil {
		return nil, err
	}
	if _, cluster := rdb.(*redis.ClusterClient); cluster && schema != V2 {
		return nil, fmt.Errorf("streams: a Redis Cluster needs key schema v2: %w", ErrSchema)
	}
	s := &store{rdb: rdb, schema: schema, now: now, random: random}
	if s.now == nil {
		s.now = time.Now
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	return s, nil
}

// hex makes an id of n lower hexadecimal digits, n even.
func (s *store) hex(n int) (string, error) {
	b := make([]byte, n/2)
	if _, err := io.ReadFull(s.random, b); err != nil {
		return "", fmt.Errorf("streams: no random bytes for an id: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// id makes an id in the form of the protocol: the prefix and eight digits.
func (s *store) id(prefix string) (string, error) {
	digits, err := s.hex(8)
	return prefix + digits, err
}

// stamp makes the id and the time of an event.
func (s *store) stamp() (Stamp, error) {
	digits, err := s.hex(32)
	return Stamp{ID: strings.ToUpper(digits), At: s.now()}, err
}

// lookup reads the record of a message through any client or transaction.
func (s *store) lookup(ctx context.Context, from redis.HashCmdable, session, message string) (Record, error) {
	key := s.schema.Registry(session)
	execution, err := from.HGet(ctx, key, messageField(message)).Result()
	if err != nil {
		return Record{}, absent(err)
	}
	text, err := from.HGet(ctx, key, recordField(execution)).Result()
	if err != nil {
		return Record{}, absent(err)
	}
	return DecodeRecord([]byte(text))
}

// absent names what Redis reports of a key that is not there.
func absent(err error) error {
	if errors.Is(err, redis.Nil) {
		return ErrNoRecord
	}
	return err
}

// record reads the record of a message; ErrNoRecord when there is none.
func (s *store) record(ctx context.Context, session, message string) (Record, error) {
	return s.lookup(ctx, s.rdb, session, message)
}

// records reads all records of a session, oldest first. What is no record is
// left out.
func (s *store) records(ctx context.Context, session string) ([]Record, error) {
	all, err := s.rdb.HGetAll(ctx, s.schema.Registry(session)).Result()
	if err != nil {
		return nil, err
	}
	var found []Record
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !strings.HasPrefix(name, recordPrefix) {
			continue
		}
		if r, err := DecodeRecord([]byte(all[name])); err == nil {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b Record) int { return int(a.CreatedAt - b.CreatedAt) })
	return found, nil
}

// create writes a new record and maps its message to it.
func (s *store) create(ctx context.Context, r Record) error {
	return whole(s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { return s.write(ctx, p, r, true) }))
}

// write puts a record into a transaction, for a new one with the map of its
// message.
func (s *store) write(ctx context.Context, p redis.Pipeliner, r Record, fresh bool) error {
	text, err := r.Encode()
	if err != nil {
		return err
	}
	key := s.schema.Registry(r.SessionID)
	p.HSet(ctx, key, recordField(r.ExecutionID), string(text))
	if fresh {
		p.HSet(ctx, key, messageField(r.MessageID), r.ExecutionID)
	}
	p.Expire(ctx, key, sessionTTL)
	return nil
}

// change is what an update does to a record, which is new when there was none.
// It may be called several times. It returns the events that are published
// together with the record, or errKeep to write nothing.
type change func(r *Record, fresh bool) ([]Event, error)

// update changes the record of a message in one transaction with the events
// that belong to it, and does so anew when somebody else wrote meanwhile. It
// returns the record as it is afterwards.
func (s *store) update(ctx context.Context, session, message string, change change) (Record, error) {
	var r Record
	once := func(tx *redis.Tx) error {
		var err error
		r, err = s.lookup(ctx, tx, session, message)
		fresh := errors.Is(err, ErrNoRecord)
		if err != nil && !fresh {
			return err
		}
		events, err := change(&r, fresh)
		if err != nil {
			return err
		}
		return whole(tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			if err := s.add(ctx, p, session, events); err != nil {
				return err
			}
			return s.write(ctx, p, r, fresh)
		}))
	}
	for range updateTries {
		switch err := s.rdb.Watch(ctx, once, s.schema.Registry(session)); {
		case errors.Is(err, errKeep):
			return r, nil
		case errors.Is(err, redis.TxFailedErr):
		default:
			return r, err
		}
	}
	return r, ErrBusy
}

// existing makes a change of one that refuses to make a record.
func existing(change func(r *Record) ([]Event, error)) change {
	return func(r *Record, fresh bool) ([]Event, error) {
		if fresh {
			return nil, ErrNoRecord
		}
		return change(r)
	}
}

// add puts events into a transaction.
func (s *store) add(ctx context.Context, p redis.Pipeliner, session string, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	key := s.schema.DataStream(session)
	for _, e := range events {
		text, err := e.Encode()
		if err != nil {
			return err
		}
		p.XAdd(ctx, entry(key, text))
		if flat, ok := e.Flat(); s.page && ok {
			p.XAdd(ctx, entry(key, flat))
		}
		p.Expire(ctx, key, sessionTTL)
	}
	return nil
}

// publish writes events to the data stream of a session.
func (s *store) publish(ctx context.Context, session string, events ...Event) error {
	return whole(s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error { return s.add(ctx, p, session, events) }))
}

// post writes a command to a control stream and returns the entry's id.
func (s *store) post(ctx context.Context, stream string, c Command) (string, error) {
	text, err := c.Encode()
	if err != nil {
		return "", err
	}
	return s.rdb.XAdd(ctx, entry(stream, text)).Result()
}

// dataField is the one field of an entry.
const dataField = "data"

func entry(stream string, text []byte) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: stream, Values: []any{dataField, string(text)}}
}

// entryText is the text of an entry; the error wraps ErrNoData.
func entryText(values map[string]any) ([]byte, error) {
	text, ok := values[dataField].(string)
	if !ok {
		return nil, fault("command", "", ErrNoData)
	}
	return []byte(text), nil
}

// move changes the status, when the table of states allows it; the error is
// ErrState. To write the same state again is allowed until the end.
func (r *Record) move(to Status, at time.Time) error {
	next := *r
	next.set(to, at)
	from, state := r.State(), next.State()
	if path(from, state) == nil && (from != state || r.Status.Terminal()) {
		return fmt.Errorf("%w: %s after %s", ErrState, to, r.Status)
	}
	*r = next
	return nil
}
