package agent

import (
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/model"
)

// due is what an open turn does next.
type due int

const (
	dueNothing due = iota // no turn is open
	dueRequest            // the request of a step, with the messages that wait
	dueAct                // what the reply of the step asks for
	dueRest               // the turn has ended; the agent is still to come to rest
)

// turnState is what an agent knows of its open turn. It changes by records
// only, those of the living agent or those of a log that broke off: the loop
// looks here what is due, and so goes on wherever the log ends.
type turnState struct {
	due  due
	step int // the step that runs, from 1

	begun bool // a request was made

	asked    *event.ModelRequested // a request without an end
	failure  *event.Failure        // of the last request of the step
	reply    *event.ModelReplied   // of the step, when it is due to act
	calls    []callState           // of reply
	flushed  int                   // calls whose results are in the conversation
	reported bool                  // the text of reply is told as progress

	text     string  // the last output that was not empty
	wrapUp   string  // the limit that ended the turn; set while wrapping up
	warned   bool    // of the limit on steps
	reminded bool    // open questions were pointed out
	nudged   bool    // an empty reply was answered by a nudge
	answered bool    // the last step with calls answered a question
	repeats  repeats // identical calls of the turn
	debts    []debt  // what is to be said or logged before the next request

	compacted int  // the step before whose request the conversation was compacted last
	cutShort  bool // it was to be compacted because the provider cuts it

	completion event.Reason     // why the turn ended, as its report says; empty before that
	end        *event.TurnEnded // when due to rest
}

// callState is what the log says of a call of the reply.
type callState struct {
	started  bool
	approval approval
	id       string // of the approval that was asked for
	finished *event.ToolFinished
}

// approval is how far the leave for a call has come.
type approval int

const (
	approvalNone approval = iota
	approvalAsked
	approvalToCome // given while no program ran; the next one runs the call
	approvalGiven
	approvalRefused
)

// mayHaveRun reports whether the tool of a call without a result may have been
// at work when the program ended.
func (c callState) mayHaveRun() bool {
	return c.started && (c.approval == approvalNone || c.approval == approvalGiven)
}

// debt is something that a record calls for and that the agent has not done
// yet.
type debt struct {
	kind  debtKind
	limit event.LimitReached // which limit; of a warning, too
	tool  string             // for a repeated call
}

type debtKind int

const (
	oweWarning   debtKind = iota // say that a limit is near
	oweWrapUp                    // say that the next reply is the last
	oweHint                      // say that a call was repeated
	oweRepeatEnd                 // log that it was repeated too often
)

// applyTurn changes the turn as a record of the agent says; moves between
// working and waiting, which calls make, are none of its business.
func (a *Agent) applyTurn(rec event.Record) {
	t := &a.t
	switch d := rec.Data.(type) {
	case event.ModelRequested:
		t.noteCut(a.gauge.short)
		t.asked, t.begun = &d, true
		if d.Purpose == "" {
			t.failure = nil
		}
	case event.ModelReplied:
		t.asked = nil
		if d.Purpose == "" {
			t.applyReply(d)
		}
	case event.ModelFailed:
		t.asked = nil
		if d.Purpose == "" && d.Failure.Code != event.CodeCancelled && d.Failure.Code != event.CodeInterrupted {
			t.failure = &d.Failure
		}
	case event.HistoryCompacted:
		t.noteCut(a.gauge.short)
		t.compacted = t.step
	case event.ToolStarted:
		if c := t.call(d.CallID); c != nil {
			c.started = true
		}
	case event.ToolFinished:
		a.applyResult(d)
	case event.ApprovalRequested:
		if c := t.call(d.CallID); c != nil {
			c.approval, c.id = approvalAsked, d.ID
		}
	case event.ApprovalDecided:
		t.applyDecision(d)
	case event.LimitWarned:
		t.warned = t.warned || d.Limit == limitMaxSteps
		if !a.cfg.Elsewhere {
			t.debts = append(t.debts, debt{kind: oweWarning, limit: event.LimitReached(d)})
		}
	case event.LimitReached:
		t.applyLimit(d)
	case event.TurnEnded:
		t.due, t.end = dueRest, &d
	default: // all other records change nothing of it
	}
}

// noteCut notes that a compaction is made, or not needed, because the provider
// cuts the conversation.
func (t *turnState) noteCut(short bool) { t.cutShort = t.cutShort || short }

func (t *turnState) applyReply(d event.ModelReplied) {
	t.due, t.reply, t.reported, t.failure = dueAct, &d, false, nil
	t.calls, t.flushed = make([]callState, len(d.Calls)), 0
	if d.Text != "" {
		t.text = d.Text
	}
}

func (t *turnState) applyDecision(d event.ApprovalDecided) {
	for i := range t.calls {
		if t.calls[i].id != d.ID {
			continue
		}
		switch {
		case d.Decision == event.DecisionDeny:
			t.calls[i].approval = approvalRefused
		case d.Offline:
			t.calls[i].approval = approvalToCome
		default:
			t.calls[i].approval = approvalGiven
		}
	}
}

// resume notes that a program went on with the run: what had leave may have run.
func (t *turnState) resume() {
	for i := range t.calls {
		if t.calls[i].approval == approvalToCome {
			t.calls[i].approval = approvalGiven
		}
	}
}

func (t *turnState) applyLimit(d event.LimitReached) {
	if len(t.debts) > 0 && t.debts[0].kind == oweRepeatEnd {
		t.debts = t.debts[1:]
	}
	if t.wrapUp == "" {
		t.wrapUp = d.Limit
		t.debts = append(t.debts, debt{kind: oweWrapUp, limit: d})
	}
}

// call is the state of a call of the reply, nil if it has none of this id.
func (t *turnState) call(id string) *callState {
	if t.reply == nil {
		return nil
	}
	i := slices.IndexFunc(t.reply.Calls, func(c event.Call) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &t.calls[i]
}

// applyResult takes a result in. Results stand in the conversation in the order
// of the calls, also when a run that was interrupted left some of them out.
func (a *Agent) applyResult(d event.ToolFinished) {
	t := &a.t
	c := t.call(d.CallID)
	if c == nil {
		return
	}
	c.finished = &d
	for ; t.flushed < len(t.calls) && t.calls[t.flushed].finished != nil; t.flushed++ {
		r := t.calls[t.flushed].finished
		a.history.add(model.Message{
			Role: model.ToolRole, CallID: r.CallID, ToolName: r.Name, Content: r.Result, IsError: r.IsError,
		})
	}
	if t.flushed == len(t.calls) {
		a.stepDone()
	}
}

// stepDone ends a step with calls.
func (a *Agent) stepDone() {
	t := &a.t
	t.answered = false
	for i, c := range t.reply.Calls {
		r := t.calls[i].finished
		spec, ok := a.cfg.Tools.Spec(c.Name)
		if ok && spec.Answers && !r.IsError {
			t.answered = true
		}
		if ok && spec.Waits {
			continue // may repeat
		}
		switch t.repeats.count(c, r.Result) {
		case repeatHint:
			t.debts = append(t.debts, debt{kind: oweHint, tool: c.Name})
		case repeatStop:
			if t.wrapUp == "" {
				t.debts = append(t.debts, debt{kind: oweRepeatEnd})
			}
		}
	}
	t.next()
}

// next makes the request of the next step due.
func (t *turnState) next() {
	t.due, t.step = dueRequest, t.step+1
	t.reply, t.calls = nil, nil
}

// said takes note that the runtime said to the agent what was due.
func (t *turnState) said() {
	switch {
	case len(t.debts) > 0:
		t.debts = t.debts[1:]
	case t.due == dueAct && len(t.reply.Calls) == 0:
		if t.saysNothing() {
			t.nudged = true
		} else {
			t.reminded = true
		}
		t.next()
	}
}

// saysNothing reports whether a reply without calls is to be asked for again:
// it is empty though nothing was answered, or promised calls.
func (t *turnState) saysNothing() bool {
	return t.reply.Finish == event.FinishToolCalls || t.reply.Text == "" && !t.answered
}

// told takes note of an output that was reported.
func (t *turnState) told(kind event.Kind, r event.Reason) {
	switch kind {
	case event.Progress:
		t.reported = true
	case event.Completion:
		t.completion = r
	default: // no output of a turn
	}
}

// applyState begins a turn, or ends it for good.
func (t *turnState) applyState(d event.AgentState) {
	switch {
	case d.To.Busy() && d.From.Busy(): // the calls of a step wait, or go on
	case d.To.Busy():
		*t = turnState{due: dueRequest, step: 1}
	default:
		*t = turnState{}
	}
}
