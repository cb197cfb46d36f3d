package model_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

// failing is a reply that fails with the class.
func failing(class string, after time.Duration) modeltest.Reply {
	e := model.NewError(class, "words of the provider")
	e.RetryAfter = after
	return modeltest.Reply{Err: e}
}

// secondsOf are durations of whole seconds.
func secondsOf(all ...int) []time.Duration {
	var out []time.Duration
	for _, n := range all {
		out = append(out, time.Duration(n)*time.Second)
	}
	return out
}

// noJitter makes waits whole.
func noJitter() float64 { return 0 }

func TestRetryWaits(t *testing.T) {
	inside := model.NewError(model.ClassProviderError, "words of the provider")
	inside.Like = model.ClassOverloaded
	busy, down := failing(model.ClassOverloaded, 0), failing(model.ClassTransport, 0)
	ok := modeltest.Reply{Text: "done"}
	const ms = time.Millisecond
	tests := []struct {
		name    string
		policy  model.RetryPolicy
		replies []modeltest.Reply
		waits   []time.Duration
		class   string // of the final error; empty for success
	}{
		{"first try", model.RetryPolicy{}, []modeltest.Reply{ok}, nil, ""},
		{"doubling", model.RetryPolicy{}, []modeltest.Reply{down, down, down, ok}, []time.Duration{200 * ms, 400 * ms, 800 * ms}, ""},
		{"cap", model.RetryPolicy{Base: 2 * time.Second}, []modeltest.Reply{down, down, down, ok}, []time.Duration{2 * time.Second, 4 * time.Second, 5 * time.Second}, ""},
		{"jitter", model.RetryPolicy{Rand: func() float64 { return 0.5 }}, []modeltest.Reply{down, ok}, []time.Duration{150 * ms}, ""},
		{"overloaded", model.RetryPolicy{}, slices.Repeat([]modeltest.Reply{busy}, 9), secondsOf(2, 4, 8, 16, 32, 60, 60, 60), model.ClassOverloaded},
		{"overloaded inside a reply", model.RetryPolicy{}, []modeltest.Reply{{Err: inside}, {Err: inside}, ok}, secondsOf(2, 4), ""},
		{"rate limited", model.RetryPolicy{}, slices.Repeat([]modeltest.Reply{failing(model.ClassRateLimited, 0)}, 9), secondsOf(1, 2, 4, 8, 16, 30, 30, 30), model.ClassRateLimited},
		{"server error", model.RetryPolicy{}, slices.Repeat([]modeltest.Reply{failing(model.ClassServerError, 0)}, 4), []time.Duration{200 * ms, 400 * ms, 800 * ms}, model.ClassServerError},
		{"each class climbs its own ladder", model.RetryPolicy{}, []modeltest.Reply{busy, down, busy, down, ok}, []time.Duration{2 * time.Second, 200 * ms, 4 * time.Second, 400 * ms}, ""},
		{"budget", model.RetryPolicy{Budget: 7 * time.Second}, []modeltest.Reply{busy, busy, busy}, secondsOf(2, 4), model.ClassOverloaded},
		{"asked for longer", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, 30*time.Second), ok}, secondsOf(30), ""},
		{"asked for longer, spread", model.RetryPolicy{Rand: func() float64 { return 0.5 }}, []modeltest.Reply{failing(model.ClassRateLimited, 8*time.Second), ok}, secondsOf(9), ""},
		{"asked for less", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, ms), ok}, secondsOf(1), ""},
		{"asked for too long", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, time.Hour), ok}, nil, model.ClassRateLimited},
		{"give up", model.RetryPolicy{Max: 1}, []modeltest.Reply{busy, busy, ok}, secondsOf(2), model.ClassOverloaded},
		{"more than the ladder has", model.RetryPolicy{Max: 5}, slices.Repeat([]modeltest.Reply{failing(model.ClassStalled, 0)}, 6), []time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms}, model.ClassStalled},
		{"never", model.RetryPolicy{Max: -1}, []modeltest.Reply{busy, ok}, nil, model.ClassOverloaded},
		{"not retryable", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassAuth, 0), ok}, nil, model.ClassAuth},
		{"hard quota", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassQuota, time.Second), ok}, nil, model.ClassQuota},
		{"after text", model.RetryPolicy{}, []modeltest.Reply{{Text: "so far", Err: model.NewError(model.ClassTruncatedStream, "")}, ok}, nil, model.ClassTruncatedStream},
		{"after thoughts", model.RetryPolicy{}, []modeltest.Reply{{Reasoning: "so", Err: model.NewError(model.ClassTruncatedStream, "")}, ok}, nil, model.ClassTruncatedStream},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if tt.policy.Rand == nil {
					tt.policy.Rand = noJitter
				}
				began := time.Now()
				got := ask(t, model.WithRetry(modeltest.Sequence(tt.replies...), tt.policy))
				var waits []time.Duration
				var sum time.Duration
				for i, n := range got.Notices {
					r := n.(event.ModelRetried)
					if r.Attempt != i+1 || r.Failure.Message != "words of the provider" {
						t.Errorf("notice %+v, want attempt %d with the provider's words", r, i+1)
					}
					waits = append(waits, time.Duration(r.WaitMS)*time.Millisecond)
					sum += waits[i]
				}
				if diff := cmp.Diff(tt.waits, waits); diff != "" {
					t.Errorf("waits (-want +got):\n%s", diff)
				}
				if took := time.Since(began); took != sum {
					t.Errorf("took %s, want the waits %s", took, sum)
				}
				switch {
				case tt.class == "" && (got.Err != nil || got.Text != "done"):
					t.Errorf("got %+v, want the reply", got)
				case tt.class != "" && asError(t, got.Err).Class != tt.class:
					t.Errorf("error %v, want class %s", got.Err, tt.class)
				}
			})
		})
	}
}

func TestRetryKeepsTheClientsError(t *testing.T) {
	own := model.NewError(model.ClassRateLimited, "slow down")
	own.RetryAfter = time.Hour
	c := model.WithRetry(modeltest.Sequence(modeltest.Reply{Err: own}), model.RetryPolicy{})
	if e := asError(t, ask(t, c).Err); e.Hint == "" || own.Hint != "" {
		t.Errorf("hint %q for the caller and %q in the client's error, want one and none", e.Hint, own.Hint)
	}
	plain := errors.New("not ours")
	c = model.WithRetry(modeltest.Sequence(modeltest.Reply{Err: plain}, modeltest.Reply{}), model.RetryPolicy{})
	if got := ask(t, c); !errors.Is(got.Err, plain) {
		t.Errorf("error %v, want the client's own", got.Err)
	}
}

func TestRetryWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		c := model.WithRetry(modeltest.Sequence(failing(model.ClassRateLimited, time.Minute)), model.RetryPolicy{})
		began := time.Now()
		got := modeltest.Collect(c.Stream(ctx, model.Request{}))
		if !errors.Is(got.Err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("error %v after %s, want the context's after 3s", got.Err, time.Since(began))
		}
	})
}

func TestRetryStopsWithTheConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := model.WithRetry(modeltest.Sequence(failing(model.ClassRateLimited, time.Minute)), model.RetryPolicy{})
		for chunk, err := range c.Stream(t.Context(), model.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := chunk.Notice.(event.ModelRetried); !ok {
				t.Errorf("chunk %+v, want the notice before the wait", chunk)
			}
			break
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("stopping took %s, want no wait", took)
		}
	})
}

// TestRetryAddsUsage: a broken reply was paid for too.
func TestRetryAddsUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\n"
		whole := "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n"
		c := model.WithRetry(newOpenAI(t, model.Endpoint{Model: "m", BaseURL: "http://models.test", Transport: bodies(broken, whole)}), model.RetryPolicy{})
		got := ask(t, c)
		want := event.Usage{Input: 20, Output: 5}
		if got.Err != nil || got.Text != "ok" || got.Usage == nil || *got.Usage != want {
			t.Errorf("got %+v with usage %+v, want ok and %+v", got, got.Usage, want)
		}
		c = model.WithRetry(newOpenAI(t, model.Endpoint{Model: "m", BaseURL: "http://models.test", Transport: bodies(broken, "")}), model.RetryPolicy{Max: 1})
		got = ask(t, c)
		want = event.Usage{Input: 10, Output: 2}
		if got.Err == nil || got.Usage == nil || *got.Usage != want {
			t.Errorf("got %+v with usage %+v, want an error and %+v", got, got.Usage, want)
		}
	})
}

// TestRetryAfterText: what was shown is void, and the log says so before the
// step is asked again.
func TestRetryAfterText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := modeltest.Reply{Text: "half", Err: model.NewError(model.ClassTruncatedStream, "it broke off")}
		c := model.WithRetry(modeltest.Sequence(broken, modeltest.Reply{Text: "whole"}), model.RetryPolicy{AfterText: true})
		var told []string
		for chunk, err := range c.Stream(t.Context(), model.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			switch n := chunk.Notice.(type) {
			case event.Warning:
				told = append(told, n.Code)
			case event.ModelRetried:
				told = append(told, n.Failure.Code)
			}
			if chunk.Text != "" {
				told = append(told, chunk.Text)
			}
		}
		if want := []string{"half", "reply_discarded", model.ClassTruncatedStream, "whole"}; !slices.Equal(told, want) {
			t.Errorf("got %q, want %q", told, want)
		}
	})
}

// TestRetriesAreBounded: whatever the schedule of failures, a call ends, after
// a bounded number of attempts and a bounded time of waiting.
func TestRetriesAreBounded(t *testing.T) {
	classes := []string{
		model.ClassOverloaded, model.ClassRateLimited, model.ClassTransport, model.ClassServerError, model.ClassProviderError,
		model.ClassTruncatedStream, model.ClassEmptyResponse, model.ClassStalled,
	}
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			policy := model.RetryPolicy{Max: []int{0, -1, 1, 4, 1 << 40}[r.IntN(5)], Rand: r.Float64}
			attempts := 0
			c := model.WithRetry(modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
				attempts++
				return failing(classes[r.IntN(len(classes))], time.Duration(r.IntN(3)*r.IntN(100))*time.Second)
			}), policy)
			began := time.Now()
			got := ask(t, c)
			if asError(t, got.Err); attempts > 1+max(policy.Max, model.DefaultRetries) || policy.Max < 0 && attempts != 1 {
				t.Errorf("seed %d: %d attempts with %+v", seed, attempts, policy)
			}
			if took := time.Since(began); took > model.DefaultRetryBudget {
				t.Errorf("seed %d: waited %s, want at most %s", seed, took, model.DefaultRetryBudget)
			}
			if len(got.Notices) != attempts-1 {
				t.Errorf("seed %d: %d notices for %d attempts, want one before each wait", seed, len(got.Notices), attempts)
			}
		})
	}
}
