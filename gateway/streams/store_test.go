package streams_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

func newStore(t *testing.T, rdb redis.UniversalClient, schema streams.Schema) streams.Store {
	t.Helper()
	s, err := streams.NewStore(rdb, schema, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func queued(message string) streams.Record {
	return streams.Record{
		ExecutionID: "exec-" + message, MessageID: message, SessionID: "sess", Status: streams.Queued,
		Timeline: []streams.Step{{Status: streams.Queued, Timestamp: 1}},
	}
}

// both runs a test on miniredis, and on a real server where there is one.
func both(t *testing.T, test func(t *testing.T, rdb *redis.Client)) {
	t.Helper()
	t.Run("mini", func(t *testing.T) {
		_, rdb := mini(t)
		test(t, rdb)
	})
	t.Run("real", func(t *testing.T) { test(t, dial(t, realRedis(t).addr())) })
}

// TestUpdatesDoNotOverwrite lets many write the same record and others of the
// same session at the same time; each change is there afterwards.
func TestUpdatesDoNotOverwrite(t *testing.T) {
	both(t, func(t *testing.T, rdb *redis.Client) {
		s, ctx := newStore(t, rdb, streams.V1), t.Context()
		for _, m := range []string{"a", "b"} {
			if err := s.Create(ctx, queued(m)); err != nil {
				t.Fatal(err)
			}
		}
		const writers = 8
		var wg sync.WaitGroup
		for i := range writers {
			for _, m := range []string{"a", "b"} {
				wg.Go(func() {
					_, err := s.Update(ctx, "sess", m, func(r *streams.Record) ([]streams.Event, error) {
						r.Timeline = append(r.Timeline, streams.Step{Status: "x", Timestamp: int64(i)})
						return nil, nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		records, err := s.Records(ctx, "sess")
		if err != nil || len(records) != 2 {
			t.Fatalf("got %d records, %v", len(records), err)
		}
		for _, r := range records {
			if got := len(r.Timeline); got != 1+writers {
				t.Errorf("%s has %d steps, want %d", r.MessageID, got, 1+writers)
			}
		}
	})
}

// TestUpdateWritesTogether publishes events only together with the record.
func TestUpdateWritesTogether(t *testing.T) {
	srv, rdb := mini(t)
	s, ctx := newStore(t, rdb, streams.V2), t.Context()
	if err := s.Create(ctx, queued("m")); err != nil {
		t.Fatal(err)
	}
	end := streams.Voice{SessionID: "sess", MessageID: "m"}.End(streams.Stamp{})
	stop := errors.New("stop")
	for _, want := range []error{stop, streams.ErrKeep, nil} {
		_, err := s.Update(ctx, "sess", "m", func(r *streams.Record) ([]streams.Event, error) {
			r.Status = streams.Running
			return []streams.Event{end}, want
		})
		if errors.Is(want, streams.ErrKeep) {
			want = nil
		}
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if got := rdb.XLen(ctx, streams.V2.DataStream("sess")).Val(); got != 1 {
		t.Errorf("got %d events, want the one of the update that wrote", got)
	}
	r, err := s.Record(ctx, "sess", "m")
	if err != nil || r.Status != streams.Running {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, key := range []string{streams.V2.DataStream("sess"), streams.V2.Registry("sess")} {
		if got, want := srv.TTL(key), 7*24*time.Hour; got != want {
			t.Errorf("%s stays %v, want %v", key, got, want)
		}
	}
}

func TestNoRecord(t *testing.T) {
	_, rdb := mini(t)
	s, ctx := newStore(t, rdb, streams.V1), t.Context()
	if _, err := s.Record(ctx, "sess", "m"); !errors.Is(err, streams.ErrNoRecord) {
		t.Errorf("got %v, want ErrNoRecord", err)
	}
	_, err := s.Update(ctx, "sess", "m", func(*streams.Record) ([]streams.Event, error) { return nil, nil })
	if !errors.Is(err, streams.ErrNoRecord) {
		t.Errorf("got %v, want ErrNoRecord", err)
	}
}

// TestGroupCountsEachChildOnce lets the replies of a group come at the same
// time, and each twice.
func TestGroupCountsEachChildOnce(t *testing.T) {
	both(t, func(t *testing.T, rdb *redis.Client) {
		s, ctx := newStore(t, rdb, streams.V2), t.Context()
		const total = 6
		if err := s.OpenGroup(ctx, "tg-1", "parent", total); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 2 * total {
			wg.Go(func() {
				have, of, err := s.AddResult(ctx, "tg-1", fmt.Sprint("child-", i%total), streams.GroupResult{Status: "COMPLETED"})
				if err != nil || of != total || have < 1 || have > total {
					t.Errorf("got %d of %d, %v", have, of, err)
				}
			})
		}
		wg.Wait()
		if got := rdb.HGet(ctx, streams.V2.Group("tg-1"), "completed").Val(); got != fmt.Sprint(total) {
			t.Errorf("completed %s, want %d", got, total)
		}
		results, err := s.Results(ctx, "tg-1")
		if err != nil || len(results) != total {
			t.Errorf("got %d results, %v", len(results), err)
		}
		for _, key := range []string{streams.V2.Group("tg-1"), streams.V2.GroupResults("tg-1")} {
			if ttl := rdb.TTL(ctx, key).Val(); ttl <= 23*time.Hour || ttl > 24*time.Hour {
				t.Errorf("%s stays %v, want a day", key, ttl)
			}
		}
	})
}

func TestNoGroup(t *testing.T) {
	_, rdb := mini(t)
	s, ctx := newStore(t, rdb, streams.V1), t.Context()
	if _, _, err := s.AddResult(ctx, "tg-1", "c", streams.GroupResult{}); !errors.Is(err, streams.ErrNoGroup) {
		t.Errorf("got %v, want ErrNoGroup", err)
	}
	rdb.HSet(ctx, streams.V1.Group("tg-1"), "total", "many", "completed", "0")
	if _, _, err := s.AddResult(ctx, "tg-1", "c", streams.GroupResult{}); !errors.Is(err, streams.ErrNoGroup) {
		t.Errorf("got %v, want ErrNoGroup", err)
	}
}

func TestIllegalMovesAreRefused(t *testing.T) {
	at := time.UnixMilli(7)
	r := queued("m")
	for _, s := range []streams.Status{streams.WaitingUser, streams.Completed, streams.Cancelled} {
		before := r
		if err := streams.Move(&r, s, at); !errors.Is(err, streams.ErrState) {
			t.Errorf("%s: got %v, want ErrState", s, err)
		}
		if r.Status != before.Status || len(r.Timeline) != len(before.Timeline) {
			t.Errorf("%s: the record changed", s)
		}
	}
	var way []string
	for _, s := range []streams.Status{
		streams.Running, streams.Running, streams.WaitingUser, streams.Running, streams.Queued, streams.Running,
		streams.Cancelling, streams.Cancelled,
	} {
		if err := streams.Move(&r, s, at); err != nil {
			t.Fatal(err)
		}
		way = append(way, string(r.State()))
	}
	const want = "PROCESSING PROCESSING SUSPENDED PROCESSING SUSPENDED PROCESSING CANCELLING CANCELLED"
	if got := strings.Join(way, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.StartedAt != 7 || r.FinishedAt != 7 || r.UpdatedAt != 7 {
		t.Errorf("times %d, %d, %d", r.StartedAt, r.FinishedAt, r.UpdatedAt)
	}
	if err := streams.Move(&r, streams.Cancelled, at); !errors.Is(err, streams.ErrState) {
		t.Errorf("a second end: got %v, want ErrState", err)
	}
}

func TestClusterNeedsV2(t *testing.T) {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
	defer rdb.Close()
	if _, err := streams.NewStore(rdb, streams.V1, nil, nil); !errors.Is(err, streams.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
	if _, err := streams.NewStore(rdb, streams.V2, nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := streams.NewStore(rdb, "v3", nil, nil); !errors.Is(err, streams.ErrSchema) {
		t.Errorf("got %v, want ErrSchema", err)
	}
}
