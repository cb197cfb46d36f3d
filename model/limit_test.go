package model_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestGateBoundsAndKeepsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int32
		var mu sync.Mutex
		var order []int
		slow := modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
			most.Store(max(most.Load(), open.Add(1)))
			n, _ := strconv.Atoi(req.Agent)
			mu.Lock()
			order = append(order, n)
			mu.Unlock()
			return modeltest.Reply{Text: "ok", Delay: time.Second}
		})
		gate := model.NewGate(3)
		clients := []model.Client{gate.Client(slow), gate.Client(slow)} // two models of a team
		began := time.Now()
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				for chunk, err := range clients[i%2].Stream(t.Context(), model.Request{Agent: strconv.Itoa(i)}) {
					if err != nil {
						t.Error(err)
					}
					if chunk.Finish != "" {
						open.Add(-1)
					}
				}
			})
			synctest.Wait() // they come one after the other
		}
		wg.Wait()
		if most.Load() != 3 {
			t.Errorf("%d calls at once, want 3", most.Load())
		}
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("12 calls of 1s took %s, want 4s", took)
		}
		for first := range slices.Chunk(order, 3) {
			if slices.Max(first)-slices.Min(first) != 2 {
				t.Errorf("order %v, want those who came first to go first", order)
				break
			}
		}
	})
}

func TestGateWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := model.WithParallel(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			return modeltest.Reply{Text: "ok", Delay: time.Minute}
		}), 1)
		var wg sync.WaitGroup
		wg.Go(func() { ask(t, c) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		got := modeltest.Collect(c.Stream(ctx, model.Request{}))
		if !errors.Is(got.Err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("error %v after %s, want the context's after 1s", got.Err, time.Since(began))
		}
		wg.Wait()
		if got := ask(t, c); got.Text != "ok" {
			t.Errorf("got %+v, want a free place after the wait was given up", got)
		}
	})
}

func TestGateIsFreeAfterEarlyStopAndPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mad := true
		c := model.WithParallel(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
			if mad {
				panic("mad model")
			}
			return modeltest.Reply{Reasoning: "hm", Text: "ok"}
		}), 1)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was lost")
				}
			}()
			ask(t, c)
		}()
		mad = false
		for range 3 {
			for _, err := range c.Stream(t.Context(), model.Request{}) {
				if err != nil {
					t.Error(err)
				}
				break
			}
		}
		if got := ask(t, c); got.Text != "ok" {
			t.Errorf("got %+v, want a free place", got)
		}
	})
}
