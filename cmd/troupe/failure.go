package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/render"
	"github.com/troupe-go/troupe/transcript"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // for a reason of its own
	exitUsage       = 2   // wrong flags or files; nothing was started
	exitNoModel     = 3   // no usable model
	exitProvider    = 4   // the provider failed after all retries
	exitLimit       = 5   // a limit was reached
	exitWaiting     = 6   // waiting for a person; suspended, not lost
	exitInterrupted = 130 // Ctrl-C
	exitTerminated  = 143 // SIGTERM
)

// failure is an error with the exit code of the process.
type failure struct {
	code int
	text string // for people; empty when it has been told already
	hint string // what to do next; may be empty
	err  error  // the cause, may be nil
}

// Error is the text.
func (f *failure) Error() string { return f.text }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// usageError is about wrong arguments or files.
func usageError(text, hint string) *failure { return &failure{code: exitUsage, text: text, hint: hint} }

// report tells the person of err and returns the exit code.
func (a *app) report(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	f := a.explain(ctx, err)
	if f.text != "" {
		text := render.Clean(strings.TrimRight(f.text, "\n"))
		a.say(a.paint(a.Stderr, render.StyleError, "troupe:") + " " + text)
	}
	if f.hint != "" {
		for line := range strings.Lines(render.Clean(f.hint)) {
			a.say("  → " + strings.TrimRight(line, "\n"))
		}
	}
	return f.code
}

// explain finds the exit code and the way out of any error.
func (a *app) explain(ctx context.Context, err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	f := &failure{code: exitFailed, text: unpackaged(err), err: err}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTerminated):
		f.code, f.text = exitTerminated, a.words.terminated
	case errors.Is(cause, errInterrupted):
		f.code, f.text = exitInterrupted, a.words.interrupted
	case errors.Is(err, transcript.ErrNoRun), errors.Is(err, transcript.ErrAmbiguous):
		f.code, f.hint = exitUsage, "troupe runs list"
	}
	if e, ok := errors.AsType[*config.Error](err); ok {
		f.code, f.text, f.hint = exitUsage, unpackaged(e), ""
	}
	if e, ok := errors.AsType[*leader.Error](err); ok {
		f.code, f.text, f.hint = exitCode(e), e.Message, e.Hint
	}
	return f
}

// noModel words the errors of a model that cannot be used; ok tells whether
// err is one.
func (a *app) noModel(err error) (f *failure, ok bool) {
	if e, is := errors.AsType[*model.KeyError](err); is {
		return &failure{
			code: exitNoModel, text: fmt.Sprintf(a.words.noKey, e.Ref, e.Env),
			hint: fmt.Sprintf(a.words.noKeyHint, e.Env) + "\n" + a.words.demoHint, err: err,
		}, true
	}
	if errors.Is(err, leader.ErrNoModel) {
		return &failure{code: exitNoModel, text: a.words.noModel, hint: a.words.noModelHint + "\n" + a.words.demoHint, err: err}, true
	}
	return nil, false
}

// What the system says when nobody answers at an address: nothing listens
// there, or the name has no address. The record of a failed run has its words
// only.
const (
	refused = "connection refused"
	unnamed = "no such host"
)

// exitCode is the exit code of a run that ended badly.
func exitCode(e *leader.Error) int {
	switch e.Code {
	case "bad_task":
		return exitUsage
	case "limit":
		return exitLimit
	case leader.CodeWaiting:
		return exitWaiting
	case "interrupted":
		return exitInterrupted
	case model.ClassAuth, model.ClassNoModel:
		return exitNoModel
	case model.ClassTransport:
		if !e.Retryable || strings.Contains(e.Message, refused) || strings.Contains(e.Message, unnamed) {
			return exitNoModel
		}
		return exitProvider
	case model.ClassQuota, model.ClassRateLimited, model.ClassOverloaded, model.ClassServerError, model.ClassStalled,
		model.ClassTruncatedStream, model.ClassEmptyResponse, model.ClassProviderError:
		return exitProvider
	}
	return exitFailed
}
