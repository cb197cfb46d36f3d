package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/tools"
)

// callCount tells when an agent waits: no call is still to start, some are
// open, and each of those is blocked.
type callCount struct {
	starting bool
	open     int
	blocked  []*string // what each blocked call waits for
}

// waits reports whether every open call is blocked, and on what.
func (c callCount) waits() (on string, all bool) {
	var words []string
	for _, w := range c.blocked {
		words = append(words, *w)
	}
	return strings.Join(words, "; "), !c.starting && c.open > 0 && len(c.blocked) == c.open
}

// result is what one call of a step brought.
type result struct {
	text    string
	isError bool
	took    time.Duration
	none    bool  // the log has one already, or the call is left for the run that is resumed
	cut     error // why the call was cut short, if it was
}

// stepCalls runs the calls of one reply.
type stepCalls struct {
	agent   *Agent
	calls   []event.Call
	wg      sync.WaitGroup
	done    chan int    // indexes of calls that returned; as many slots as calls
	results []result    // each written once, before its index is sent
	before  []callState // what the log said when the step began, or was gone on with
	logged  int         // results that are in the log
	open    int         // calls that run
}

// runCalls runs the calls of a reply and logs one result for each, in the
// order of the calls. Calls start in that order; an ordered one lets the next
// start when it has sent, an exclusive one runs alone, all others run side by
// side. Of a step that broke off only those run that have no result.
func (a *Agent) runCalls(ctx context.Context, reply event.ModelReplied) error {
	var err error
	s := &stepCalls{
		agent: a, calls: reply.Calls, before: slices.Clone(a.t.calls),
		done: make(chan int, len(reply.Calls)), results: make([]result, len(reply.Calls)),
	}
	a.setStarting(true)
	for i, c := range s.calls {
		switch {
		case s.before[i].finished != nil:
			s.settle(i, result{none: true})
		case reply.Finish == event.FinishLength:
			s.settle(i, result{text: a.cfg.Words.CutCall(), isError: true})
		default:
			err = s.start(ctx, i, c)
		}
		if err != nil {
			a.abort(err)
			break
		}
	}
	a.setStarting(false)
	err = errors.Join(err, s.finish())
	s.wg.Wait()
	return err
}

// start logs and starts call i, after those it must not overlap.
func (s *stepCalls) start(ctx context.Context, i int, c event.Call) error {
	a := s.agent
	if cause := context.Cause(ctx); cause != nil {
		s.settle(i, a.cutResult(cause, true, 0))
		return nil
	}
	spec, _ := a.cfg.Tools.Spec(c.Name)
	if spec.Exclusive {
		if err := s.clear(); err != nil {
			return err
		}
	}
	request, again := a.cfg.ID+"/"+c.ID, s.before[i].started
	switch {
	case again && spec.Name != "" && spec.Effect == tools.Once && s.before[i].mayHaveRun():
		s.settle(i, result{text: a.cfg.Words.UnknownOutcome(c.Name), isError: true})
		return nil
	case !again:
		err := a.append(event.ToolStarted{CallID: c.ID, Name: c.Name, Arguments: c.Arguments, RequestID: request})
		if err != nil {
			return err
		}
	}
	sent := make(chan struct{})
	call := tools.Call{
		Agent: a.cfg.ID, Turn: a.turn, ID: c.ID, RequestID: request, Again: again, Arguments: json.RawMessage(c.Arguments),
		Metadata: a.cfg.Metadata,
		Blocked:  a.blocked,
		Sent:     sync.OnceFunc(func() { close(sent) }),
		Output:   func(text string) { a.cfg.Log.Live(a.cfg.ID, a.turn, event.ToolOutput{CallID: c.ID, Text: text}) },
		Artifact: func(path string, size int64) { a.artifact(c.ID, path, size) },
	}
	s.open++
	a.countCalls(+1)
	s.wg.Go(func() {
		s.results[i] = a.run(ctx, spec, c, call)
		a.countCalls(-1)
		call.Sent()
		s.done <- i
	})
	if spec.Ordered {
		<-sent
	}
	if spec.Exclusive {
		return s.clear()
	}
	return nil
}

// withdraw ends the question of a call that was cut short, which may have asked it
// before the program ended, and does not wait for the answer any more.
func (a *Agent) withdraw(call string, cause error) error {
	id := a.cfg.Desk.Asked(a.cfg.ID, call)
	if id == "" {
		return nil
	}
	_, err := a.cfg.Desk.Close(id, event.Cancelled, "", cause.Error(), a.turn)
	if errors.Is(err, mailbox.ErrClosedQuestion) {
		return nil
	}
	return err
}

// clear finishes the calls that run before the next one starts. Until then
// none is starting: if they all wait, the agent waits.
func (s *stepCalls) clear() error {
	s.agent.setStarting(false)
	defer s.agent.setStarting(true)
	return s.finish()
}

// settle gives call i a result without running it.
func (s *stepCalls) settle(i int, r result) {
	s.results[i] = r
	s.done <- i
	s.open++
}

// finish waits for the calls that run, and logs their results as soon as the
// order of the calls allows.
func (s *stepCalls) finish() error {
	returned := map[int]bool{}
	var err error
	for ; s.open > 0; s.open-- {
		returned[<-s.done] = true
		for err == nil && returned[s.logged] {
			if err = s.log(s.logged); err != nil {
				s.agent.abort(err)
			}
			s.logged++
		}
	}
	return err
}

func (s *stepCalls) log(i int) error {
	c, r := s.calls[i], s.results[i]
	if r.none {
		return nil
	}
	if r.cut != nil {
		if err := s.agent.withdraw(c.ID, r.cut); err != nil {
			return err
		}
	}
	return s.agent.append(event.ToolFinished{
		CallID: c.ID, Name: c.Name, Result: r.text, IsError: r.isError, DurationMS: r.took.Milliseconds(),
	})
}

// run does one call and turns whatever happens into a result.
func (a *Agent) run(ctx context.Context, spec tools.Spec, c event.Call, call tools.Call) result {
	if err := a.permit(ctx, spec, call); err != nil {
		return a.errorResult(ctx, err, true, 0)
	}
	if cause := context.Cause(ctx); cause != nil {
		return a.cutResult(cause, spec.Waits, 0) // leave that comes too late
	}
	began := a.cfg.Now()
	runCtx := ctx
	if a.cfg.ToolTimeout > 0 && !spec.Waits {
		var cancel context.CancelFunc
		runCtx, cancel = context.WithTimeoutCause(ctx, a.cfg.ToolTimeout, errToolTimeout)
		defer cancel()
	}
	text, err := a.cfg.Tools.Run(runCtx, c.Name, call)
	took := a.cfg.Now().Sub(began)
	switch {
	case err == nil:
		return result{text: text, took: took}
	case ctx.Err() == nil && errors.Is(context.Cause(runCtx), errToolTimeout):
		return result{text: errToolTimeout.Error() + " after " + a.cfg.ToolTimeout.String(), isError: true, took: took}
	}
	return a.errorResult(ctx, err, spec.Waits, took)
}

// permit asks leave for a call. None is needed to be told that a tool does not
// exist.
func (a *Agent) permit(ctx context.Context, spec tools.Spec, call tools.Call) error {
	if a.cfg.Permit == nil || spec.Name == "" {
		return nil
	}
	return a.cfg.Permit(ctx, spec, call)
}

// errorResult is the result of a call that brought an error; the end of ctx
// explains any. waited says that the call did nothing yet but wait.
func (a *Agent) errorResult(ctx context.Context, err error, waited bool, took time.Duration) result {
	if cause := context.Cause(ctx); cause != nil {
		return a.cutResult(cause, waited, took)
	}
	return result{text: err.Error(), isError: true, took: took}
}

// cutResult is the result of a call that the end of its context cut short. When
// the run is interrupted, one that only waited has none: it waits on when the
// run is resumed.
func (a *Agent) cutResult(cause error, waited bool, took time.Duration) result {
	if waited && errors.Is(cause, mailbox.ErrInterrupted) {
		return result{none: true}
	}
	return result{text: a.cfg.Words.CancelledCall(cause.Error()), isError: true, took: took, cut: cause}
}

var errToolTimeout = errors.New("tool: timed out (tool_timeout)")

// abort cuts the running turn short because the log failed.
func (a *Agent) abort(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancelTurn(err)
}

// artifact logs a file that a call wrote. It runs on the call's goroutine.
func (a *Agent) artifact(call, path string, size int64) {
	_, err := a.cfg.Log.Append(a.cfg.ID, a.turn, event.ArtifactCreated{Path: path, Bytes: size, CallID: call})
	if err != nil {
		a.cfg.Logger.Error().Err(err).Str("agent", a.cfg.ID).Str("call", call).Msg("artifact not logged")
	}
}

func (a *Agent) setStarting(starting bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls.starting = starting
	a.settleWaiting()
}

func (a *Agent) countCalls(by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls.open += by
	a.settleWaiting()
}

// blocked marks a call as waiting for others until done is called.
func (a *Agent) blocked(on ...string) (done func()) {
	words := strings.Join(on, " → ")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls.blocked = append(a.calls.blocked, &words)
	a.settleWaiting()
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.calls.blocked = slices.DeleteFunc(a.calls.blocked, func(w *string) bool { return w == &words })
		a.settleWaiting()
	})
}

// settleWaiting moves between working and waiting as the calls stand; callers
// hold a.mu.
func (a *Agent) settleWaiting() {
	on, waits := a.calls.waits()
	m := moveUnblock
	if waits {
		m = moveBlock
	}
	if !a.machine.can(m) {
		return
	}
	if !waits {
		on = ""
	}
	if err := a.move(m, on); err != nil {
		a.cfg.Logger.Error().Err(err).Str("agent", a.cfg.ID).Msg("state not logged")
	}
	if waits && a.stop != nil {
		a.cancelTurn(stopError{*a.stop}) // nothing is under way that a gentle stop should let finish
	}
}
