package model

import (
	"errors"
	"io"

	"github.com/troupe-go/troupe/event"
)

// end judges how a stream ended (spec/endpoints.md, section 0): cause is what
// ended the reading, done says whether the end mark came. It returns the rest
// of the reply, and an error if the stream did not end well; calls are part of
// the rest only if it did.
func (a *assembly) end(req Request, cause error, done bool) (last Chunk, err error) {
	last = Chunk{Usage: a.counted(req)}
	if !isCut(cause) {
		return a.spent(last), cause
	}
	calls := a.complete(req.Tools)
	if a.rawFinish != "" {
		last.Finish, last.RawFinish = finishOf(a.rawFinish)
		if last.Finish == event.FinishError {
			return last, streamError(0, "the provider ended the reply: "+a.rawFinish, a.rawFinish)
		}
		last.Calls = calls
		return last, nil
	}
	if done && !a.empty() && valid(calls) {
		last.Calls, last.Finish = calls, event.FinishUnknown
		last.Notice = event.Warning{Code: "no_finish_reason", Text: "the reply ended without a finish reason"}
		return last, nil
	}
	failed := NewError(ClassTruncatedStream, "the reply stopped half-way")
	if a.empty() {
		failed = NewError(ClassEmptyResponse, "the reply ended before anything came")
	}
	if failed.Err = cause; cause == io.EOF {
		failed.Err = io.ErrUnexpectedEOF
	}
	return a.spent(last), failed
}

// spent is last without a count when nothing came that could have cost
// something.
func (a *assembly) spent(last Chunk) Chunk {
	if a.empty() && a.usage == nil {
		last.Usage = nil
	}
	return last
}

// isCut reports whether the body ended or broke off, as opposed to saying
// something that cannot be read.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReadError(err)
}

// counted is what the reply cost: the provider's count, or an estimate.
func (a *assembly) counted(req Request) *event.Usage {
	if a.usage != nil {
		return a.usage
	}
	thought := EstimateText(a.reasoning.String())
	return &event.Usage{
		Input:     EstimateTokens(req),
		Output:    thought + EstimateMessage(Message{Content: a.text.String(), Calls: a.complete(nil)}) - perMessage,
		Reasoning: thought,
		Estimated: true,
	}
}
