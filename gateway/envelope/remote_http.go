package envelope

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// maxReply bounds what the other end says to one request, in bytes.
const maxReply = 4 << 20

// query is what is asked of the other end.
type query struct {
	method, url string
	body        []byte
	id          string        // names the message, for dialects that do not
	wait        time.Duration // how long the other end may wait for the result
	repeats     bool          // sent twice, it does no more than once
}

// answered is what the other end said.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// pending is the body of an answer without a result; zero for others.
func (a answered) pending() (p pendingAnswer) {
	if a.status == http.StatusAccepted {
		_ = json.Unmarshal(a.body, &p) // what is none says nothing
	}
	return p
}

// remoteError says what the other end would not or could not do.
type remoteError struct {
	fail   event.Failure
	status int // 0 for no answer
	cause  error
}

// Failure says who is to blame, and whether it may work later.
func (e *remoteError) Failure() event.Failure { return e.fail }

// Error is the failure in words.
func (e *remoteError) Error() string { return "envelope: remote: " + e.fail.String() }

// Unwrap returns the cause, nil if there is none.
func (e *remoteError) Unwrap() error { return e.cause }

// foreign reports whether it is what a server says that is no door and does not
// know the request.
func (e *remoteError) foreign() bool {
	switch e.status {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return false
	}
	return e.status < http.StatusInternalServerError || e.status == http.StatusNotImplemented
}

func failed(code string, f event.Failure) error {
	f.Code = code
	return &remoteError{fail: f}
}

// isStatus reports whether the other end refused with that status.
func isStatus(err error, status int) bool {
	e, ok := errors.AsType[*remoteError](err)
	return ok && e.status == status
}

// The pauses between attempts.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// ask makes a request until it is answered: again while the other end is out of
// reach or says that it may work later, for as long as Patience. What may do
// something twice is sent again only when it was certainly not taken.
func (r *Remote) ask(ctx context.Context, q query) (answered, error) {
	began := r.opts.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		got, err := r.once(ctx, q)
		if cause := context.Cause(ctx); err != nil && cause != nil {
			return got, cause
		}
		e, ok := errors.AsType[*remoteError](err)
		if err == nil || !ok || !e.fail.Retryable || !q.repeats && !untaken(e) || r.opts.Now().Sub(began) > r.opts.Patience {
			return got, err
		}
		r.opts.Logger.Warn().Err(err).Msg("the other end of a remote role is asked again")
		if err := sleep(ctx, max(pause, after(got.header))); err != nil {
			return got, err
		}
	}
}

// sleep waits.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// after is how long the other end wants us to wait, at most a minute.
func after(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, 60)) * time.Second
}

// untaken reports whether a message that got this error was certainly not taken: it
// was never sent, or there was no place for it.
func untaken(e *remoteError) bool {
	op, ok := errors.AsType[*net.OpError](e.cause)
	return ok && op.Op == "dial" || e.status == http.StatusTooManyRequests || e.status == http.StatusServiceUnavailable
}

// once makes a request.
func (r *Remote) once(ctx context.Context, q query) (answered, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return answered{}, failed("bad_request", event.Failure{Who: "client", Message: err.Error()})
	}
	req.Header.Set("Prefer", fmt.Sprintf("wait=%d", int(q.wait.Seconds())))
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if q.id != "" {
		req.Header.Set("Idempotency-Key", q.id)
	}
	if r.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+r.opts.Token)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return answered{}, unreached(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return answered{}, unreached(err)
	}
	got := answered{resp.StatusCode, resp.Header, body}
	switch {
	case len(body) > maxReply:
		return got, failed("too_large", event.Failure{Who: "server", Message: fmt.Sprintf("the other end says more than %d bytes", maxReply)})
	case got.status < 200 || got.status > 299:
		return got, got.refusal()
	}
	return got, nil
}

// unreached is an error without an answer.
func unreached(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address, which may have secrets
	}
	return &remoteError{cause: err, fail: event.Failure{
		Code: "unreachable", Who: "network", Retryable: true, Message: "the other end is out of reach: " + err.Error(),
	}}
}

// refusal is what a status other than those of success says. The words of a door
// are passed on.
func (a answered) refusal() error {
	var told struct {
		Who       string `json:"who"`
		Message   string `json:"message"`
		Hint      string `json:"hint"`
		Retryable *bool  `json:"retryable"`
	}
	_ = json.Unmarshal(a.body, &told) // another server has words of its own
	later := a.status == http.StatusTooManyRequests || a.status == http.StatusRequestTimeout ||
		a.status >= http.StatusInternalServerError && a.status != http.StatusNotImplemented
	if told.Retryable != nil {
		later = *told.Retryable
	}
	message := cmp.Or(told.Message, strings.ToLower(http.StatusText(a.status)))
	return &remoteError{status: a.status, fail: event.Failure{
		Code: "http_" + strconv.Itoa(a.status), Who: cmp.Or(told.Who, "server"), Retryable: later, Hint: told.Hint,
		Message: fmt.Sprintf("the other end says %d: %s", a.status, message),
	}}
}
