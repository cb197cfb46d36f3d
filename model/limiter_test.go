package model_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// clock notes when calls come to the model.
type clock struct {
	mu    sync.Mutex // guards times
	began time.Time
	times []time.Duration
}

func (c *clock) note() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times = append(c.times, time.Since(c.began))
	return len(c.times)
}

// most is the largest number of calls in any window of time.
func (c *clock) most(window time.Duration) int {
	most := 0
	for i, from := range c.times {
		n := 0
		for _, at := range c.times[i:] {
			if at < from+window {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func ok(context.Context, model.Request) modeltest.Reply { return modeltest.Reply{Text: "ok"} }

func TestLimiterKeepsRequestsPerMinute(t *testing.T) {
	for _, rpm := range []int{1, 7, 60, 300} {
		synctest.Test(t, func(t *testing.T) {
			c := &clock{began: time.Now()}
			l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{RequestsPerMinute: rpm}})
			client := l.Client(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
				c.note()
				return modeltest.Reply{Text: "ok"}
			}))
			var wg sync.WaitGroup
			for range 3*rpm + 2 {
				wg.Go(func() {
					if got := ask(t, client); got.Err != nil {
						t.Error(got.Err)
					}
				})
			}
			wg.Wait()
			if got := c.most(time.Minute); got > rpm {
				t.Errorf("%d requests within a minute, want at most %d", got, rpm)
			}
			if took, most := time.Since(c.began), 6*time.Minute; took > most {
				t.Errorf("%d requests took %s, want at most %s", 3*rpm+2, took, most)
			}
		})
	}
}

// TestLimiterKeepsTokensPerMinute: the reply counts too, after it came.
func TestLimiterKeepsTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{TokensPerMinute: 6000}})
		client := l.Client(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			return modeltest.Reply{Text: "ok", Usage: event.Usage{Input: 1000, Output: 1000}}
		}))
		prompt := model.Message{Role: model.User, Content: strings.Repeat("word", 996)} // 1000 tokens
		began := time.Now()
		var told int
		for range 12 { // 24,000 tokens, of which 6,000 at once
			got := ask(t, client, prompt)
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			told += len(got.Notices)
		}
		if took := time.Since(began); took < 150*time.Second || took > 190*time.Second {
			t.Errorf("24,000 tokens took %s, want about three minutes", took)
		}
		if told == 0 {
			t.Error("no wait was told")
		}
		huge := model.Message{Role: model.User, Content: strings.Repeat("word", 12000)}
		if got := ask(t, client, huge); got.Err != nil {
			t.Errorf("a prompt larger than a minute's tokens: %v", got.Err)
		}
	})
}

// TestLimiterGivesBack: what a refused or a cheaper call did not use is there
// for others.
func TestLimiterGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := true
		l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{TokensPerMinute: 1000}})
		client := l.Client(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			if refuse {
				return failing(model.ClassServerError, 0)
			}
			return modeltest.Reply{Usage: event.Usage{Input: 10}}
		}))
		prompt := model.Message{Role: model.User, Content: strings.Repeat("word", 900)}
		began := time.Now()
		ask(t, client, prompt)
		refuse = false
		for range 5 {
			ask(t, client, prompt)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %s, want no wait for tokens that nobody used", took)
		}
	})
}

func TestLimiterBoundsConcurrentCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int32
		l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{Concurrent: 2}})
		slow := modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			most.Store(max(most.Load(), open.Add(1)))
			return modeltest.Reply{Text: "ok", Delay: 3 * time.Second}
		})
		clients := []model.Client{l.Client(slow), l.Client(slow)} // two models of one endpoint
		began := time.Now()
		var wg sync.WaitGroup
		var told atomic.Int32
		for i := range 6 {
			wg.Go(func() {
				for chunk, err := range clients[i%2].Stream(t.Context(), model.Request{}) {
					if w, ok := chunk.Notice.(event.Warning); ok && w.Code == "endpoint_wait" && strings.Contains(w.Text, "house") {
						told.Add(1)
					}
					if chunk.Finish != "" {
						open.Add(-1)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if most.Load() != 2 || time.Since(began) != 9*time.Second {
			t.Errorf("%d calls at once, all in %s, want 2 and 9s", most.Load(), time.Since(began))
		}
		if told.Load() != 4 {
			t.Errorf("%d waits were told, want those of the 4 calls that waited", told.Load())
		}
	})
}

// TestLimiterPausesTheEndpoint: one call is sent away for ten seconds; those
// who come meanwhile wait too, and do not go on all at once.
func TestLimiterPausesTheEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{began: time.Now()}
		l := model.NewLimiter(model.LimiterOptions{Name: "house"})
		client := model.WithRetry(l.Client(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			if c.note() == 1 {
				return failing(model.ClassRateLimited, 10*time.Second)
			}
			return modeltest.Reply{Text: "ok"}
		})), model.RetryPolicy{})
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				got := ask(t, client)
				if got.Err != nil || len(got.Notices) == 0 {
					t.Errorf("call %d got %+v, want an answer after a wait that is told", i, got)
				}
			})
		}
		wg.Wait()
		if len(c.times) != 6 {
			t.Fatalf("%d calls came through, want the first and five after the pause: %v", len(c.times), c.times)
		}
		after := c.times[1:]
		slices.Sort(after)
		if after[0] < 10*time.Second || after[4] > 16*time.Second || after[0] == after[4] {
			t.Errorf("calls after the pause at %v, want them spread from 10s on", after)
		}
	})
}

func TestLimiterRefusesALongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		replies := modeltest.Sequence(failing(model.ClassRateLimited, time.Hour), modeltest.Reply{Text: "ok"})
		client := model.NewLimiter(model.LimiterOptions{Name: "house"}).Client(replies)
		ask(t, client)
		began := time.Now()
		e := asError(t, ask(t, client).Err)
		if e.Class != model.ClassRateLimited || e.RetryAfter != time.Hour || e.Hint == "" || time.Since(began) != 0 {
			t.Errorf("error %+v after %s, want rate_limited for an hour at once", e, time.Since(began))
		}
		time.Sleep(time.Hour)
		if got := ask(t, client); got.Text != "ok" {
			t.Errorf("got %+v after the hour, want the answer", got)
		}
	})
}

func TestLimiterWaitsEndWithTheContext(t *testing.T) {
	paused := func() *model.Limiter {
		l := model.NewLimiter(model.LimiterOptions{Name: "house"})
		ask(t, l.Client(modeltest.Sequence(failing(model.ClassOverloaded, time.Minute))))
		return l
	}
	limiters := map[string]func() *model.Limiter{
		"pause": paused,
		"rate": func() *model.Limiter {
			l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{RequestsPerMinute: 1}})
			ask(t, l.Client(modeltest.Func(ok)))
			return l
		},
		"tokens": func() *model.Limiter {
			l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{TokensPerMinute: 1}})
			ask(t, l.Client(modeltest.Func(ok)))
			return l
		},
	}
	for name, limiter := range limiters {
		synctest.Test(t, func(t *testing.T) {
			client := limiter().Client(modeltest.Func(ok))
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			req := model.Request{Messages: []model.Message{{Role: model.User, Content: strings.Repeat("word", 20)}}}
			got := modeltest.Collect(client.Stream(ctx, req))
			if !errors.Is(got.Err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
				t.Errorf("%s: error %v after %s, want the context's after 3s", name, got.Err, time.Since(began))
			}
			for chunk, err := range client.Stream(t.Context(), req) {
				if _, ok := chunk.Notice.(event.Warning); !ok || err != nil {
					t.Errorf("%s: chunk %+v, error %v, want the warning before the wait", name, chunk, err)
				}
				break
			}
			if took := time.Since(began); took != 3*time.Second {
				t.Errorf("%s: stopping took %s more, want no wait", name, took-3*time.Second)
			}
		})
	}
}

func TestLimiterTightens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{RequestsPerMinute: 100, Concurrent: 1}})
		l.Tighten(model.Rate{RequestsPerMinute: 1, Concurrent: 5})
		l.Tighten(model.Rate{})
		client := l.Client(modeltest.Func(ok))
		began := time.Now()
		for range 3 {
			ask(t, client)
		}
		if took := time.Since(began); took != 2*time.Minute {
			t.Errorf("three calls took %s, want one a minute", took)
		}
	})
}

// TestTeamUnderRefusals: a schedule of refusals, drawn by chance, never makes
// a team of callers try without bound, and the gate is not held by those who
// wait.
func TestTeamUnderRefusals(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			var mu sync.Mutex
			var attempts int
			endpoint := modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
				mu.Lock()
				defer mu.Unlock()
				attempts++
				switch n := r.IntN(10); {
				case n < 3:
					return failing(model.ClassRateLimited, time.Duration(r.IntN(20))*time.Second)
				case n < 5:
					return failing(model.ClassOverloaded, 0)
				case n < 6:
					return failing(model.ClassServerError, 0)
				}
				return modeltest.Reply{Text: "ok", Delay: time.Duration(r.IntN(5)) * time.Second}
			})
			l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{Concurrent: 3, RequestsPerMinute: 120}})
			gate := model.NewGate(2)
			var wg sync.WaitGroup
			const callers = 8
			for i := range callers {
				client := gate.Client(model.WithRetry(l.Client(endpoint), model.RetryPolicy{}))
				wg.Go(func() {
					got := modeltest.Collect(client.Stream(t.Context(), model.Request{Agent: fmt.Sprint(i)}))
					if got.Err == nil && got.Text != "ok" {
						t.Errorf("seed %d: got %+v, want an answer or an error", seed, got)
					}
				})
			}
			wg.Wait()
			if most := callers * (model.DefaultRetries + 1); attempts > most {
				t.Errorf("seed %d: %d attempts, want at most %d", seed, attempts, most)
			}
		})
	}
}

// TestGateIsFreeDuringWaits: a call that waits for its retry holds no place.
func TestGateIsFreeDuringWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := model.NewGate(1)
		l := model.NewLimiter(model.LimiterOptions{Name: "house"})
		waiting := gate.Client(model.WithFallback(
			model.Named{Name: "a", Client: model.WithRetry(l.Client(modeltest.Sequence(failing(model.ClassRateLimited, time.Minute), modeltest.Reply{Text: "late"})), model.RetryPolicy{})},
			model.Named{Name: "b", Client: modeltest.Func(ok)},
		))
		var wg sync.WaitGroup
		wg.Go(func() {
			if got := ask(t, waiting); got.Text != "late" {
				t.Errorf("got %+v, want the late answer", got)
			}
		})
		synctest.Wait()
		began := time.Now()
		if got := ask(t, gate.Client(modeltest.Func(ok))); got.Text != "ok" || time.Since(began) != 0 {
			t.Errorf("got %+v after %s, want an answer at once", got, time.Since(began))
		}
		wg.Wait()
	})
}
