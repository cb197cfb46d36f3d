package model_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestLimitersOf(t *testing.T) {
	limiters := model.NewLimiters(0)
	open := func(base, key string) model.Client {
		c, err := model.NewOpenAI(model.Endpoint{Model: "m", BaseURL: base, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	learns, err := model.NewAdaptive(model.Endpoint{Model: "other", BaseURL: "http://house/v1/chat/completions", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	house := limiters.Of(open("http://house/v1", "k"))
	if house == nil || limiters.Of(learns) != house {
		t.Error("two clients of one endpoint and key have two limiters, want one")
	}
	if limiters.Of(open("http://house/v1", "k2")) == house || limiters.Of(open("http://other/v1", "k")) == house {
		t.Error("another key or another endpoint has the same limiter")
	}
	if model.NewLimiters(0).Of(learns) == house {
		t.Error("another team has the same limiter")
	}
	if limiters.Of(modeltest.Sequence()) != nil || limiters.Of(house.Client(learns)) != nil {
		t.Error("a client of no endpoint, or one that has a limiter, gets one")
	}
}

// TestLimitersComplete: whatever a client has of the usual chain, the rest is
// put around it: its retries, and below them the one limiter of its endpoint.
func TestLimitersComplete(t *testing.T) {
	for _, tt := range []struct {
		name  string
		build func(model.Client) model.Client
		tries int // requests until the call gives up
		slow  bool
	}{
		{"bare", func(c model.Client) model.Client { return c }, 4, true},
		{"own retries", func(c model.Client) model.Client { return model.WithRetry(c, model.RetryPolicy{Max: 1}) }, 2, true},
		{"no retries wanted", func(c model.Client) model.Client { return model.WithRetry(c, model.RetryPolicy{Max: -1}) }, 1, true},
		{"fallback", func(c model.Client) model.Client {
			return model.WithFallback(model.Named{Name: "a", Client: c}, model.Named{Name: "b", Client: model.WithRetry(c, model.RetryPolicy{Max: -1})})
		}, 5, true},
		{"retries above a fallback", func(c model.Client) model.Client {
			return model.WithRetry(model.WithFallback(model.Named{Name: "a", Client: c}, model.Named{Name: "b", Client: c}), model.RetryPolicy{Max: -1})
		}, 2, true},
		{"own limiter", func(c model.Client) model.Client { return model.NewLimiter(model.LimiterOptions{}).Client(c) }, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				endpoint := model.Endpoint{Model: "m", BaseURL: "http://house/v1", Transport: roundTrip(func(*http.Request) (*http.Response, error) {
					requests++
					return &http.Response{StatusCode: http.StatusBadGateway, Body: http.NoBody, Header: http.Header{}}, nil
				})}
				c, err := model.NewOpenAI(endpoint)
				if err != nil {
					t.Fatal(err)
				}
				limiters := model.NewLimiters(0)
				limiters.Of(c).Tighten(model.Rate{RequestsPerMinute: 1})
				began := time.Now()
				got := ask(t, limiters.Client(tt.build(c)))
				if asError(t, got.Err).Class != model.ClassServerError || requests != tt.tries {
					t.Errorf("error %v after %d requests, want a failure after %d", got.Err, requests, tt.tries)
				}
				if took, want := time.Since(began), time.Duration(tt.tries-1)*time.Minute-time.Second; tt.slow && took < want {
					t.Errorf("the calls took %s, want %s at one a minute", took, want)
				}
			})
		})
	}
}

// TestFallbackTellsWhoAnswers: the pieces of a call name the model that they
// come from, so that each can be paid by its own price.
func TestFallbackTellsWhoAnswers(t *testing.T) {
	failed := modeltest.Reply{Usage: event.Usage{Input: 7}, Err: model.NewError(model.ClassEmptyResponse, "")}
	good := modeltest.Reply{Text: "hi", Usage: event.Usage{Input: 5, Output: 1}}
	inner := model.WithFallback(model.Named{Name: "b", Client: paying(failed)}, model.Named{Name: "c", Client: paying(good)})
	c := model.WithFallback(model.Named{Name: "a", Client: paying(failed)}, model.Named{Name: "b", Client: inner})
	spent := map[string]int{}
	who, before := "", 0
	for chunk, err := range c.Stream(t.Context(), model.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Model != "" {
			who = chunk.Model
		}
		if chunk.Usage != nil {
			spent[who] += chunk.Usage.Total() - before
			before = chunk.Usage.Total()
		}
	}
	if who != "c" || spent["a"] != 7 || spent["b"] != 7 || spent["c"] != 6 {
		t.Errorf("%s answered, tokens by model %v; want c, and 7, 7 and 6", who, spent)
	}
}
