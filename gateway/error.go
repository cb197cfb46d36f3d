package gateway

import (
	"errors"
	"fmt"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Codes of the errors of [Sessions], in [event.Failure.Code].
const (
	CodeUnknown = "unknown" // the session, or what of it is meant, does not exist
	CodeRest    = "at_rest" // no turn is under way
	CodeBusy    = "busy"    // another process drives the session
	CodeFull    = "full"    // too many sessions work at once
	CodeClosed  = "closed"  // the server stops
	CodeBad     = "bad"     // what was asked for makes no sense
	CodeRefused = "refused" // it makes sense, and cannot be done now
	CodeNoCall  = "no_call" // no such tool call waits for a result
)

// Status is the number by which a client branches: those of HTTP, and four of
// the client protocol.
type Status int

// The numbers, with what they mean.
const (
	StatusBad          Status = 400 // the message is wrong
	StatusUnauthorized Status = 401 // no token, or a bad one
	StatusForbidden    Status = 403 // the user may not do that
	StatusNotFound     Status = 404 // there is no such session, agent or question
	StatusConflict     Status = 409 // not in this state
	StatusTooLarge     Status = 413 // the message is larger than agreed
	StatusTooMany      Status = 429 // over a limit
	StatusInternal     Status = 500 // a fault of the server
	StatusUnavailable  Status = 503 // not now
	StatusToolUnknown  Status = 1001
	StatusToolTimeout  Status = 1002
	StatusLost         Status = 1006 // the connection was lost
)

// The parties that an error can be the fault of, for [Error.Who].
const (
	WhoClient  = "client"
	WhoServer  = "server"
	WhoTool    = "tool"
	WhoLimit   = "limit"
	WhoNetwork = "network"
)

// Error is what a client is told when something cannot be done (client protocol,
// section 3).
type Error struct {
	Code Status `json:"code"`
	// Who is at fault.
	Who string `json:"who"`
	// Retryable says whether the same may work later.
	Retryable bool `json:"retryable"`
	// RetryAfterMS is how long to wait before that, in milliseconds; 0 says
	// nothing.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
	// Message is for people, Hint what to do next.
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`

	cause error
}

// NewError is an error with the usual fault of its code.
func NewError(code Status, format string, args ...any) *Error {
	who, retryable := code.usual()
	return &Error{Code: code, Who: who, Retryable: retryable, Message: fmt.Sprintf(format, args...)}
}

// usual is whose fault a code tells of, and whether the same may work later.
func (s Status) usual() (who string, retryable bool) {
	switch s {
	case StatusTooMany:
		return WhoLimit, true
	case StatusInternal, StatusUnavailable:
		return WhoServer, true
	case StatusToolUnknown:
		return WhoTool, false
	case StatusToolTimeout:
		return WhoTool, true
	case StatusLost:
		return WhoNetwork, true
	case StatusBad, StatusUnauthorized, StatusForbidden, StatusNotFound, StatusConflict, StatusTooLarge:
	}
	return WhoClient, false
}

// WithHint says what to do next.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// after says how long to wait, rounded up.
func (e *Error) after(d time.Duration) *Error {
	e.RetryAfterMS = int64((d + time.Millisecond - 1) / time.Millisecond)
	return e
}

// Error is the message with the code and the hint.
func (e *Error) Error() string {
	text := fmt.Sprintf("gateway: %d: %s", e.Code, e.Message)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the error that it was made of by [ErrorOf], nil if there is
// none. It is for logs, and never sent.
func (e *Error) Unwrap() error { return e.cause }

// statuses turn the codes of sessions into those of the protocol.
var statuses = map[string]Status{
	CodeUnknown: StatusNotFound, CodeRest: StatusConflict, CodeBusy: StatusConflict, CodeFull: StatusUnavailable,
	CodeClosed: StatusUnavailable, CodeBad: StatusBad, CodeRefused: StatusConflict, CodeNoCall: StatusToolUnknown,
}

// ErrorOf is what a client is told of err: an [*Error] as it is, an error of
// [Sessions] by its code. Of all others it says only that the server failed,
// because their words may be about things that are none of the client's business.
// nil stays nil.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	type failing interface {
		error
		Failure() event.Failure
	}
	if f, ok := errors.AsType[failing](err); ok {
		fail := f.Failure()
		if code, known := statuses[fail.Code]; known {
			e := NewError(code, "%s", fail.Message).WithHint(fail.Hint)
			e.Retryable, e.cause = fail.Retryable, err
			return e
		}
	}
	e := NewError(StatusInternal, "the server could not do it")
	e.cause = err
	return e
}
