package session

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/transcript"
)

// Codes of [Error].
const (
	codeUnknown = "unknown"
	codeRest    = "at_rest"
	codeBusy    = "busy"
	codeFull    = "full"
	codeClosed  = "closed"
	codeBad     = "bad"
	codeRefused = "refused"
	codeNoCall  = "no_call"
	codeLog     = "log"
)

// Error says why something asked of a session cannot be done.
type Error struct {
	fail  event.Failure
	cause error
}

// Failure has the code (one word of "unknown", "at_rest", "busy", "full", "closed",
// "bad", "refused", "no_call" and "log"), who is to blame, whether it may work later, the
// words and a hint.
func (e *Error) Failure() event.Failure { return e.fail }

// Error is the message with the hint.
func (e *Error) Error() string { return "session: " + e.fail.String() }

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

func failure(code, who, format string, args ...any) *Error {
	retryable := code == codeFull || code == codeClosed || code == codeBusy
	return &Error{fail: event.Failure{Code: code, Who: who, Retryable: retryable, Message: fmt.Sprintf(format, args...)}}
}

// Errors that are always the same.
var (
	errRest   = failure(codeRest, "client", "no turn of the team is under way")
	errClosed = failure(codeClosed, "server", "the server stops")
	errEmpty  = failure(codeUnknown, "client", "nothing was asked of this session yet")
)

// refusal words an error of a run or of its log.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	fail := func(code, who, text string) error {
		e := failure(code, who, "%s", text)
		e.cause = err
		return e
	}
	_, damaged := errors.AsType[*transcript.DamageError](err)
	_, unwritten := errors.AsType[*transcript.WriteError](err)
	_, path := errors.AsType[*fs.PathError](err)
	le, ofRun := errors.AsType[*leader.Error](err)
	switch {
	case errors.Is(err, transcript.ErrLocked):
		return fail(codeBusy, "client", "another process works on this session")
	case damaged, unwritten, path, ofRun && le.Code == "log":
		return fail(codeLog, "server", "the log of the session cannot be read or written")
	case errors.Is(err, leader.ErrEnded):
		return fail(codeRest, "client", errRest.fail.Message)
	case errors.Is(err, leader.ErrNoCall):
		return fail(codeNoCall, "tool", strings.TrimPrefix(err.Error(), "leader: "))
	case ofRun && le.Code == "bad_task":
		return fail(codeBad, "client", le.String())
	case ofRun:
		return fail(codeRefused, le.Who, le.String())
	}
	return fail(codeRefused, "client", strings.TrimPrefix(err.Error(), "leader: "))
}
