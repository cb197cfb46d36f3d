package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// request makes one model call: check, reserve, ask, settle, log. An error
// that ends the turn is a [*LimitError] or a [*event.Failure].
func (a *Agent) request(ctx context.Context, step int, t *turnState) (event.ModelReplied, error) {
	var none event.ModelReplied
	req := model.Request{
		Agent: a.cfg.ID, AgentRole: a.cfg.Role,
		Messages: a.history.messages, MaxOutputTokens: a.cfg.MaxOutputTokens,
	}
	reserve := a.history.tokens + a.outputReserve()
	if t.wrapUp == "" {
		req.Tools = a.cfg.Offer.tools
		reserve += a.cfg.Offer.tokens
	}
	if err := a.reserve(step, reserve, t); err != nil {
		return none, err
	}
	if t.wrapUp != "" {
		req.Tools = nil
	}
	req.Messages = a.history.messages
	if err := a.history.checked.end(); err != nil {
		a.cfg.Budget.Settle(a.cfg.ID, reserve, event.Usage{})
		return none, err
	}
	if err := a.append(event.ModelRequested{
		Step: step, Model: a.cfg.ModelName, Digest: a.history.digest(a.settings(req)...),
		Messages: len(req.Messages), Reserved: reserve, WrapUp: t.wrapUp != "",
	}); err != nil {
		return none, err
	}
	began := a.cfg.Now()
	got, err := a.stream(ctx, req, step)
	a.estimate(&got, reserve)
	a.cfg.Budget.Settle(a.cfg.ID, reserve, got.Usage)
	if err != nil {
		return none, a.failed(step, got, err)
	}
	if err := a.dropCalls(&got, t); err != nil {
		return none, err
	}
	if a.cfg.Price != nil {
		got.Cost = a.cfg.Price(got.Usage)
	}
	got.DurationMS = a.cfg.Now().Sub(began).Milliseconds()
	rec, err := a.cfg.Log.Append(a.cfg.ID, a.turn, got)
	if err != nil {
		return none, err
	}
	a.apply(rec)
	return rec.Data.(event.ModelReplied), nil
}

// dropCalls takes out calls that must not run and so would stay without a
// result: those of a wrap-up, which offers no tools, and those that a content
// filter cut.
func (a *Agent) dropCalls(got *event.ModelReplied, t *turnState) error {
	if len(got.Calls) == 0 || t.wrapUp == "" && got.Finish != event.FinishContentFilter {
		return nil
	}
	names := make([]string, len(got.Calls))
	for i, c := range got.Calls {
		names[i] = c.Name
	}
	got.Calls = nil
	return a.append(event.Warning{
		Code: "calls_dropped", Text: "tool calls that must not run were left out: " + strings.Join(names, ", "),
	})
}

// estimate counts the tokens of a call whose client told none. A script has
// none.
func (a *Agent) estimate(got *event.ModelReplied, reserve int) {
	if got.Usage.Total() > 0 || a.cfg.Scripted {
		return
	}
	got.Usage = event.Usage{
		Input: reserve - a.outputReserve(), Output: model.EstimateText(got.Text) + model.EstimateText(got.Reasoning),
		Estimated: true,
	}
}

// defaultOutput is reserved for a reply when nothing bounds it, in tokens.
const defaultOutput = 4096

func (a *Agent) outputReserve() int {
	if a.cfg.MaxOutputTokens > 0 {
		return a.cfg.MaxOutputTokens
	}
	return defaultOutput
}

// reserve asks the budget for leave. A limit begins the wrap-up, whose
// message enters the conversation at once.
func (a *Agent) reserve(step, tokens int, t *turnState) error {
	near, err := a.cfg.Budget.Reserve(a.cfg.ID, tokens, t.wrapUp != "")
	limit, reached := errors.AsType[*LimitError](err)
	switch {
	case reached && t.wrapUp == "" && !limit.NoWrapUp:
		if err := a.beginWrapUp(t, limit.LimitReached); err != nil {
			return err
		}
		if _, err := a.cfg.Budget.Reserve(a.cfg.ID, tokens, true); err != nil {
			return err
		}
	case reached:
		if err := a.append(limit.LimitReached); err != nil {
			return err
		}
		return err
	case err != nil:
		return err
	}
	for _, n := range near {
		if err := a.warnLimit(n); err != nil {
			return err
		}
	}
	return a.drain(step)
}

// settings is all of a request but its messages, for the digest.
func (a *Agent) settings(req model.Request) [][]byte {
	toolsText := noOffer
	if req.Tools != nil {
		toolsText = a.cfg.Offer.text
	}
	return settings(a.cfg.ModelName, req.MaxOutputTokens, toolsText)
}

// stream reads a reply to its end. What came is returned with an error too.
func (a *Agent) stream(ctx context.Context, req model.Request, step int) (got event.ModelReplied, err error) {
	var text, reasoning strings.Builder
	got = event.ModelReplied{Step: step, Finish: event.FinishUnknown}
	defer func() {
		if p := recover(); p != nil {
			err = &model.Error{Class: model.ClassProviderError, Who: "client", Message: fmt.Sprintf("the model panicked: %v", p)}
		}
		got.Text, got.Reasoning = text.String(), reasoning.String()
	}()
	for chunk, err := range a.cfg.Model.Stream(ctx, req) {
		if err != nil {
			return got, err
		}
		if chunk.Notice != nil {
			if err := a.append(chunk.Notice); err != nil {
				return got, err
			}
			if chunk.Notice.Type() == event.TypeModelRetried {
				text.Reset()
				reasoning.Reset()
				got.Calls = nil
			}
		}
		if chunk.Text != "" {
			a.cfg.Log.Live(a.cfg.ID, a.turn, event.ModelDelta{Step: step, Offset: text.Len(), Text: chunk.Text})
			text.WriteString(chunk.Text)
		}
		if chunk.Reasoning != "" {
			a.cfg.Log.Live(a.cfg.ID, a.turn, event.ModelThinking{Step: step, Offset: reasoning.Len(), Text: chunk.Reasoning})
			reasoning.WriteString(chunk.Reasoning)
		}
		got.Calls = append(got.Calls, chunk.Calls...)
		if chunk.Finish != "" {
			got.Finish, got.RawFinish = chunk.Finish, chunk.RawFinish
		}
		if chunk.Usage != nil {
			got.Usage = *chunk.Usage
		}
	}
	if ctx.Err() != nil {
		return got, context.Cause(ctx)
	}
	got.Calls = a.nameCalls(got.Calls)
	return got, nil
}

// nameCalls gives every call an id that no other call of the conversation
// has.
func (a *Agent) nameCalls(calls []event.Call) []event.Call {
	used, earlier := map[string]bool{}, a.history.checked.calls
	for i, c := range calls {
		for n := len(earlier) + i + 1; c.ID == "" || used[c.ID] || earlier[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%s_%d", a.cfg.ID, n)
		}
		used[c.ID] = true
		calls[i].ID = c.ID
	}
	return calls
}

// failed logs a call that brought no reply and returns why the turn ends.
func (a *Agent) failed(step int, got event.ModelReplied, err error) error {
	failure := model.AsFailure(err)
	if _, stopped := errors.AsType[Stop](err); stopped || errors.Is(err, context.Canceled) {
		failure = event.Failure{Code: "cancelled", Who: "client", Retryable: true, Message: err.Error()}
	}
	if err := a.append(event.ModelFailed{Step: step, Failure: failure, Partial: got.Text, Usage: got.Usage}); err != nil {
		return err
	}
	return &failure
}
