package model

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// The classes of an [Error]; the set is closed.
const (
	ClassBadRequest      = "bad_request"      // the request itself is wrong
	ClassNoModel         = "no_model"         // the endpoint has no such model, or is no endpoint of models
	ClassAuth            = "auth"             // no key, or a refused one
	ClassQuota           = "quota"            // the account has nothing left
	ClassRateLimited     = "rate_limited"     // too many requests or tokens for now
	ClassOverloaded      = "overloaded"       // the provider is short of capacity
	ClassServerError     = "server_error"     // the provider failed
	ClassTransport       = "transport"        // no connection, or it broke before a reply
	ClassStalled         = "stalled"          // the reply did not end in time
	ClassTruncatedStream = "truncated_stream" // the reply stopped half-way
	ClassEmptyResponse   = "empty_response"   // the reply stopped before anything came
	ClassContextOverflow = "context_overflow" // the conversation is longer than the model can read
	ClassContentFilter   = "content_filter"   // the provider refused the content
	ClassProviderError   = "provider_error"   // an error inside a reply, or an unreadable one
)

// Words of [event.Failure.Who] that fit model calls.
const (
	whoClient  = "client"
	whoServer  = "server"
	whoNetwork = "network"
)

type classFacts struct {
	who       string
	retryable bool
}

var classes = map[string]classFacts{
	ClassBadRequest:      {whoClient, false},
	ClassNoModel:         {whoClient, false},
	ClassAuth:            {whoClient, false},
	ClassQuota:           {whoClient, false},
	ClassRateLimited:     {whoServer, true},
	ClassOverloaded:      {whoServer, true},
	ClassServerError:     {whoServer, true},
	ClassTransport:       {whoNetwork, true},
	ClassStalled:         {whoServer, true},
	ClassTruncatedStream: {whoServer, true},
	ClassEmptyResponse:   {whoServer, true},
	ClassContextOverflow: {whoClient, false},
	ClassContentFilter:   {whoServer, false},
	ClassProviderError:   {whoServer, true},
}

// Error says why a model call failed.
type Error struct {
	// Class is one of the Class constants.
	Class string
	// Like is the class that an error inside a reply would have as a refused
	// request; how long to wait before a retry follows from it. Empty means
	// Class.
	Like string
	// Who is to blame, as in [event.Failure].
	Who string
	// Status is the HTTP status of the reply; 0 where there was none.
	Status int
	// Retryable says whether the same call may work later.
	Retryable bool
	// Message holds the provider's own words where there are any. It never
	// holds the key.
	Message string
	// Hint says what a person can do; may be empty.
	Hint string
	// RetryAfter is how long the provider asks to wait; 0 if it does not say.
	RetryAfter time.Duration
	// Partial is the text that came before the failure.
	Partial string
	// Err is the cause below, for [errors.Is]; may be nil.
	Err error
}

// NewError returns an error of the class, with blame and retryability as they
// are usual for it. A class outside the closed set becomes provider_error.
func NewError(class, message string) *Error {
	facts, ok := classes[class]
	if !ok {
		class, facts = ClassProviderError, classes[ClassProviderError]
	}
	return &Error{Class: class, Who: facts.who, Retryable: facts.retryable, Message: message}
}

// Error returns class, status, message and hint in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("model: ")
	b.WriteString(e.Class)
	if e.Status != 0 {
		b.WriteString(" (status ")
		b.WriteString(strconv.Itoa(e.Status))
		b.WriteString(")")
	}
	if e.Message != "" {
		b.WriteString(": ")
		b.WriteString(e.Message)
	}
	if e.Hint != "" {
		b.WriteString(" (")
		b.WriteString(e.Hint)
		b.WriteString(")")
	}
	return b.String()
}

// like is the class by which the error is treated.
func (e *Error) like() string { return cmp.Or(e.Like, e.Class) }

// Unwrap returns the cause below, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Failure is the error as the log has it.
func (e *Error) Failure() event.Failure {
	return event.Failure{Code: e.Class, Who: e.Who, Retryable: e.Retryable, Message: e.Message, Hint: e.Hint}
}

// AsFailure describes any error that a client yielded for the log; one that is
// no [*Error] has the code provider_error.
func AsFailure(err error) event.Failure {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Failure()
	}
	return event.Failure{Code: ClassProviderError, Who: whoServer, Message: err.Error()}
}
