package model_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/model"
)

// slowly is a transport whose body comes in pieces, with a pause before each;
// after the last one it hangs.
func slowly(pause time.Duration, pieces ...string) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		ctx := r.Context()
		stop := context.AfterFunc(ctx, func() { pw.CloseWithError(ctx.Err()) })
		go func() {
			for _, p := range pieces {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					return
				}
				if p == "EOF" {
					stop()
					pw.Close()
					return
				}
				if _, err := pw.Write([]byte(p)); err != nil {
					return
				}
			}
		}()
		return &http.Response{StatusCode: http.StatusOK, Body: pr}, nil
	})
}

const (
	pieceOfText = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n"
	pieceOfCall = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}]}}]}\n\n"
	goodEnd     = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
)

func TestStall(t *testing.T) {
	many := func(piece string, n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = piece
		}
		return all
	}
	tests := []struct {
		name   string
		stall  time.Duration
		pause  time.Duration
		pieces []string
		after  time.Duration // when the call stalls; 0 if it does not
	}{
		{"nothing at all", 0, time.Second, nil, 120 * time.Second},
		{"own bound", 30 * time.Second, time.Second, nil, 30 * time.Second},
		{"no bound", -1, 5 * time.Minute, []string{pieceOfText, goodEnd, "EOF"}, 0},
		{"slow text", 0, 100 * time.Second, append(many(pieceOfText, 4), goodEnd, "EOF"), 0},
		{"slow call", 0, 100 * time.Second, append(many(pieceOfCall, 4), goodEnd, "EOF"), 0},
		{"comments", 0, 10 * time.Second, many(": keep-alive\n\n", 50), 120 * time.Second},
		{"pings", 0, 10 * time.Second, many("event: ping\ndata: {\"type\":\"ping\"}\n\n", 50), 120 * time.Second},
		{"empty pieces", 0, 10 * time.Second, many("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[]},\"finish_reason\":null}]}\n\n", 50), 120 * time.Second},
		{"text, then comments", 0, 50 * time.Second, append([]string{pieceOfText}, many(":\n", 50)...), 170 * time.Second},
		{"fast text, then nothing", 0, 100 * time.Millisecond, many(pieceOfText, 600), 180 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := model.Endpoint{Model: "m", BaseURL: "http://models.test", Stall: tt.stall, Transport: slowly(tt.pause, tt.pieces...), Timeout: time.Hour}
				began := time.Now()
				got := ask(t, newOpenAI(t, e))
				took := time.Since(began)
				if tt.after == 0 {
					if got.Err != nil {
						t.Errorf("error %v after %s, want the reply", got.Err, took)
					}
					return
				}
				failed := asError(t, got.Err)
				if failed.Class != model.ClassStalled || !failed.Retryable || failed.Partial != got.Text || failed.Hint == "" {
					t.Errorf("error %+v, want stalled with the partial text %q", failed, got.Text)
				}
				if took < tt.after-time.Second || took > tt.after+time.Second {
					t.Errorf("stalled after %s, want %s", took, tt.after)
				}
			})
		})
	}
}

func TestStallIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		transport := roundTrip(func(r *http.Request) (*http.Response, error) {
			calls++
			if calls == 1 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(pieceOfText + goodEnd))}, nil
		})
		c := model.WithRetry(newOpenAI(t, model.Endpoint{Model: "m", BaseURL: "http://models.test", Transport: transport}), model.RetryPolicy{})
		got := ask(t, c)
		if got.Err != nil || got.Text != "x" || len(got.Notices) != 1 {
			t.Errorf("got %+v, want the second reply after one notice", got)
		}
	})
}

// TestStallEndsWithTheCaller: a caller who leaves is not told of a stall.
func TestStallEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		e := model.Endpoint{Model: "m", BaseURL: "http://models.test", Transport: slowly(time.Second)}
		for _, err := range newOpenAI(t, e).Stream(ctx, model.Request{}) {
			if err == nil || !strings.Contains(err.Error(), "call ended") {
				t.Errorf("error %v, want the caller's", err)
			}
		}
	})
}
