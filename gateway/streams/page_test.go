package streams_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

// scales weighs what Redis answers to reads of streams.
type scales struct {
	heaviest, sum atomic.Int64
}

func (s *scales) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *scales) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (s *scales) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		var got []redis.XMessage
		switch cmd := cmd.(type) {
		case *redis.XMessageSliceCmd:
			got = cmd.Val()
		case *redis.XStreamSliceCmd:
			for _, stream := range cmd.Val() {
				got = append(got, stream.Messages...)
			}
		}
		var weight int64
		for _, m := range got {
			for _, v := range m.Values {
				if text, ok := v.(string); ok {
					weight += int64(len(text))
				}
			}
		}
		s.heaviest.Store(max(s.heaviest.Load(), weight))
		s.sum.Add(weight)
		return err
	}
}

// TestPagesOfLargeEntries reads a session with large entries in each way that
// there is: few of them are held at once.
func TestPagesOfLargeEntries(t *testing.T) {
	const entries, size, most = 25, 1 << 15, 3 << 17
	t.Parallel()
	_, mini := mini(t)
	r := newRig(t, mini, streams.V1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v := streams.Voice{SessionID: "sess", MessageID: "m"}
	for i := range entries {
		e := v.Text(streams.Stamp{}, strings.Repeat("x", size))
		if i == entries-1 {
			e = v.End(streams.Stamp{})
		}
		text, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.rdb.XAdd(ctx, streams.Again(r.schema.DataStream("sess"), map[string]any{"data": string(text)})).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := newStore(t, r.rdb, r.schema).Create(ctx, queued("m")); err != nil {
		t.Fatal(err)
	}
	weighed := &scales{}
	rdb := r.again()
	rdb.AddHook(weighed)
	client, err := streams.NewClient(rdb, streams.ClientOptions{Schema: r.schema})
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() (int, error){
		"Read": func() (n int, err error) {
			for _, err := range client.Read(ctx, "sess", streams.Begin) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
		"Tail": func() (n int, err error) {
			for _, err := range client.Tail(ctx, "sess", streams.Begin) {
				if n++; err != nil || n == entries {
					return n, err
				}
			}
			return n, nil
		},
		"Follow": func() (n int, err error) {
			for _, err := range client.Follow(ctx, "sess", "m", streams.Begin) {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		},
		"LastMark": func() (int, error) {
			found := make(chan error, 1)
			r.workerOn(rdb, "w-1", "looks", fake{start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
				_, _, err := out.LastMark(ctx, "none")
				found <- err
				return streams.Outcome{}, err
			}})
			r.untilOnline("w-1")
			r.send("looks", "sess", "x")
			return entries, <-found
		},
	} {
		weighed.heaviest.Store(0)
		weighed.sum.Store(0)
		n, err := read()
		if n < entries || err != nil { // the worker says something too
			t.Errorf("%s: %d entries, %v", name, n, err)
		}
		if heaviest, sum := weighed.heaviest.Load(), weighed.sum.Load(); heaviest > most || sum < (entries-1)*size {
			t.Errorf("%s: %d bytes in all, at most %d at once, want at most %d", name, sum, heaviest, most)
		}
	}
}
