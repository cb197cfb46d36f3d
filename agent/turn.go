package agent

import (
	"cmp"
	"context"
	"errors"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// ending is how a turn came to its end.
type ending struct {
	reason  event.Reason
	text    string // the last output
	limit   string
	failure *event.Failure
	stop    Stop
	step    int // the next one
}

// cut reports whether a limit cut the turn short from outside.
func (e ending) cut() bool { return e.reason == event.EndLimit && e.stop.Limit != nil }

// takeTurn runs one turn, from waking to rest. It returns an error when the
// run cannot go on, [ErrTerminated] or errInterrupted.
func (a *Agent) takeTurn(ctx context.Context) error {
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := a.wake(cancel); err != nil {
		return err
	}
	end, err := a.steps(turnCtx)
	if err == nil && end.cut() && end.stop.WrapUp {
		err = a.lastWord(ctx, &end)
	}
	a.setCancel(nil)
	if err != nil {
		return err
	}
	return a.endTurn(end)
}

// lastWord asks once more, without tools, after a limit had cut the turn
// short. Only another stop or the end of the run can cut this request; the
// text so far is then the last.
func (a *Agent) lastWord(ctx context.Context, end *ending) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.setCancel(cancel)
	t := turnState{wrapUp: end.limit, text: end.text}
	if err := a.say(a.cfg.Words.WrapUp(end.limit)); err != nil {
		return err
	}
	if err := a.drain(end.step); err != nil {
		return err
	}
	reply, err := a.request(ctx, end.step, &t)
	if err != nil {
		again, err := a.endOfRequest(ctx, err, t)
		if err != nil || again.reason == event.EndTerminated {
			*end = again
		}
		a.dropLimit()
		return err
	}
	end.text = cmp.Or(reply.Text, end.text)
	return nil
}

func (a *Agent) setCancel(cancel context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
}

// wake begins a turn.
func (a *Agent) wake(cancel context.CancelCauseFunc) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn++
	if err := a.move(moveWake, "message"); err != nil {
		return err
	}
	a.cancel = cancel
	if a.stop != nil && a.stop.Mode > Soft { // came between rest and here
		cancel(stopError{*a.stop})
	}
	return nil
}

// steps takes steps until the turn ends: messages in, one model request, its
// calls.
func (a *Agent) steps(ctx context.Context) (ending, error) {
	t := turnState{repeats: repeats{}}
	for step := 1; ; step++ {
		t.step = step
		if s, ok := a.stopAsked(); ok {
			return a.endOfStop(s, t)
		}
		if err := a.checkSteps(step, &t); err != nil {
			return ending{}, err
		}
		if err := a.drain(step); err != nil {
			return ending{}, err
		}
		reply, err := a.request(ctx, step, &t)
		if err != nil {
			return a.endOfRequest(ctx, err, t)
		}
		if reply.Text != "" {
			t.text = reply.Text
		}
		done, end, err := a.act(ctx, reply, &t)
		if done || err != nil {
			return end, err
		}
	}
}

// turnState is what one turn remembers from step to step.
type turnState struct {
	step     int    // the step that runs
	text     string // the last output that was not empty
	wrapUp   string // the limit that ended the turn; set while wrapping up
	reminded bool   // open questions were pointed out
	nudged   bool   // an empty reply was answered by a nudge
	answered bool   // the last step answered a question
	repeats  repeats

	compacted int  // the step before whose request the conversation was compacted last
	cutShort  bool // it was to be compacted because the provider cuts it
}

// act does what a reply asks for: report it, run its calls, or end the turn.
func (a *Agent) act(ctx context.Context, reply event.ModelReplied, t *turnState) (done bool, end ending, err error) {
	if t.wrapUp != "" {
		return true, ending{reason: event.EndLimit, limit: t.wrapUp, text: t.text}, nil
	}
	if reply.Finish == event.FinishContentFilter {
		return true, ending{reason: event.EndFailed, text: t.text, failure: &event.Failure{
			Code: "content_filter", Who: "server", Message: "the provider's content filter stopped the reply",
		}}, nil
	}
	if len(reply.Calls) > 0 {
		if reply.Text != "" {
			if err := a.report(Output{Text: reply.Text}); err != nil {
				return true, ending{}, err
			}
		}
		if err := a.runCalls(ctx, reply, t); err != nil {
			return true, ending{}, err
		}
		if ctx.Err() != nil {
			end, err = a.endOfRequest(ctx, context.Cause(ctx), *t)
			return true, end, err
		}
		return false, ending{}, nil
	}
	return a.rounding(reply, t)
}

// rounding looks once more before a turn ends naturally: a reply that says
// nothing is asked for again, questions left open are pointed out.
func (a *Agent) rounding(reply event.ModelReplied, t *turnState) (done bool, end ending, err error) {
	promised := reply.Finish == event.FinishToolCalls // and made none
	if promised || reply.Text == "" && !t.answered {
		if t.nudged {
			return true, ending{reason: event.EndFailed, text: t.text, failure: &event.Failure{
				Code: "empty_response", Who: "server", Retryable: true,
				Message: "the model replied twice without a tool call that it announced, or without a word",
			}}, nil
		}
		t.nudged = true
		return false, ending{}, a.say(a.cfg.Words.EmptyReply())
	}
	if open := a.openQuestions(); len(open) > 0 && !t.reminded {
		t.reminded = true
		if reply.Text != "" {
			if err := a.report(Output{Text: reply.Text}); err != nil {
				return true, ending{}, err
			}
		}
		return false, ending{}, a.say(a.cfg.Words.OpenQuestions(open))
	}
	return true, ending{reason: event.EndNatural, text: t.text}, nil
}

// checkSteps guards the bound on the steps of a turn. The step after the last
// allowed one is the wrap-up.
func (a *Agent) checkSteps(step int, t *turnState) error {
	limit := a.cfg.MaxSteps
	if limit == 0 || t.wrapUp != "" {
		return nil
	}
	const key = "max_steps"
	if step == limit+1 {
		return a.beginWrapUp(t, event.LimitReached{Limit: key, Used: float64(limit), Max: float64(limit)})
	}
	if limit >= 5 && step == limit*4/5+1 {
		return a.warnLimit(event.LimitWarned{Limit: key, Used: float64(step - 1), Max: float64(limit)})
	}
	return nil
}

func (a *Agent) warnLimit(near event.LimitWarned) error {
	if err := a.append(near); err != nil {
		return err
	}
	return a.say(a.cfg.Words.LimitNear(near.Limit, near.Used, near.Max))
}

// beginWrapUp tells the model that its next reply is the last of the turn.
func (a *Agent) beginWrapUp(t *turnState, reached event.LimitReached) error {
	t.wrapUp = reached.Limit
	if err := a.append(reached); err != nil {
		return err
	}
	return a.say(a.cfg.Words.WrapUp(reached.Limit))
}

// drain puts the messages that wait into the conversation. It is the only
// place where messages enter, and it stands before a request.
func (a *Agent) drain(step int) error {
	for _, m := range a.cfg.Box.Drain() {
		a.expect(m)
		if err := a.append(event.MessageDelivered{ID: m.ID, Step: step}); err != nil {
			return err
		}
	}
	return nil
}

// openQuestions lists the questions in the conversation that nobody answered
// yet, oldest first. Notes that wait for the natural output are not among
// them.
func (a *Agent) openQuestions() []OpenQuestion {
	var open []OpenQuestion
	for _, q := range a.cfg.Desk.OpenTo(a.cfg.ID) {
		if known, ok := a.read[q.ID]; ok && !q.Reply {
			open = append(open, known)
		}
	}
	return open
}

// endOfRequest turns an error of a step into the end of the turn.
func (a *Agent) endOfRequest(ctx context.Context, err error, t turnState) (ending, error) {
	if cause := context.Cause(ctx); cause != nil {
		if s, ok := errors.AsType[stopError](cause); ok {
			return a.endOfStop(s.Stop, t)
		}
		return ending{}, errInterrupted
	}
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return ending{reason: event.EndLimit, limit: limit.Limit, text: t.text}, nil
	}
	if failed, ok := errors.AsType[*failureError](err); ok {
		return ending{reason: event.EndFailed, failure: &failed.Failure, text: t.text}, nil
	}
	return ending{}, err
}

// endOfStop turns a stop into the end of the turn; a pause leaves it open.
func (a *Agent) endOfStop(s Stop, t turnState) (ending, error) {
	if s.Limit != nil {
		a.dropLimit()
		end := ending{reason: event.EndLimit, limit: s.Limit.Limit, text: t.text, stop: s, step: t.step + 1}
		return end, a.reached(*s.Limit, &t)
	}
	switch s.Mode {
	case Pause:
		return ending{}, errInterrupted
	case Terminate:
		return ending{reason: event.EndTerminated, text: t.text, stop: s}, nil
	case Soft, Now:
	}
	return ending{reason: event.EndStopped, text: t.text, stop: s}, nil
}

// endTurn answers what is still open, reports once, and comes to rest.
func (a *Agent) endTurn(end ending) error {
	if err := a.closeQuestions(end); err != nil {
		return err
	}
	out := Output{
		Text: end.text, Final: true, Reason: end.reason, Limit: end.limit, Failure: end.failure, Stop: end.stop,
	}
	if err := a.report(out); err != nil {
		return err
	}
	if err := a.append(event.TurnEnded{Reason: end.reason, Limit: end.limit, Failure: end.failure}); err != nil {
		return err
	}
	switch end.reason {
	case event.EndStopped, event.EndTerminated: // rest settles it from the pending wish
		return nil
	case event.EndFailed:
		if err := a.moveTo(moveFail, end.failure.Message); err != nil {
			return err
		}
	case event.EndNatural, event.EndLimit:
		if err := a.moveTo(moveRest, string(end.reason)); err != nil {
			return err
		}
	}
	if a.cfg.Last != nil && a.cfg.Last(end.reason) {
		return errLast
	}
	return nil
}

func (a *Agent) moveTo(m move, cause string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.move(m, cause)
}

func (a *Agent) report(out Output) error {
	out.Agent, out.Turn = a.cfg.ID, a.turn
	return a.cfg.Report(out)
}

// closeQuestions ends every question that the turn has read. Those that came
// too late to be read begin the next turn.
func (a *Agent) closeQuestions(end ending) error {
	for _, q := range a.cfg.Desk.OpenTo(a.cfg.ID) {
		if _, ok := a.read[q.ID]; !ok {
			continue
		}
		outcome, detail := end.outcome(q)
		_, err := a.cfg.Desk.Close(q.ID, outcome, end.text, detail, a.turn)
		if err != nil && !errors.Is(err, mailbox.ErrClosedQuestion) {
			return err
		}
	}
	return nil
}

// outcome says how a question ends that the turn leaves open.
func (e ending) outcome(q event.QuestionOpened) (o event.Outcome, detail string) {
	switch e.reason {
	case event.EndNatural:
		if e.text == "" {
			return event.CompletedWithoutAnswer, ""
		}
		if q.Reply {
			return event.Answered, ""
		}
		return event.Implicit, ""
	case event.EndLimit:
		return event.OverBudget, "limit " + e.limit
	case event.EndFailed:
		return event.Failed, e.failure.Message
	case event.EndStopped:
		return event.Cancelled, e.stop.String()
	case event.EndTerminated:
		return event.Terminated, e.stop.String()
	}
	return event.Failed, "unknown end of turn"
}
