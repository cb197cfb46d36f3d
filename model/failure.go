package model

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
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
	e.Err = err
	return e
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
		long := NewError(ClassProviderError, e.Kind.Error())
		long.Retryable, long.Err = false, e.Kind
		return long
	}
	return NewError(ClassProviderError, "unreadable piece in the reply: "+words)
}

// foreignError is the error of a body that is no reply: what its words say, or
// else a failure of the server or of a gateway before it.
func foreignError(words, codes string) *Error {
	class := classOf(statusIn(codes+" "+words), words, codes)
	if class == ClassProviderError || class == ClassBadRequest {
		class = ClassServerError
	}
	return NewError(class, words)
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

// hinted completes an error: a hint, and no key in the words.
func (a *adapter) hinted(e *Error) *Error {
	if e.Hint == "" {
		e.Hint = a.hint(e)
	}
	if key := a.endpoint.Key; key != "" {
		e.Message = strings.ReplaceAll(e.Message, key, "[key]")
	}
	return e
}

// hint says what a person can do about e.
func (a *adapter) hint(e *Error) string {
	keyEnv := a.endpoint.KeyEnv
	if p, ok := FindProvider(a.endpoint.Provider); ok && keyEnv == "" {
		keyEnv = p.KeyEnv
	}
	switch {
	case e.Class == ClassAuth && keyEnv == "":
		return "the endpoint wants another key; name its variable with api_key_env"
	case e.Class == ClassAuth && a.endpoint.Key == "":
		return "set " + keyEnv
	case e.Class == ClassAuth:
		return "check the key in " + keyEnv
	case e.Class == ClassQuota:
		return "top up the account at the provider, or use another model"
	case e.Class == ClassContextOverflow:
		return "the conversation is too long for this model; use one with a larger context window"
	case e.Status == http.StatusNotFound:
		return fmt.Sprintf("check the model name %q and the base URL %s", a.endpoint.Model, a.address.Redacted())
	case e.Class == ClassTransport:
		return a.transportHint(e.Err)
	case e.Class == ClassStalled:
		return "raise the model's timeout, or use a faster model"
	}
	return ""
}

func (a *adapter) transportHint(err error) string {
	if errors.Is(err, syscall.ECONNREFUSED) {
		if !isLoopback(a.address.Hostname()) {
			return "nothing listens at " + a.address.Host + "; check the base URL"
		}
		if p, ok := FindProvider(a.endpoint.Provider); ok && p.start != "" {
			return "start the server, e.g. " + p.start
		}
		return "start the server at " + a.address.Host
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return "check the host name in the base URL, and the network"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the server's certificate is not trusted; a proxy between may have replaced it"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the server does not speak https; try http in the base URL"
	}
	return "check the network and the base URL"
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
