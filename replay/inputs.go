package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tools"
)

// marker stands for a text that is to be found again in another.
const marker = "\x02"

// anyBrief stands for the brief in a summary: what the runtime knew then comes
// from outside.
const anyBrief = marker

// stubs makes tools that bring the recorded results, under the names of set.
// They are Ordered, so that only one of them runs at a time.
func (p *player) stubs(set tools.Set) (tools.Set, error) {
	specs := set.Specs()
	list := make([]tools.Tool, len(specs))
	for i, spec := range specs {
		spec.Ordered = true
		list[i] = stub{spec, p}
	}
	return tools.NewSet(list...)
}

type stub struct {
	spec   tools.Spec
	player *player
}

func (s stub) Spec() tools.Spec { return s.spec }

func (s stub) Run(_ context.Context, call tools.Call) (string, error) {
	end, ok := s.player.script.results[call.ID]
	if !ok {
		return "", errOver
	}
	s.player.cutDuring(call.ID)
	if end.IsError {
		return "", errors.New(end.Result)
	}
	return end.Result, nil
}

// permit lets calls run whose result is recorded, whatever became of the context
// by then. A call that was under way when the stretch ended waits for that.
func (p *player) permit(ctx context.Context, _ tools.Spec, call tools.Call) error {
	p.mu.Lock()
	_, known := p.script.results[call.ID]
	p.answered[call.ID] = known
	p.mu.Unlock()
	if known {
		return nil
	}
	switch last, open := p.script.underWay(call.ID); {
	case last:
		p.cut(cutOff{err: errInterrupted})
	case open:
		call.Sent()
		<-ctx.Done()
	}
	return errOver
}

// cutDuring cuts the turn short if that is to be while a call runs.
func (p *player) cutDuring(callID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil && p.stop.call == callID {
		p.cut(*p.stop)
		p.stop = nil
	}
}

// funds is the budget: it refuses and warns as recorded.
type funds struct{ player *player }

func (funds) Settle(agent.Need, event.Usage, *event.Cost) {}

func (f funds) Reserve(agent.Need) (near []event.LimitWarned, err error) {
	p := f.player
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bringRest()
	coming := p.script.own[p.next:]
	for len(coming) > 0 {
		d, ok := coming[0].Data.(event.LimitWarned)
		if !ok || ofTurn(d.Limit) {
			break
		}
		near, coming = append(near, d), coming[1:]
		if len(coming) > 0 && fromRuntime(coming[0]) {
			coming = coming[1:]
		}
	}
	if near != nil || len(coming) == 0 {
		return near, nil
	}
	switch d := coming[0].Data.(type) {
	case event.LimitReached:
		if ofTurn(d.Limit) {
			break
		}
		goesOn := len(coming) > 1 && fromRuntime(coming[1])
		return nil, &agent.LimitError{LimitReached: d, NoWrapUp: !goesOn}
	case event.Warning:
		var l event.LimitReached
		if _, text, ok := strings.Cut(d.Text, "agent: limit "); ok {
			if n, _ := fmt.Sscanf(text, "%s reached: %g of %g", &l.Limit, &l.Used, &l.Max); n == 3 {
				return nil, &agent.LimitError{LimitReached: l}
			}
		}
	case event.TurnEnded, event.QuestionClosed, event.MessageSent:
		for _, rec := range coming {
			if end, ok := rec.Data.(event.TurnEnded); ok {
				if end.Reason != event.EndLimit {
					break
				}
				return nil, &agent.LimitError{LimitReached: event.LimitReached{Limit: end.Limit}, NoWrapUp: true}
			}
		}
	default:
	}
	return nil, nil
}

// ofTurn reports whether a limit is one that the agent watches itself.
func ofTurn(limit string) bool { return limit == "max_steps" || limit == "repeated_call" }

// fromRuntime reports whether a record is a message of the runtime.
func fromRuntime(rec event.Record) bool {
	return rec.Agent == event.Runtime && rec.Type() == event.TypeMessageSent
}

// voice is the model: it says what is recorded.
type voice struct{ player *player }

// Stream implements [model.Client].
func (v voice) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		p := v.player
		if !p.matches(req) {
			yield(model.Chunk{}, errMismatch)
			return
		}
		var cut model.Chunk // what the warnings say of the reply to come
		for _, rec := range p.coming() {
			switch d := rec.Data.(type) {
			case event.ModelRetried, event.ModelProfile:
				if !yield(model.Chunk{Notice: d}, nil) {
					return
				}
			case event.Warning:
				if ours := ownWarning(d, &cut); ours {
					break
				}
				if !yield(model.Chunk{Notice: d}, nil) {
					return
				}
			case event.ModelReplied:
				yield(model.Chunk{
					Text: d.Text, Reasoning: d.Reasoning, Calls: append(cut.Calls, d.Calls...), Extra: d.Extra, Model: d.Model,
					Finish: d.Finish, RawFinish: d.RawFinish, Usage: &d.Usage,
				}, nil)
				return
			case event.ModelFailed:
				if yield(model.Chunk{Text: d.Partial, Model: d.Model, Usage: &d.Usage}, nil) {
					yield(model.Chunk{}, p.failure(ctx, d))
				}
				return
			case event.AgentStopping: // comes with the record before or after it
			default:
				yield(model.Chunk{}, errOver)
				return
			}
		}
		if cut.Finish != "" {
			yield(cut, nil)
			return
		}
		yield(model.Chunk{}, errOver)
	}
}

// matches reports whether the request is the recorded one; of one that is not
// it completes the mismatch.
func (p *player) matches(req model.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == nil {
		return true
	}
	p.explain(req)
	return false
}

// coming returns the records of the script that are due.
func (p *player) coming() []event.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.script.own[p.next:]
}

// ownWarning reports whether the agent gives a warning itself, after the reply,
// and notes in cut a reply for which it does so.
func ownWarning(w event.Warning, cut *model.Chunk) bool {
	switch w.Code {
	case "calls_dropped":
		cut.Finish = event.FinishContentFilter
		_, names, _ := strings.Cut(w.Text, ": ")
		for name := range strings.SplitSeq(names, ", ") {
			cut.Calls = append(cut.Calls, event.Call{Name: name})
		}
		return true
	case "reply_cut":
		cut.Finish, cut.Text = event.FinishLength, "…"
		return true
	default:
		return false
	}
}

// failure is the error that the log tells of as d. A stop that cut the call
// short is done first.
func (p *player) failure(ctx context.Context, d event.ModelFailed) error {
	if d.Failure.Code == event.CodeCancelled {
		if ctx.Err() == nil {
			p.cutShort(d.Failure.Message)
		}
		return context.Cause(ctx)
	}
	e := &model.Error{
		Class: d.Failure.Code, Who: d.Failure.Who, Retryable: d.Failure.Retryable, Message: d.Failure.Message, Hint: d.Failure.Hint,
	}
	if d.Usage.Total() == 0 { // it cost nothing, because nobody took the request
		e.Status = http.StatusBadRequest
	}
	return e
}

// cutShort ends a model call as text, the message of its failure, says.
func (p *player) cutShort(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := cutOff{err: interruption(text)}
	if s, ok := p.limitIn(text, p.next); ok {
		c = cutOff{stop: s}
	}
	p.cut(c)
}
