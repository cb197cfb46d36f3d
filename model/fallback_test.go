package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
)

func TestFallback(t *testing.T) {
	good := modeltest.Reply{Text: "from the other", Usage: event.Usage{Input: 5, Output: 1}}
	tests := []struct {
		name    string
		first   modeltest.Reply
		text    string
		class   string
		notices int
		usage   event.Usage
	}{
		{"first answers", modeltest.Reply{Text: "hi", Usage: event.Usage{Input: 3, Output: 2}}, "hi", "", 0, event.Usage{Input: 3, Output: 2}},
		{"retryable", failing(model.ClassOverloaded, 0), "from the other", "", 1, event.Usage{Input: 5, Output: 1}},
		{"paid for nothing", modeltest.Reply{Usage: event.Usage{Input: 7, Output: 2}, Err: model.NewError(model.ClassEmptyResponse, "")}, "from the other", "", 1, event.Usage{Input: 12, Output: 3}},
		{"not retryable", failing(model.ClassAuth, 0), "", model.ClassAuth, 0, event.Usage{}},
		{"hard quota", failing(model.ClassQuota, 0), "", model.ClassQuota, 0, event.Usage{}},
		{"after text", modeltest.Reply{Text: "half", Err: model.NewError(model.ClassTruncatedStream, "")}, "half", model.ClassTruncatedStream, 0, event.Usage{}},
		{"after thoughts", modeltest.Reply{Reasoning: "hm", Err: model.NewError(model.ClassTruncatedStream, "")}, "", model.ClassTruncatedStream, 0, event.Usage{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := model.WithFallback(
				model.Named{Name: "a/fast", Client: paying(tt.first)},
				model.Named{Name: "b/slow", Client: paying(good)},
			)
			got := ask(t, c)
			if got.Text != tt.text || len(got.Notices) != tt.notices {
				t.Errorf("got %+v, want text %q and %d notices", got, tt.text, tt.notices)
			}
			for _, n := range got.Notices {
				if w := n.(event.Warning); w.Code != "model_fallback" || !strings.Contains(w.Text, "a/fast") || !strings.Contains(w.Text, "b/slow") {
					t.Errorf("warning %+v, want one that names both", w)
				}
			}
			if tt.class == "" && (got.Err != nil || *got.Usage != tt.usage) {
				t.Errorf("error %v, usage %+v, want none and %+v", got.Err, got.Usage, tt.usage)
			}
			if tt.class != "" && asError(t, got.Err).Class != tt.class {
				t.Errorf("error %v, want class %s", got.Err, tt.class)
			}
		})
	}
}

// paying yields the usage of a reply also when it fails.
func paying(r modeltest.Reply) model.Client {
	return clientFunc(func(ctx context.Context, req model.Request, yield func(model.Chunk, error) bool) {
		if r.Err != nil && r.Usage != (event.Usage{}) && !yield(model.Chunk{Usage: &r.Usage}, nil) {
			return
		}
		modeltest.Sequence(r).Stream(ctx, req)(yield)
	})
}

func TestFallbackChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := func(words string) model.Client {
			return modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
				return modeltest.Reply{Err: model.NewError(model.ClassServerError, words)}
			})
		}
		inner := model.WithFallback(model.Named{Name: "b", Client: failed("two")}, model.Named{Name: "c", Client: failed("three")})
		c := model.WithFallback(
			model.Named{Name: "a", Client: model.WithRetry(failed("one"), model.RetryPolicy{})},
			model.Named{Name: "b", Client: inner}, model.Named{Name: "d", Client: failed("four")},
		)
		got := ask(t, c)
		var told []string
		for _, n := range got.Notices {
			if w, ok := n.(event.Warning); ok {
				told = append(told, strings.SplitN(w.Text, ":", 2)[0])
			}
		}
		if want := "a failed, b is asked; b failed, c is asked; b failed, d is asked"; strings.Join(told, "; ") != want {
			t.Errorf("warnings %q, want %q", told, want)
		}
		if e := asError(t, got.Err); e.Message != "four" {
			t.Errorf("error %v, want that of the last model", e)
		}
	})
}

func TestFallbackStops(t *testing.T) {
	second := modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
		t.Error("the other model was asked")
		return modeltest.Reply{}
	})
	plain := errors.New("not ours")
	first := model.Named{Name: "a", Client: modeltest.Sequence(modeltest.Reply{Err: plain})}
	if got := ask(t, model.WithFallback(first, model.Named{Name: "b", Client: second})); !errors.Is(got.Err, plain) {
		t.Errorf("error %v, want the first model's own", got.Err)
	}
	first.Client = modeltest.Sequence(failing(model.ClassOverloaded, 0))
	for chunk, err := range model.WithFallback(first, model.Named{Name: "b", Client: second}).Stream(t.Context(), model.Request{}) {
		if _, ok := chunk.Notice.(event.Warning); !ok || err != nil {
			t.Errorf("chunk %+v, error %v, want the warning before the other is asked", chunk, err)
		}
		break
	}
	first.Client = modeltest.Sequence(modeltest.Reply{Text: "alone"})
	if got := ask(t, model.WithFallback(first)); got.Text != "alone" {
		t.Errorf("got %+v, want the only model's answer", got)
	}
}

func TestFallbackClient(t *testing.T) {
	modeltest.TestClient(t, func(_ *testing.T, replies ...modeltest.Reply) model.Client {
		l := model.NewLimiter(model.LimiterOptions{Name: "house", Rate: model.Rate{Concurrent: 4}})
		return model.WithFallback(model.Named{Name: "a", Client: l.Client(byNumber(replies))}, model.Named{Name: "b", Client: byNumber(replies)})
	})
}
