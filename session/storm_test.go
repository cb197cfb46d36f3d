package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/session"
)

// storm is a few sessions that many clients use at once while the server is
// stopped and started again.
type storm struct {
	*testing.T
	opts session.Options

	mu   sync.Mutex // guards all below
	m    *session.Manager
	sent map[string]map[string]int // by session: the commands, once each
}

func (s *storm) manager() *session.Manager {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m
}

// client gives commands, each until it is taken, and every third one twice.
func (s *storm) client(rng *rand.Rand, who int) {
	for n := range 12 {
		name := fmt.Sprint("s", rng.IntN(3))
		handle := "ann/" + name
		id := fmt.Sprintf("c%d.%d", who, n)
		text := id
		if rng.IntN(3) == 0 {
			text = "slowly " + id
		}
		for taken, want := 0, 1+(n+1)%3/2; taken < want; {
			err := s.manager().Submit(s.Context(), handle, id, text, nil)
			if err == nil {
				taken++
				continue
			}
			if c := code(err); c != "closed" && c != "full" {
				s.Errorf("%s to %s: %v", id, handle, err)
				return
			}
			time.Sleep(time.Second)
		}
		s.mu.Lock()
		s.sent[handle][id] = 1
		s.mu.Unlock()
		if rng.IntN(6) == 0 {
			mode := []string{event.StopSoft, event.StopNow}[rng.IntN(2)]
			if err := s.manager().Stop(s.Context(), handle, "", mode); err != nil && code(err) != "closed" {
				s.Errorf("stop: %v", err)
			}
		}
		time.Sleep(time.Duration(rng.IntN(40)) * time.Minute)
	}
}

// reader follows a session over restarts with its cursor, checks that nothing is
// missed or seen twice, and returns the last that it saw.
func (s *storm) reader(ctx context.Context, handle string) (at int64) {
	for ctx.Err() == nil {
		for rec, err := range s.manager().Follow(ctx, handle, at) {
			if err != nil {
				if ctx.Err() == nil && code(err) != "closed" {
					s.Errorf("a reader: %v", err)
				}
				break
			}
			if rec.Seq > 0 && rec.Seq != at+1 {
				s.Errorf("a reader of %s got %d after %d", handle, rec.Seq, at)
			}
			at = max(at, rec.Seq)
		}
		time.Sleep(time.Second)
	}
	return at
}

func TestStorm(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playStorm(t, seed) })
		})
	}
}

func playStorm(t *testing.T, seed uint64) {
	t.Helper()
	s := &storm{T: t, opts: echoes(t, func(o *session.Options) { o.Grace = time.Minute }), sent: map[string]map[string]int{}}
	var stop func()
	s.m, stop = serve(t, s.opts)
	ctx, cancel := context.WithCancelCause(t.Context())
	var readers, clients sync.WaitGroup
	var seen [3]int64
	for i := range seen {
		handle := fmt.Sprint("ann/s", i)
		s.sent[handle] = map[string]int{}
		readers.Go(func() { seen[i] = s.reader(ctx, handle) })
	}
	for who := range 4 {
		clients.Go(func() { s.client(rand.New(rand.NewPCG(seed, uint64(who))), who) })
	}
	for range 4 {
		time.Sleep(73 * time.Minute)
		stop()
		next, stopNext := serve(t, s.opts)
		s.mu.Lock()
		s.m, stop = next, stopNext
		s.mu.Unlock()
	}
	clients.Wait()
	time.Sleep(100 * time.Hour)
	cancel(errors.New("enough"))
	readers.Wait()
	for i, at := range seen {
		if n := len(records(t, s.m, fmt.Sprint("ann/s", i))); at != int64(n) {
			t.Errorf("a reader of s%d saw %d records of %d", i, at, n)
		}
	}
	for handle, want := range s.sent {
		got := map[string]int{}
		for _, rec := range records(t, s.m, handle) {
			if d, ok := rec.Data.(event.MessageSent); ok && d.From == event.Person {
				got[d.RequestID]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("commands of %s (-want +got):\n%s", handle, diff)
		}
	}
	stop()
}
