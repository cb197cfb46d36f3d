package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/transcript"
)

// inBubble runs test on both kinds of logs, each in a bubble, which fails when
// a goroutine is left behind or all are stuck.
func inBubble(t *testing.T, test func(t *testing.T, l *transcript.Log)) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, k.make(t, transcript.Options{Sync: transcript.SyncOff}))
			})
		})
	}
}

// seen is a reader that notes what it gets, as "7" for record 7 and "~x" for
// the live text x.
type seen struct {
	mu   sync.Mutex // guards what follows
	list []string
	err  error
	done bool
}

func (s *seen) follow(ctx context.Context, l *transcript.Log, after int64) {
	for rec, err := range l.Follow(ctx, after) {
		s.mu.Lock()
		switch {
		case err != nil:
			s.err = err
		case rec.Seq == 0:
			s.list = append(s.list, "~"+rec.Data.(event.ToolOutput).Text)
		default:
			s.list = append(s.list, fmt.Sprint(rec.Seq))
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
}

// want checks what was seen so far, once everything is at rest.
func (s *seen) want(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.list, " "); got != want {
		t.Errorf("seen %q, want %q", got, want)
	}
}

func (s *seen) ended(t *testing.T, want error) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done || !errors.Is(s.err, want) {
		t.Errorf("ended: %v, error %v; want true, %v", s.done, s.err, want)
	}
}

func live(l *transcript.Log, text string) {
	l.Live("uio_1", 1, event.ToolOutput{CallID: "c", Text: text})
}

func TestFollow(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		fill(t, l, 2)
		var all, later seen
		go all.follow(t.Context(), l, 0)
		go later.follow(t.Context(), l, 4)
		all.want(t, "1 2")
		later.want(t, "")
		fill(t, l, 1)
		all.want(t, "1 2 3")
		fill(t, l, 2)
		all.want(t, "1 2 3 4 5")
		later.want(t, "5")
		l.Close()
		all.ended(t, nil)
		later.ended(t, nil)
	})
}

// Live records come where they belong: behind the record that was the newest
// when they were handed over.
func TestFollowLive(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		fill(t, l, 1)
		live(l, "before")
		var s seen
		go s.follow(t.Context(), l, 0)
		s.want(t, "1")
		live(l, "a")
		s.want(t, "1 ~a")
		live(l, "b")
		live(l, "c")
		fill(t, l, 2)
		live(l, "d")
		fill(t, l, 1)
		s.want(t, "1 ~a ~b ~c 2 3 ~d 4")

		var late seen
		go late.follow(t.Context(), l, 0)
		late.want(t, "1 2 3 4")
		live(l, "e")
		l.Close()
		s.want(t, "1 ~a ~b ~c 2 3 ~d 4 ~e")
		late.want(t, "1 2 3 4 ~e")
		live(l, "after the end")
		s.ended(t, nil)
	})
}

// A live record has no seq and is not stored.
func TestLiveIsNotStored(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		got := make(chan event.Record, 1)
		go func() {
			for rec, err := range l.Follow(t.Context(), 0) {
				if err != nil {
					t.Error(err)
				}
				got <- rec
			}
		}()
		synctest.Wait()
		l.Live("", 0, event.Warning{Text: "not a live type"})
		live(l, "x")
		want := event.Record{V: event.Version, Time: time.Now().UTC(), Agent: "uio_1", Turn: 1, Data: event.ToolOutput{CallID: "c", Text: "x"}}
		same(t, "live record", []event.Record{<-got}, []event.Record{want})
		if n := l.Len(); n != 0 {
			t.Errorf("Len() = %d, want 0", n)
		}
		l.Close()
		synctest.Wait()
		same(t, "stored", collect(t, l.Records(0)), nil)
	})
}

// A reader that lags misses live records, never stored ones.
func TestLaggingReaderMissesOnlyLive(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		gate := make(chan struct{})
		var lives, records int
		go func() {
			for rec, err := range l.Follow(t.Context(), 0) {
				if err != nil {
					t.Error(err)
				}
				if rec.Seq == 1 {
					<-gate
				}
				if rec.Seq == 0 {
					lives++
				} else if records++; rec.Seq != int64(records) {
					t.Errorf("record %d where %d belongs", rec.Seq, records)
				}
			}
		}()
		fill(t, l, 1)
		synctest.Wait()
		const rounds = 3 * transcript.RingSize
		for i := range rounds {
			live(l, fmt.Sprint(i))
			fill(t, l, 1)
		}
		close(gate)
		l.Close()
		synctest.Wait()
		if records != rounds+1 {
			t.Errorf("got %d records, want %d", records, rounds+1)
		}
		if lives == 0 || lives > transcript.RingSize {
			t.Errorf("got %d live records, want some, at most %d", lives, transcript.RingSize)
		}
	})
}

func TestFollowEndsWithCause(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		cause := errors.New("the client left")
		ctx, cancel := context.WithCancelCause(t.Context())
		fill(t, l, 1)
		var s seen
		go s.follow(ctx, l, 0)
		s.want(t, "1")
		cancel(cause)
		s.ended(t, cause)

		var never seen
		go never.follow(ctx, l, 0)
		never.want(t, "")
		never.ended(t, cause)
	})
}

// A cancel ends a reader in the middle of what there is to read.
func TestFollowCancelledWhileReading(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		fill(t, l, 500)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		_, err := failure(func(yield func(event.Record, error) bool) {
			for rec, err := range l.Follow(ctx, 0) {
				if n++; n == 10 {
					cancel(cause)
				}
				if !yield(rec, err) {
					return
				}
			}
		})
		if !errors.Is(err, cause) || n != 11 {
			t.Errorf("ended with %v after %d steps, want %v after 11", err, n, cause)
		}
	})
}

func TestFollowBreak(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		fill(t, l, 300)
		for _, seq := range []iter.Seq2[event.Record, error]{l.Follow(t.Context(), 0), l.Records(0), l.Records(299)} {
			for _, err := range seq {
				if err != nil {
					t.Error(err)
				}
				break
			}
		}
		// Nobody follows: what is live now is not kept for those who come.
		live(l, "x")
		var s seen
		go s.follow(t.Context(), l, 299)
		s.want(t, "300")
		l.Close()
	})
}

// A reader may use the log while it reads.
func TestFollowerMayAppend(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		fill(t, l, 1)
		for rec, err := range l.Follow(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq == 1000 {
				break
			}
			fill(t, l, 1)
		}
		if l.Len() != 1000 {
			t.Errorf("Len() = %d, want 1000", l.Len())
		}
	})
}

// Many readers, several writers, live records between: each reader gets every
// record once and in order.
func TestManyFollowers(t *testing.T) {
	forBoth(t, func(t *testing.T, open func(transcript.Options) *transcript.Log) {
		const readers, writers, each = 100, 4, 150
		l := open(transcript.Options{Sync: transcript.SyncOff})
		var read, write sync.WaitGroup
		for range readers {
			read.Go(func() {
				after := rand.Int64N(writers * each)
				next := after + 1
				for rec, err := range l.Follow(t.Context(), after) {
					if err != nil {
						t.Error(err)
						return
					}
					if rec.Seq == 0 {
						continue
					}
					if rec.Seq != next {
						t.Errorf("record %d where %d belongs", rec.Seq, next)
						return
					}
					if next++; rand.IntN(50) == 0 {
						runtime.Gosched()
					}
				}
				if next != writers*each+1 {
					t.Errorf("ended before record %d", next)
				}
			})
		}
		for range writers {
			write.Go(func() {
				for i := range each {
					if _, err := l.Append("a", i, event.Warning{Text: "x"}); err != nil {
						t.Error(err)
					}
					live(l, "y")
				}
			})
		}
		write.Wait()
		l.Close()
		read.Wait()
	})
}

// Thousands of readers that wait cost nothing but their goroutines, and all
// get the news.
func TestThousandsOfFollowers(t *testing.T) {
	inBubble(t, func(t *testing.T, l *transcript.Log) {
		const readers = 3000
		got := make(chan int64, readers)
		for range readers {
			go func() {
				for rec, err := range l.Follow(t.Context(), 0) {
					if err != nil {
						t.Error(err)
					}
					got <- rec.Seq
				}
			}()
		}
		for i := range int64(3) {
			fill(t, l, 1)
			synctest.Wait()
			for range readers {
				if seq := <-got; seq != i+1 {
					t.Fatalf("got record %d, want %d", seq, i+1)
				}
			}
		}
		l.Close()
		synctest.Wait()
	})
}
