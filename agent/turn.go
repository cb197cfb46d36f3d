package agent

import (
	"context"
	"errors"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
)

// ending is how a turn comes to its end.
type ending struct {
	reason  event.Reason
	text    string // the last output
	limit   string
	failure *event.Failure
	stop    Stop
}

// cut reports whether a limit cut the turn short from outside.
func (e ending) cut() bool { return e.reason == event.EndLimit && e.stop.Limit != nil }

// why is the reason in words, empty for a natural end.
func (e ending) why() string {
	switch {
	case e.reason == event.EndNatural:
		return ""
	case e.stop.By != "":
		return e.stop.String()
	case e.failure != nil:
		return e.failure.Message
	}
	return "limit " + e.limit
}

// takeTurn runs one turn, from waking, or from where it was left, to rest. It
// returns an error when the run cannot go on, [ErrTerminated] or
// errInterrupted.
func (a *Agent) takeTurn(ctx context.Context) error {
	turnCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begun, err := a.begin(cancel)
	if err != nil || !begun {
		return err
	}
	end, err := a.steps(turnCtx)
	if err == nil && end.cut() && end.stop.WrapUp {
		err = a.lastWord(ctx, &end)
	}
	a.setCancel(nil)
	a.leave(ctx, end, err)
	if err != nil {
		return err
	}
	return a.endTurn(end)
}

// leave tells those outside of the program that the turn is over. A run that is
// interrupted leaves it to the one that is resumed.
func (a *Agent) leave(ctx context.Context, end ending, err error) {
	cause := context.Cause(ctx)
	switch {
	case a.cfg.Leave == nil:
	case err == nil:
		a.cfg.Leave(ctx, a.cfg.ID, end.why())
	case err != nil && cause != nil && !errors.Is(cause, mailbox.ErrInterrupted):
		a.cfg.Leave(ctx, a.cfg.ID, cause.Error())
	}
}

// lastWord asks once more, without tools, after a limit had cut the turn
// short. Only another stop or the end of the run can cut this request; the
// text so far is then the last.
func (a *Agent) lastWord(ctx context.Context, end *ending) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.setCancel(cancel)
	if err := a.ready(); err != nil {
		return err
	}
	if err := a.request(ctx); err != nil {
		again, err := a.endOfRequest(ctx, err)
		if err != nil || again.reason == event.EndTerminated {
			*end = again
		}
		a.dropLimit()
		return err
	}
	end.text = a.t.text
	return nil
}

func (a *Agent) setCancel(cancel context.CancelCauseFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
}

// begin begins a turn, or goes on with the open one. It does neither when the
// agent at rest is to stop first.
func (a *Agent) begin(cancel context.CancelCauseFunc) (begun bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.t.due != dueNothing:
		a.settleWaiting() // the calls that waited are still to be called again
	case a.stop != nil:
		return false, nil
	default:
		a.turn++
		if err := a.move(moveWake, "message"); err != nil {
			return false, err
		}
	}
	a.cancel, a.last = cancel, a.t.wrapUp != ""
	if a.last && a.stop != nil && a.stop.WrapUp {
		a.stop = nil // its last word is still to come
	}
	if a.stop != nil && a.stop.Mode > Soft {
		cancel(stopError{*a.stop})
	}
	return true, nil
}

// steps takes steps until the turn ends: messages in, one model request, its
// calls.
func (a *Agent) steps(ctx context.Context) (ending, error) {
	for {
		if a.t.due == dueAct {
			if done, end, err := a.act(ctx); done || err != nil {
				return end, err
			}
			continue
		}
		logged, ok := a.endAsLogged()
		if ok && a.t.completion == logged.reason {
			return logged, nil // it is told, whatever came since
		}
		if s, stopped := a.stopAsked(); stopped {
			return a.endOfStop(s)
		}
		if ok {
			return logged, nil
		}
		if err := a.ready(); err != nil {
			return a.endOfLimit(err)
		}
		if err := a.request(ctx); err != nil {
			return a.endOfRequest(ctx, err)
		}
	}
}

// endAsLogged is the end of a turn whose cause is in the log, when the program
// ended before all that follows from it was.
func (a *Agent) endAsLogged() (end ending, ok bool) {
	switch {
	case a.t.completion == event.EndLimit, a.cfg.Elsewhere && a.t.wrapUp != "":
		return ending{reason: event.EndLimit, limit: a.t.wrapUp, text: a.t.text}, true
	case a.t.failure != nil && (a.t.completion == event.EndFailed || a.t.failure.Code != model.ClassContextOverflow):
		return ending{reason: event.EndFailed, failure: a.t.failure, text: a.t.text}, true
	}
	return ending{}, false
}

// ready does what stands before the request of a step.
func (a *Agent) ready() error {
	if err := a.payDebts(); err != nil {
		return err
	}
	if err := a.checkSteps(); err != nil {
		return err
	}
	return a.drain()
}

// act does what a reply asks for: report it, run its calls, or end the turn.
func (a *Agent) act(ctx context.Context) (done bool, end ending, err error) {
	reply := *a.t.reply
	if a.t.wrapUp != "" {
		return true, ending{reason: event.EndLimit, limit: a.t.wrapUp, text: a.t.text}, nil
	}
	if reply.Finish == event.FinishContentFilter {
		return true, ending{reason: event.EndFailed, text: a.t.text, failure: &event.Failure{
			Code: "content_filter", Who: "server", Message: "the provider's content filter stopped the reply",
		}}, nil
	}
	if len(reply.Calls) == 0 {
		return a.rounding(reply)
	}
	if err := a.progress(reply); err != nil {
		return true, ending{}, err
	}
	if err := a.runCalls(ctx, reply); err != nil {
		return true, ending{}, err
	}
	if ctx.Err() != nil {
		end, err = a.endOfRequest(ctx, context.Cause(ctx))
		return true, end, err
	}
	return false, ending{}, nil
}

// progress reports the text of a reply that does not end the turn, once.
func (a *Agent) progress(reply event.ModelReplied) error {
	if reply.Text == "" || a.t.reported {
		return nil
	}
	return a.report(Output{Text: reply.Text})
}

// rounding looks once more before a turn ends naturally: a reply that says
// nothing is asked for again, questions left open are pointed out.
func (a *Agent) rounding(reply event.ModelReplied) (done bool, end ending, err error) {
	natural := ending{reason: event.EndNatural, text: a.t.text}
	if a.cfg.Elsewhere {
		return true, natural, nil
	}
	if a.t.saysNothing() {
		if a.t.nudged {
			return true, ending{reason: event.EndFailed, text: a.t.text, failure: &event.Failure{
				Code: "empty_response", Who: "server", Retryable: true,
				Message: "the model replied twice without a tool call that it announced, or without a word",
			}}, nil
		}
		return false, ending{}, a.say(a.cfg.Words.EmptyReply())
	}
	if open := a.openQuestions(); len(open) > 0 && !a.t.reminded {
		if err := a.progress(reply); err != nil {
			return true, ending{}, err
		}
		return false, ending{}, a.say(a.cfg.Words.OpenQuestions(open))
	}
	return true, natural, nil
}

// limitMaxSteps names the limit on the steps of a turn.
const limitMaxSteps = "max_steps"

// checkSteps guards the bound on the steps of a turn. The step after the last
// allowed one is the wrap-up.
func (a *Agent) checkSteps() error {
	limit, step := a.cfg.MaxSteps, a.t.step
	if limit == 0 || a.t.wrapUp != "" {
		return nil
	}
	if step == limit+1 {
		return a.beginWrapUp(event.LimitReached{Limit: limitMaxSteps, Used: float64(limit), Max: float64(limit)})
	}
	if limit >= 5 && step == limit*4/5+1 && !a.t.warned {
		return a.warnLimit(event.LimitWarned{Limit: limitMaxSteps, Used: float64(step - 1), Max: float64(limit)})
	}
	return nil
}

func (a *Agent) warnLimit(near event.LimitWarned) error {
	if err := a.append(near); err != nil {
		return err
	}
	return a.payDebts()
}

// beginWrapUp tells the model that its next reply is the last of the turn. The
// turn of an agent that works elsewhere ends without one.
func (a *Agent) beginWrapUp(reached event.LimitReached) error {
	if err := a.claimLastWord(); err != nil {
		return err
	}
	if err := a.append(reached); err != nil {
		return err
	}
	if a.cfg.Elsewhere {
		return &LimitError{LimitReached: reached, NoWrapUp: true}
	}
	return a.payDebts()
}

// payDebts does what the records so far call for.
func (a *Agent) payDebts() error {
	for len(a.t.debts) > 0 {
		if err := a.pay(a.t.debts[0]); err != nil {
			return err
		}
	}
	return nil
}

// pay does what one record calls for, and so takes the debt away.
func (a *Agent) pay(d debt) error {
	switch d.kind {
	case oweWarning:
		return a.say(a.cfg.Words.LimitNear(d.limit.Limit, d.limit.Used, d.limit.Max))
	case oweWrapUp:
		return a.say(a.cfg.Words.WrapUp(d.limit.Limit))
	case oweHint:
		return a.say(a.cfg.Words.RepeatedCall(d.tool, repeatHint))
	case oweRepeatEnd:
	}
	return a.append(event.LimitReached{Limit: limitRepeated, Used: repeatStop, Max: repeatStop})
}

// drain puts the messages that wait into the conversation. It is the only
// place where messages enter, and it stands before a request.
func (a *Agent) drain() error {
	if a.cfg.Elsewhere && a.t.begun {
		return nil // those that came meanwhile are the next turn's
	}
	for _, m := range a.cfg.Box.Drain() {
		a.expect(m)
		if err := a.append(event.MessageDelivered{ID: m.ID, Step: a.t.step}); err != nil {
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
func (a *Agent) endOfRequest(ctx context.Context, err error) (ending, error) {
	if cause := context.Cause(ctx); cause != nil {
		if s, ok := errors.AsType[stopError](cause); ok {
			return a.endOfStop(s.Stop)
		}
		return ending{}, errInterrupted
	}
	if failed, ok := errors.AsType[*failureError](err); ok {
		return ending{reason: event.EndFailed, failure: &failed.Failure, text: a.t.text}, nil
	}
	return a.endOfLimit(err)
}

// endOfLimit turns the error of a limit into the end of the turn; others pass.
func (a *Agent) endOfLimit(err error) (ending, error) {
	if s, ok := errors.AsType[stopError](err); ok {
		return a.endOfStop(s.Stop)
	}
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return ending{reason: event.EndLimit, limit: limit.Limit, text: a.t.text}, nil
	}
	return ending{}, err
}

// endOfStop turns a stop into the end of the turn; a pause leaves it open.
func (a *Agent) endOfStop(s Stop) (ending, error) {
	if s.Limit != nil {
		a.dropLimit()
		return ending{reason: event.EndLimit, limit: s.Limit.Limit, text: a.t.text, stop: s}, a.reached(*s.Limit)
	}
	switch s.Mode {
	case Pause:
		return ending{}, errInterrupted
	case Terminate:
		return ending{reason: event.EndTerminated, text: a.t.text, stop: s}, nil
	case Soft, Now:
	}
	return ending{reason: event.EndStopped, text: a.t.text, stop: s}, nil
}

// endTurn answers what is still open, reports once, and comes to rest.
func (a *Agent) endTurn(end ending) error {
	if err := a.closeQuestions(end); err != nil {
		return err
	}
	if a.t.completion == "" {
		err := a.report(Output{
			Text: end.text, Final: true, Reason: end.reason, Limit: end.limit, Failure: end.failure, Stop: end.stop,
		})
		if err != nil {
			return err
		}
	}
	ended := event.TurnEnded{Reason: end.reason, Limit: end.limit, Failure: end.failure}
	if err := a.append(ended); err != nil {
		return err
	}
	if err := a.comeToRest(ended); err != nil {
		return err
	}
	if byStop := end.reason == event.EndStopped || end.reason == event.EndTerminated; !byStop && a.cfg.Last != nil && a.cfg.Last(end.reason) {
		return errLast
	}
	return nil
}

// comeToRest makes the move that follows the end of a turn. Where a stop ended
// it, that stop makes the move.
func (a *Agent) comeToRest(end event.TurnEnded) error {
	switch end.Reason {
	case event.EndStopped, event.EndTerminated:
		a.restop(end.Reason)
	case event.EndFailed:
		return a.moveTo(moveFail, end.Failure.Message)
	case event.EndNatural, event.EndLimit:
		return a.moveTo(moveRest, string(end.Reason))
	}
	return nil
}

func (a *Agent) moveTo(m move, cause string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.move(m, cause)
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
