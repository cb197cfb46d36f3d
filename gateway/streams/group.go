package streams

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// openGroup begins a task group of so many tasks.
func (s *store) openGroup(ctx context.Context, group, source string, total int) error {
	key := s.schema.Group(group)
	return whole(s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HSet(ctx, key, "total", strconv.Itoa(total), "completed", "0", "source_agent_type", source)
		p.Expire(ctx, key, groupTTL)
		return nil
	}))
}

// addResult notes the result of one task of a group, under the id of the
// child, once. It tells how many are there and how many there will be; the
// error is ErrNoGroup when the group is gone.
func (s *store) addResult(ctx context.Context, group, child string, g GroupResult) (have, total int, err error) {
	text, err := g.Encode()
	if err != nil {
		return 0, 0, err
	}
	counts, results := s.schema.Group(group), s.schema.GroupResults(group)
	once := func(tx *redis.Tx) error {
		// In this order: what is counted has at least the result that is known.
		known, err := tx.HExists(ctx, results, child).Result()
		if err != nil {
			return err
		}
		if have, total, err = counters(ctx, tx, counts); err != nil || known {
			return err
		}
		err = whole(tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.HSet(ctx, results, child, string(text))
			p.Expire(ctx, results, groupTTL)
			p.HIncrBy(ctx, counts, "completed", 1)
			return nil
		}))
		have++
		return err
	}
	for range updateTries {
		if err := s.rdb.Watch(ctx, once, counts, results); !errors.Is(err, redis.TxFailedErr) {
			return have, total, err
		}
	}
	return 0, 0, ErrBusy
}

// counters reads how many results a group has and will have.
func counters(ctx context.Context, from redis.HashCmdable, key string) (have, total int, err error) {
	values, err := from.HMGet(ctx, key, "completed", "total").Result()
	if err != nil {
		return 0, 0, err
	}
	numbers := make([]int, len(values))
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			return 0, 0, ErrNoGroup
		}
		if numbers[i], err = strconv.Atoi(text); err != nil {
			return 0, 0, fmt.Errorf("%w: its counter is %q", ErrNoGroup, text)
		}
	}
	return numbers[0], numbers[1], nil
}

// results reads the results of a group by child. What is no result is left out.
func (s *store) results(ctx context.Context, group string) (map[string]GroupResult, error) {
	all, err := s.rdb.HGetAll(ctx, s.schema.GroupResults(group)).Result()
	if err != nil {
		return nil, err
	}
	found := make(map[string]GroupResult, len(all))
	for child, text := range all {
		if g, err := DecodeGroupResult([]byte(text)); err == nil {
			found[child] = g
		}
	}
	return found, nil
}
