package streams

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// Pending is an entry that was delivered and not acknowledged.
type Pending struct {
	EntryID    string
	Worker     string
	Online     bool // whether the worker lives
	Idle       time.Duration
	Deliveries int64
	Command    Command // the zero value when it cannot be read

	stream string
	values map[string]any // nil when the entry is gone from the stream
}

// Pending lists what the workers of an agent type have in hand or left behind,
// oldest first.
func (c *Client) Pending(ctx context.Context, agentType string) ([]Pending, error) {
	stream := c.store.schema.TypeStream(agentType)
	var all []Pending
	for start := "-"; ; {
		page, err := c.store.rdb.XPendingExt(ctx, &redis.XPendingExtArgs{
			Stream: stream, Group: c.group, Start: start, End: "+", Count: pendingPage,
		}).Result()
		if err != nil && redis.HasErrorPrefix(err, "NOGROUP") {
			return nil, nil // no worker of it has ever been here
		}
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			entry, err := c.pending(ctx, stream, p)
			if err != nil {
				return nil, err
			}
			all = append(all, entry)
		}
		if len(page) < pendingPage {
			return all, nil
		}
		start = "(" + page[len(page)-1].ID
	}
}

func (c *Client) pending(ctx context.Context, stream string, p redis.XPendingExt) (Pending, error) {
	entry := Pending{EntryID: p.ID, Worker: p.Consumer, Idle: p.Idle, Deliveries: p.RetryCount}
	token, err := c.store.leaseToken(ctx, c.store.rdb, p.Consumer)
	if err != nil {
		return entry, err
	}
	entry.Online = token != ""
	entry.stream = stream
	found, err := c.store.rdb.XRange(ctx, stream, p.ID, p.ID).Result()
	if err != nil || len(found) == 0 {
		return entry, err
	}
	entry.values = found[0].Values
	if text, err := entryText(found[0].Values); err == nil {
		if cmd, err := DecodeCommand(text); err == nil {
			entry.Command = cmd
		}
	}
	return entry, nil
}

// Claim takes entries of an agent type from workers that are dead and gives them
// to those that live, which then need not wait until the entries have rested:
// the named ones, or all when none is named. It returns those that it gave. The
// error is ErrState for a named entry whose worker lives, ErrNoRecord for one
// that is not pending.
func (c *Client) Claim(ctx context.Context, agentType string, entries ...string) ([]Pending, error) {
	all, err := c.Pending(ctx, agentType)
	if err != nil {
		return nil, err
	}
	for _, id := range entries {
		at := slices.IndexFunc(all, func(p Pending) bool { return p.EntryID == id })
		switch {
		case at < 0:
			return nil, fmt.Errorf("%w: entry %s is not pending", ErrNoRecord, id)
		case all[at].Online:
			return nil, fmt.Errorf("%w: entry %s is with worker %s, which lives", ErrState, id, all[at].Worker)
		}
	}
	var given []Pending
	for _, p := range all {
		if p.Online || len(entries) > 0 && !slices.Contains(entries, p.EntryID) {
			continue
		}
		d := delivery{stream: p.stream, id: p.EntryID, values: p.values}
		if err := c.store.passOn(ctx, d, c.group); err != nil {
			return given, err
		}
		given = append(given, p)
	}
	return given, nil
}
