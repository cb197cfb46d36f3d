package streams

import (
	"context"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
)

// Diagram draws the table of states.
func Diagram() string { return states.Diagram() }

// Path is the way of a record from one state to another.
func Path(from, to State) []State { return path(from, to) }

// Store is the store, with its methods.
type Store struct{ *store }

// NewStore makes a store.
func NewStore(rdb redis.UniversalClient, schema Schema, now func() time.Time, random io.Reader) (Store, error) {
	s, err := newStore(rdb, schema, now, random)
	return Store{s}, err
}

func (s Store) Create(ctx context.Context, r Record) error { return s.create(ctx, r) }

func (s Store) Record(ctx context.Context, session, message string) (Record, error) {
	return s.record(ctx, session, message)
}

func (s Store) Records(ctx context.Context, session string) ([]Record, error) {
	return s.records(ctx, session)
}

func (s Store) Update(ctx context.Context, session, message string, change func(*Record) ([]Event, error)) (Record, error) {
	return s.update(ctx, session, message, existing(change))
}

func (s Store) OpenGroup(ctx context.Context, group, source string, total int) error {
	return s.openGroup(ctx, group, source, total)
}

func (s Store) AddResult(ctx context.Context, group, child string, g GroupResult) (have, total int, err error) {
	return s.addResult(ctx, group, child, g)
}

func (s Store) Results(ctx context.Context, group string) (map[string]GroupResult, error) {
	return s.results(ctx, group)
}

// Move is the checked change of a record's status.
func Move(r *Record, to Status, at time.Time) error { return r.move(to, at) }

// ErrKeep ends an update without a write.
var ErrKeep = errKeep

// Dial makes the client for a URL without asking anybody.
func Dial(address string, pool int) (redis.UniversalClient, string, error) {
	return dial(address, pool)
}

// Again adds the fields of an entry to a stream once more.
func Again(stream string, values map[string]any) *redis.XAddArgs {
	return &redis.XAddArgs{Stream: stream, Values: values}
}
