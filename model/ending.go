package model

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// ending is how a reply ended.
type ending struct {
	last     Chunk           // the rest of the reply
	warnings []event.Warning // facts for the log
	err      error           // nil if it ended well
}

// end judges how a stream ended: cause is what ended the reading, done says
// whether the end mark came. Calls are part of the rest only if the stream
// ended well.
func (a *assembly) end(req Request, cause error, done bool) ending {
	rest, held := a.flush()
	e := ending{last: rest}
	well := isCut(cause) && (a.rawFinish != "" || done)
	if well {
		a.finish(&e, held, req)
	} else {
		a.release(&e, held)
		e.err = a.cut(cause)
	}
	if e.last.Usage = a.counted(req); e.err != nil && a.rawFinish == "" && a.empty() && a.usage == nil {
		e.last.Usage = nil // nothing came that could have cost something
	}
	return e
}

// release hands on text that was held back and is no call.
func (a *assembly) release(e *ending, text string) {
	e.last.Text += a.said(text, "").Text
}

// finish completes a reply that ended well.
func (a *assembly) finish(e *ending, held string, req Request) {
	finish, raw := finishOf(a.rawFinish)
	whole := finish != event.FinishLength && finish != event.FinishContentFilter
	calls := a.written()
	if len(calls) == 0 && a.holder != nil && whole {
		if calls, held = a.fromText(held, req.Tools); len(calls) > 0 {
			e.warn("calls_from_text", "tool calls were read out of the text: "+names(calls))
		}
	}
	a.release(e, held)
	if finish == event.FinishError {
		e.last.Finish, e.last.RawFinish = finish, raw
		e.err = streamError(0, "the provider ended the reply: "+a.rawFinish, a.rawFinish)
		return
	}
	var repaired []string
	if whole {
		calls, repaired = complete(calls, req.Tools, a.profile.SchemaDialect)
	}
	if a.rawFinish == "" && (a.text.Len() == 0 && len(calls) == 0 || !valid(calls)) {
		e.err = a.cut(io.EOF)
		return
	}
	a.judge(e, finish, calls, repaired, req)
	e.last.Calls, e.last.Finish, e.last.RawFinish = calls, finish, raw
	e.last.Extra = a.extra.text(calls)
}

// judge warns of what is odd in a reply that ended well.
func (a *assembly) judge(e *ending, finish event.Finish, calls []event.Call, repaired []string, req Request) {
	if a.rawFinish == "" {
		e.warn("no_finish_reason", "the reply ended without a finish reason")
	}
	if len(repaired) > 0 {
		e.warn("arguments_repaired", "the arguments of these calls were repaired: "+strings.Join(repaired, ", "))
	}
	if finish == event.FinishToolCalls && len(calls) == 0 {
		e.warn("no_calls", "the reply ended for tool calls but has none")
	}
	if a.profile.NumCtx > 0 && a.usage != nil && a.usage.Input < EstimateTokens(req)/2 {
		e.warn("prompt_cut", fmt.Sprintf(
			"the endpoint read %d tokens of a prompt of about %d; a larger num_ctx lets it read all", a.usage.Input, EstimateTokens(req)))
	}
}

// yield hands on the warnings, the rest of the reply if it says something, and
// the error if there is one.
func (e *ending) yield(yield func(Chunk, error) bool) {
	for _, w := range e.warnings {
		if !yield(Chunk{Notice: w}, nil) {
			return
		}
	}
	if (e.last.Usage != nil || e.last.Text != "" || e.last.Reasoning != "") && !yield(e.last, nil) {
		return
	}
	if e.err != nil {
		yield(Chunk{}, e.err)
	}
}

func (e *ending) warn(code, text string) {
	e.warnings = append(e.warnings, event.Warning{Code: code, Text: text})
}

// names lists the tools of calls.
func names(calls []event.Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// cut is the error of a reply that did not end well.
func (a *assembly) cut(cause error) error {
	if !isCut(cause) {
		return cause
	}
	failed := NewError(ClassTruncatedStream, "the reply stopped half-way")
	if a.empty() {
		failed = NewError(ClassEmptyResponse, "the reply ended before anything came")
	}
	if failed.Err = cause; errors.Is(cause, io.EOF) {
		failed.Err = io.ErrUnexpectedEOF
	}
	return failed
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
		Output:    thought + EstimateMessage(Message{Content: a.text.String(), Calls: a.written()}) - perMessage,
		Reasoning: thought,
		Estimated: true,
	}
}
