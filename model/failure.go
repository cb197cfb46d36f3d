package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	openai "github.com/sashabaranov/go-openai"

	"github.com/troupe-go/troupe/model/internal/repair"
)

// failure turns what go-openai or the network said into the error that the
// caller sees. ctx is the caller's, callCtx has the endpoint's timeout.
func (a *adapter) failure(ctx, callCtx context.Context, err error, partial string) error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	e := a.classify(callCtx, err)
	if e.like() == ClassAuth && partial == "" { // a refusal that came with the status of a reply
		e.Class = ClassAuth
	}
	e.Partial = partial
	return a.hinted(e)
}

// cancelled is the error of a call that its caller's context ended.
func cancelled(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("model: call ended: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("model: call ended: %w", context.Cause(ctx))
}

func (a *adapter) classify(callCtx context.Context, err error) *Error {
	if e, stalled := errors.AsType[*Error](context.Cause(callCtx)); stalled {
		return e
	}
	if callCtx.Err() != nil {
		e := NewError(ClassStalled, fmt.Sprintf("the reply did not end within %s", a.endpoint.Timeout))
		e.Err = context.Cause(callCtx)
		return e
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*repair.Error](err); ok {
		return bodyError(e)
	}
	if isLocal(err) {
		return NewError(ClassBadRequest, cutWords(err.Error()))
	}
	if !isNetwork(err) {
		return NewError(ClassProviderError, "unreadable piece in the reply: "+cutWords(err.Error()))
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // the address may hold secrets
	}
	e := NewError(ClassTransport, cutWords(err.Error()))
	e.Err, e.Retryable = err, !isSettled(err)
	return e
}

// isSettled reports whether another try would fail in the same way: the server
// is not the one that the address means.
func isSettled(err error) bool {
	return isPlain(err) || isUntrusted(err)
}

// bodyError is the error of a body that cannot be read on.
func bodyError(e *repair.Error) *Error {
	words, codes := providerWords(e.Text)
	switch {
	case errors.Is(e, repair.ErrProvider):
		inside := insideError(words, codes)
		if inside.mayPass() {
			inside.RetryAfter = retryAfterBody(e.Text, words)
		}
		return inside
	case errors.Is(e, repair.ErrForeign):
		return foreignError(words, codes)
	case errors.Is(e, repair.ErrTooLong):
		return tooLong(e.Kind)
	}
	return NewError(ClassProviderError, "unreadable piece in the reply: "+words)
}

// errLongReply is the cause of an error whose reply does not end.
var errLongReply = fmt.Errorf("the reply is longer than %d bytes", maxReply)

// longReply is the error of a reply that is longer than [maxReply].
func longReply() *Error { return tooLong(errLongReply) }

// tooLong is the error of a reply that must not be read on; another would be as
// long.
func tooLong(cause error) *Error {
	e := NewError(ClassProviderError, cause.Error())
	e.Retryable, e.Err = false, cause
	return e
}

// errForeign is the cause of an error whose body was no reply.
var errForeign = errors.New("model: the body is no reply")

// foreignError is the error of a body that is no reply: what its words say, or
// else a failure of the server or of a gateway before it.
func foreignError(words, codes string) *Error {
	class := classOf(statusIn(codes+" "+words), words, codes)
	if class == ClassProviderError || class == ClassBadRequest {
		class = ClassServerError
	}
	e := NewError(class, words)
	e.Err = errForeign
	return e
}

// isLocal reports whether go-openai refused the request before it was sent.
func isLocal(err error) bool {
	return errors.Is(err, openai.ErrChatCompletionInvalidModel) ||
		errors.Is(err, openai.ErrReasoningToolsRequireResponses) ||
		errors.Is(err, openai.ErrReasoningEffortUnsupported)
}

func isNetwork(err error) bool {
	if _, ok := errors.AsType[*url.Error](err); ok {
		return true
	}
	return isReadError(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isReadError reports whether reading the body failed, as opposed to what it
// said.
func isReadError(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || strings.Contains(err.Error(), "http2: ") ||
		strings.Contains(err.Error(), "stream error: stream ID")
}
