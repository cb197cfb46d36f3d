package gateway_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// failed is an error as sessions return it.
type failed event.Failure

func (f failed) Error() string          { return f.Message }
func (f failed) Failure() event.Failure { return event.Failure(f) }

func TestErrorOf(t *testing.T) {
	own := gateway.NewError(gateway.StatusTooLarge, "too large")
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "null"},
		{own, `{"code":413,"who":"client","retryable":false,"message":"too large"}`},
		{fmt.Errorf("wrapped: %w", own), `{"code":413,"who":"client","retryable":false,"message":"too large"}`},
		{failed{Code: gateway.CodeUnknown, Message: "m", Hint: "h"}, `{"code":404,"who":"client","retryable":false,"message":"m","hint":"h"}`},
		{failed{Code: gateway.CodeFull, Retryable: true, Message: "m"}, `{"code":503,"who":"server","retryable":true,"message":"m"}`},
		{failed{Code: gateway.CodeBusy, Retryable: true, Message: "m"}, `{"code":409,"who":"client","retryable":true,"message":"m"}`},
		{failed{Code: "log", Message: "secret"}, `{"code":500,"who":"server","retryable":true,"message":"the server could not do it"}`},
		{errors.New("secret"), `{"code":500,"who":"server","retryable":true,"message":"the server could not do it"}`},
	} {
		got := gateway.ErrorOf(tt.err)
		text, err := json.Marshal(got)
		if err != nil || string(text) != tt.want {
			t.Errorf("%v is %s, %v; want %s", tt.err, text, err, tt.want)
		}
		if tt.err != nil && !errors.Is(tt.err, got) && !errors.Is(got, tt.err) {
			t.Errorf("%v is lost in %v", tt.err, got)
		}
	}
}

// TestUsualFaults names who is at fault for each code, and whether the same may
// work later.
func TestUsualFaults(t *testing.T) {
	var all strings.Builder
	for _, code := range []gateway.Status{400, 401, 403, 404, 409, 413, 429, 500, 503, 1001, 1002, 1006} {
		e := gateway.NewError(code, "x")
		fmt.Fprintf(&all, "%d %s %v\n", e.Code, e.Who, e.Retryable)
	}
	const want = `400 client false
401 client false
403 client false
404 client false
409 client false
413 client false
429 limit true
500 server true
503 server true
1001 tool false
1002 tool true
1006 network true
`
	if all.String() != want {
		t.Errorf("got\n%s", all.String())
	}
	if got := gateway.NewError(404, "no %s", "x").WithHint("look").Error(); got != "gateway: 404: no x (look)" {
		t.Errorf("in words: %s", got)
	}
}
