package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// ask makes the model call of a step: reserve, exchange, log. An error that
// ends the turn is a [*LimitError] or a failureError.
func (a *Agent) ask(ctx context.Context) error {
	need, err := a.reserve()
	if err != nil {
		return err
	}
	q := query{talk: &a.history, offer: a.cfg.Offer, need: need}
	if a.t.wrapUp != "" {
		q.offer = &Offer{}
	}
	got, err := a.exchange(ctx, q)
	if err != nil {
		return err
	}
	if err := a.dropCalls(&got); err != nil {
		return err
	}
	if err := a.tellCut(got); err != nil {
		return err
	}
	if err := a.append(got); err != nil {
		return err
	}
	return a.checkPrompt()
}

// query is one call of the model, for which need is reserved.
type query struct {
	purpose string // as in [event.ModelRequested]
	talk    *history
	offer   *Offer
	need    Need
}

// exchange makes one model call: check, log the request, ask, settle. The
// reply is still to be logged. The error is a failureError when the model gave
// none.
func (a *Agent) exchange(ctx context.Context, q query) (event.ModelReplied, error) {
	req := model.Request{
		Agent: a.cfg.ID, AgentRole: a.cfg.Role, Messages: q.talk.messages, Tools: q.offer.tools,
		MaxOutputTokens: a.cfg.MaxOutputTokens,
	}
	err := q.talk.check()
	if err == nil {
		err = a.append(event.ModelRequested{
			Step: a.t.step, Model: a.cfg.ModelName, Digest: q.talk.digest(a.cfg.ModelName, req.MaxOutputTokens, q.offer), Messages: len(req.Messages),
			Reserved: q.need.Tokens(), ReservedCost: q.need.Cost, WrapUp: q.need.WrapUp, Purpose: q.purpose,
		})
	}
	if err != nil {
		a.cfg.Budget.Settle(q.need, event.Usage{}, nil)
		return event.ModelReplied{}, err
	}
	began := a.cfg.Now()
	b := bill{price: a.price, model: a.cfg.ModelName}
	got, err := a.stream(ctx, req, q, &b)
	if !refused(err) && !a.cfg.Scripted { // a script has no tokens
		b.estimate(q.need, got)
	}
	got.Model, got.Usage, got.Cost = b.model, b.usage, b.cost()
	got.DurationMS = a.cfg.Now().Sub(began).Milliseconds()
	a.cfg.Budget.Settle(q.need, got.Usage, got.Cost)
	if err != nil {
		return event.ModelReplied{}, a.failed(ctx, got, err)
	}
	return got, nil
}

// dropCalls takes out calls that must not run and so would stay without a
// result: those of a wrap-up, which offers no tools, and those that a content
// filter cut.
func (a *Agent) dropCalls(got *event.ModelReplied) error {
	if len(got.Calls) == 0 || a.t.wrapUp == "" && got.Finish != event.FinishContentFilter {
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

// tellCut warns of a reply that the model did not finish: what is taken for its
// output ends in mid-sentence. Calls that were cut get a result that says so.
func (a *Agent) tellCut(got event.ModelReplied) error {
	if got.Finish != event.FinishLength || len(got.Calls) > 0 || got.Text == "" {
		return nil
	}
	return a.append(event.Warning{
		Code: "reply_cut", Text: "the reply ended at the model's output limit and is not complete; max_output_tokens may be too small",
	})
}

// refused reports whether nobody took the request: the server turned it away
// or was not there. That costs no tokens.
func refused(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	e, ok := errors.AsType[*model.Error](err)
	if ok && e.Class == model.ClassTransport {
		return !e.Retryable // who answers is not the server that was meant
	}
	return ok && e.Status >= http.StatusMultipleChoices && e.Partial == ""
}

// stream reads a reply to its end. What came is returned with an error too;
// what it costs is put down in b.
func (a *Agent) stream(ctx context.Context, req model.Request, q query, b *bill) (got event.ModelReplied, err error) {
	var text, reasoning strings.Builder
	got = event.ModelReplied{Step: a.t.step, Purpose: q.purpose, Finish: event.FinishUnknown}
	live := func(d event.Data) {
		if q.purpose == "" { // nothing else is the agent's word
			a.cfg.Log.Live(a.cfg.ID, a.turn, d)
		}
	}
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
		b.take(chunk)
		if chunk.Notice != nil {
			if err := a.append(chunk.Notice); err != nil {
				return got, err
			}
			if chunk.Notice.Type() == event.TypeModelRetried {
				text.Reset()
				reasoning.Reset()
				got.Calls, got.Extra = nil, ""
				a.stopBetweenAttempts()
			}
		}
		if chunk.Text != "" {
			live(event.ModelDelta{Step: a.t.step, Offset: text.Len(), Text: chunk.Text})
			text.WriteString(chunk.Text)
		}
		if chunk.Reasoning != "" {
			live(event.ModelThinking{Step: a.t.step, Offset: reasoning.Len(), Text: chunk.Reasoning})
			reasoning.WriteString(chunk.Reasoning)
		}
		got.Calls = append(got.Calls, chunk.Calls...)
		got.Extra = cmp.Or(chunk.Extra, got.Extra)
		if chunk.Finish != "" {
			got.Finish, got.RawFinish = chunk.Finish, chunk.RawFinish
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
	for i, c := range calls {
		taken := func(id string) bool {
			return id == "" || a.history.used(id) || slices.ContainsFunc(calls[:i], func(c event.Call) bool { return c.ID == id })
		}
		for n := len(a.history.messages) + i; taken(c.ID); n++ {
			c.ID = fmt.Sprintf("call_%s_%d", a.cfg.ID, n)
		}
		calls[i].ID = c.ID
	}
	return calls
}

// failed logs a call that brought no reply and returns why the turn ends.
func (a *Agent) failed(ctx context.Context, got event.ModelReplied, err error) error {
	failure := model.AsFailure(err)
	if cause := context.Cause(ctx); cause != nil {
		failure = event.Failure{Code: event.CodeCancelled, Who: "client", Retryable: true, Message: cause.Error()}
	}
	err = a.append(event.ModelFailed{
		Step: got.Step, Model: got.Model, Failure: failure, Partial: got.Text, Usage: got.Usage, Cost: got.Cost, Purpose: got.Purpose,
	})
	if err != nil {
		return err
	}
	return &failureError{failure}
}

// failureError ends a turn: the model gave no reply.
type failureError struct{ event.Failure }

func (e *failureError) Error() string { return e.String() }
