package model_test

import (
	"context"
	"errors"
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

// noJitter makes waits whole.
func noJitter() float64 { return 0 }

func TestRetryWaits(t *testing.T) {
	busy := failing(model.ClassOverloaded, 0)
	ok := modeltest.Reply{Text: "done"}
	tests := []struct {
		name    string
		policy  model.RetryPolicy
		replies []modeltest.Reply
		waits   []time.Duration
		class   string // of the final error; empty for success
	}{
		{"first try", model.RetryPolicy{}, []modeltest.Reply{ok}, nil, ""},
		{"doubling", model.RetryPolicy{}, []modeltest.Reply{busy, busy, busy, ok}, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}, ""},
		{"cap", model.RetryPolicy{Base: 2 * time.Second}, []modeltest.Reply{busy, busy, busy, ok}, []time.Duration{2 * time.Second, 4 * time.Second, 5 * time.Second}, ""},
		{"jitter", model.RetryPolicy{Rand: func() float64 { return 0.5 }}, []modeltest.Reply{busy, ok}, []time.Duration{150 * time.Millisecond}, ""},
		{"asked for longer", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, 30*time.Second), ok}, []time.Duration{30 * time.Second}, ""},
		{"asked for less", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, time.Millisecond), ok}, []time.Duration{200 * time.Millisecond}, ""},
		{"asked for too long", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassRateLimited, time.Hour), ok}, nil, model.ClassRateLimited},
		{"give up", model.RetryPolicy{Max: 1}, []modeltest.Reply{busy, busy, ok}, []time.Duration{200 * time.Millisecond}, model.ClassOverloaded},
		{"never", model.RetryPolicy{Max: -1}, []modeltest.Reply{busy, ok}, nil, model.ClassOverloaded},
		{"not retryable", model.RetryPolicy{}, []modeltest.Reply{failing(model.ClassAuth, 0), ok}, nil, model.ClassAuth},
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
