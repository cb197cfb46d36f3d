package model_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// TestUsageMakesSense: whatever an endpoint counts, no count is negative and no
// part is more than its whole, for a price is made of the difference.
func TestUsageMakesSense(t *testing.T) {
	numbers := []int{-1 << 40, -7, 0, 3, 12, 1 << 40}
	for i := range len(numbers) * len(numbers) * len(numbers) * len(numbers) {
		next := func() int { n := numbers[i%len(numbers)]; i /= len(numbers); return n }
		in, cached, out, thought := next(), next(), next(), next()
		usage := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
			in, out, cached, thought)
		for _, other := range []string{"", `"zz":1,`} { // passed on as it is, and rewritten
			body := sse(says("ok"), `{`+other+`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],`+usage+`}`, done)
			got := askRecorded(t, http.StatusOK, nil, strings.NewReader(body))
			u := got.Usage
			if got.Err != nil || u == nil {
				t.Fatalf("%s: usage %v, error %v", usage, u, got.Err)
			}
			if u.CachedInput < 0 || u.Reasoning < 0 || u.CachedInput > u.Input || u.Reasoning > u.Output || !u.Estimated && u.Total() < in+out {
				t.Errorf("%s: counted as %+v", usage, *u)
			}
		}
	}
}

// TestUsageBeside counts the parts of a provider that leaves them out of the
// whole.
func TestUsageBeside(t *testing.T) {
	body := sse(says("ok"), stopped,
		`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":900},"completion_tokens_details":{"reasoning_tokens":70}}}`, done)
	got := askBody(t, model.Profile{}, nil, http.StatusOK, nil, strings.NewReader(body))
	want := &event.Usage{Input: 910, CachedInput: 900, Output: 75, Reasoning: 70}
	if diff := cmp.Diff(want, got.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}
