package leader

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

// Run is a run under way. Its methods are safe for concurrent use.
type Run struct {
	id       string
	trace    string            // id of the trace
	told     map[string]string // notes of the run for tools and agents elsewhere; never changed
	leader   *Leader
	log      *transcript.Log
	journal  *journal
	roster   *roster
	exchange mailbox.Exchange

	approvals *approvals
	errands   *errands
	budget    *budget
	words     prompts.Words
	gate      *model.Gate // nil: no limit
	space     *tools.Workspace
	started   time.Time
	logger    zerolog.Logger

	spawns  chan spawnRequest // to the loop, which alone starts workers
	kits    map[string]*kit   // by role id; the loop's own
	made    map[string]string // on resume: by call, the agent or role that it had made when the program ended
	resumed int64             // seq from which on the end of a turn can be the end of the run
	ending  chan struct{}     // closed when the loop starts no more
	pauses  chan string       // by whom; one slot
	done    chan struct{}     // closed when the run has ended

	mu     sync.Mutex // guards all below but the result
	over   bool       // the work is done: nothing from outside is taken any more
	leaves bool       // the run is about to be suspended: nobody would act on what is said
	agents map[string]*agent.Agent
	boxes  map[string]*mailbox.Box
	roles  []Role
	loans  map[string]*event.Loan // by role id

	result Result // written before done is closed
	err    error
}

// maxTask bounds the person's task, in bytes.
const maxTask = 4 << 20

func checkTask(task string) error {
	fail := func(msg, hint string) error {
		return &Error{Failure: event.Failure{Code: "bad_task", Who: "client", Message: msg, Hint: hint}}
	}
	switch {
	case isBlank(task):
		return fail("the task is empty", "say what the team should do")
	case !utf8.ValidString(task):
		return fail("the task is not valid UTF-8 text", "save it as UTF-8")
	case len(task) > maxTask:
		return fail(fmt.Sprintf("the task has %d bytes; at most %d", len(task), maxTask), "put long material into a file that the team can read")
	}
	return nil
}

// ID is the run's id, a ULID.
func (r *Run) ID() string { return r.id }

// Log is the path of the run's log; empty when it is kept in memory.
func (r *Run) Log() string { return r.log.Path() }

// Team returns the team at work, with all defaults filled in.
func (r *Run) Team() Team { return r.leader.team }

// Dropped is the number of bytes of a torn last line, as a crash leaves it,
// that [Resume] took off the log; they are kept in the file log.torn beside it.
func (r *Run) Dropped() int { return r.log.Dropped() }

// Events yields every record of the run from the first, then waits for new
// ones, and ends with the run. Between them come live records (Seq 0). It may
// be called by many readers; a slow one lags and loses no record.
func (r *Run) Events(ctx context.Context) iter.Seq2[event.Record, error] {
	return r.log.Follow(ctx, 0)
}

// Follow yields the records with Seq > after and goes on as [Run.Events] does.
// With [Run.Records] it makes a run an [event.Source].
func (r *Run) Follow(ctx context.Context, after int64) iter.Seq2[event.Record, error] {
	return r.log.Follow(ctx, after)
}

// Records yields the records with Seq > after that there are, and ends.
func (r *Run) Records(after int64) iter.Seq2[event.Record, error] { return r.log.Records(after) }

// Wait waits for the end of the run. The error is a [*Error].
func (r *Run) Wait() (Result, error) {
	<-r.done
	return r.result, r.err
}

// Last is the seq of the newest record.
func (r *Run) Last() int64 { return r.log.Len() }

// Done is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Pause ends the run gently: agents finish the step they are in, and the run
// is suspended, to be resumed. by says who wants it. From here on it takes nothing
// from the person, who would wait in vain for a reaction; see [ErrEnded].
func (r *Run) Pause(by string) {
	r.takeNoMore()
	select {
	case r.pauses <- by:
	default:
	}
}

// takeNoMore refuses from here on what the person says.
func (r *Run) takeNoMore() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leaves = true
}

// begin writes the beginning of the log: the header, the leader, the task.
func (r *Run) begin(header event.RunStarted) error {
	r.started = r.leader.opts.now()
	if _, err := r.journal.Append("", 0, header); err != nil {
		return err
	}
	for _, w := range r.leader.Warnings() {
		if _, err := r.journal.Append("", 0, w); err != nil {
			return err
		}
	}
	if err := r.addLeader(); err != nil {
		return err
	}
	return r.sendTask(header.Task, header.RequestID)
}

// sendTask gives the leader what the person wants.
func (r *Run) sendTask(task, request string) error {
	_, err := r.exchange.Post.Send(mailbox.Outgoing{
		Kind: event.Note, From: event.Person, To: event.Leader, Content: task, RequestID: request,
	})
	return err
}

// tellLeader says something to the leader on the runtime's behalf.
func (r *Run) tellLeader(text string) error {
	_, err := r.exchange.Post.Send(mailbox.Outgoing{
		Kind: event.Note, From: event.Runtime, To: event.Leader, Content: text,
	})
	return err
}

// loop is the life of a run: it starts the leader and, on request, workers,
// and ends when the work is done, when something failed, or when outside ends.
func (r *Run) loop(outside context.Context) {
	// The agents learn of the end of outside from here, as an interruption.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(outside))
	defer cancel(nil)
	interrupt := func() { cancel(interruption{context.Cause(outside)}) }
	if outside.Err() != nil {
		interrupt() // before anything begins
	}
	defer context.AfterFunc(outside, interrupt)()
	r.logger.Info().Msg("run started")
	var team sync.WaitGroup
	failed := make(chan error, 1)
	start := func(a *agent.Agent) {
		team.Go(func() {
			if err := a.Run(ctx); err != nil && !errors.Is(err, agent.ErrTerminated) {
				select {
				case failed <- err:
				default: // the first failure is told; the others follow from it
				}
			}
		})
	}
	for _, a := range r.everyone() { // the leader, and all others when the run is resumed
		start(a)
	}
	end := r.watch(outside, start, failed)
	r.takeNoMore()
	close(r.ending)
	switch {
	case end.gentle: // the agents leave by themselves
	case end.cause != nil:
		interrupt()
	default:
		cancel(errRunEnded)
	}
	team.Wait()
	r.finish(end)
	r.logger.Info().AnErr("err", r.err).Msg("run ended")
	close(r.done)
}

var errRunEnded = errors.New("leader: the run ended")

// interruption is the cause with which agents end when the run is interrupted:
// what they wait for stays open.
type interruption struct{ cause error }

func (e interruption) Error() string { return "the run was interrupted: " + e.cause.Error() }

// Unwrap tells the desk what it is.
func (e interruption) Unwrap() []error { return []error{mailbox.ErrInterrupted, e.cause} }

// runEnd says what ended a run, if not the end of its work.
type runEnd struct {
	err         error    // the log failed
	interrupted string   // by whom
	cause       error    // of the end of ctx, if that interrupted the run
	gentle      bool     // the agents finish the step they are in
	waits       *Pending // what a person has to answer before anybody can go on
}

// watch serves the run until it is over.
func (r *Run) watch(ctx context.Context, start func(*agent.Agent), failed <-chan error) runEnd {
	cut, last := r.deadlines()
	for {
		news := r.journal.watch()
		if r.isOver() {
			return runEnd{}
		}
		if on, ok := r.standstill(); ok {
			r.pauseAll(event.RuntimeName)
			return runEnd{waits: &on, gentle: true}
		}
		select {
		case <-news:
		case <-cut:
			r.cutShort()
		case <-last:
			r.agent(event.Leader).Stop(r.deadlineStop())
		case req := <-r.spawns:
			a, made := r.spawn(req)
			if made.err == nil && a != nil {
				start(a)
			}
			req.reply <- made
		case err := <-failed:
			return runEnd{err: err}
		case by := <-r.pauses:
			r.pauseAll(by)
			return runEnd{interrupted: by, gentle: true}
		case <-ctx.Done():
			cause := context.Cause(ctx)
			return runEnd{interrupted: cause.Error(), cause: errors.Join(ctx.Err(), cause)}
		}
	}
}

// pauseAll lets every agent finish the step it is in.
func (r *Run) pauseAll(by string) {
	for _, a := range r.everyone() {
		a.Stop(agent.Stop{Mode: agent.Pause, By: by})
	}
}

// lastWords is how long the leader may take for its last word after the
// deadline.
const lastWords = 30 * time.Second

// deadlines returns channels for the run's deadline and for the end of the
// leader's last word; both nil when there is no deadline.
func (r *Run) deadlines() (cut, last <-chan time.Time) {
	d := bound(r.leader.team.Limits.Deadline)
	if d == 0 {
		return nil, nil
	}
	left := d - r.budget.elapsed()
	return time.After(left), time.After(left + lastWords)
}

// cutShort ends every turn at the deadline. The leader may say a last word.
func (r *Run) cutShort() {
	for _, m := range r.roster.all() {
		s := r.deadlineStop()
		s.WrapUp = m.id == event.Leader
		r.agent(m.id).Stop(s)
	}
}

func (r *Run) deadlineStop() agent.Stop {
	return agent.Stop{Mode: agent.Now, By: event.RuntimeName, Limit: &event.LimitReached{
		Limit: limitDeadline, Used: r.budget.elapsed().Seconds(), Max: r.leader.team.Limits.Deadline.Seconds(),
	}}
}

// isOver reports whether the work is done: the leader's turn has ended, nobody
// works or is about to, and no question is open. A turn of the leader that
// failed or that a limit ended ends the run at once. The decision and what the
// person says come one after the other, so that no message is taken that
// nobody will read.
func (r *Run) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		before := r.roster.position()
		over := r.leaderBroke() || r.quiet()
		if r.roster.position() == before {
			r.over = over
			return over
		}
	}
}

// leaderBroke reports whether the leader's last turn ended badly, since the run
// began or was resumed.
func (r *Run) leaderBroke() bool { return r.roster.leaderEndSeq() > r.resumed && r.badEnd() }

// badEnd reports whether the leader rests after a turn that ended badly.
func (r *Run) badEnd() bool {
	end := r.roster.leaderEnd()
	return !r.roster.state(event.Leader).Busy() && end.Reason != "" && end.Reason != event.EndNatural
}

// quiet reports whether nobody works or is about to; the caller holds r.mu.
func (r *Run) quiet() bool {
	if r.roster.anyBusy() {
		return false
	}
	for id, box := range r.boxes {
		if s := r.roster.state(id); s.Busy() || s != event.Finished && box.Waking() {
			return false
		}
	}
	return r.roster.openQuestions() == 0
}

// finish writes the end of the log and the result.
func (r *Run) finish(end runEnd) {
	defer r.release()
	last, usage, cost, artifacts := r.roster.totals()
	took := r.leader.opts.now().Sub(r.started)
	r.result = Result{
		RunID: r.id, Status: StatusFinished, Answer: last.answer, Usage: usage, Cost: cost, Duration: took,
		Artifacts: artifacts, Log: r.log.Path(), Scripted: r.leader.modelKind() == event.ModelScripted,
	}
	record := r.conclude(end, last)
	if record == nil {
		return
	}
	if _, err := r.journal.Append("", 0, record); err != nil && r.err == nil {
		r.result.Status = StatusFailed
		r.err = r.logError(err)
	}
}

// conclude decides how the run ended and what the log says of it.
func (r *Run) conclude(end runEnd, last lastTurn) event.Data {
	res := &r.result
	ms := res.Duration.Milliseconds()
	switch {
	case end.err != nil:
		res.Status = StatusFailed
		r.err = r.logError(end.err)
		return nil
	case end.waits != nil:
		res.Status = StatusSuspended
		r.err = &Error{Failure: end.waits.failure(), Agent: end.waits.Agent, Seq: r.log.Len()}
		return event.RunSuspended{Cause: end.waits.cause(), ID: end.waits.ID}
	case end.interrupted != "":
		res.Status = StatusSuspended
		r.err = &Error{Failure: event.Failure{
			Code: "interrupted", Who: "client", Retryable: true, Message: "the run was interrupted: " + end.interrupted,
		}, Seq: r.log.Len(), Err: end.cause}
		return event.RunSuspended{Cause: event.SuspendInterrupt, By: end.interrupted}
	case last.end.Reason == event.EndLimit:
		res.Status, res.Limit = StatusPartial, last.end.Limit
		r.err = &Error{Failure: event.Failure{
			Code: "limit", Who: "limit", Retryable: true,
			Message: "the limit " + last.end.Limit + " ended the run; the answer is partial",
			Hint:    limitHint(last.end.Limit),
		}, Agent: event.Leader, Seq: r.log.Len()}
		return event.RunFinished{Answer: last.answer, Partial: true, Limit: last.end.Limit, Usage: res.Usage, Cost: res.Cost, DurationMS: ms}
	case last.end.Failure != nil:
		res.Status = StatusFailed
		r.err = &Error{Failure: *last.end.Failure, Agent: event.Leader, Seq: r.log.Len()}
		return event.RunFailed{Failure: *last.end.Failure, Answer: last.answer, Usage: res.Usage, Cost: res.Cost, DurationMS: ms}
	}
	return event.RunFinished{Answer: last.answer, Usage: res.Usage, Cost: res.Cost, DurationMS: ms}
}

// limitHint is what a person can do about a limit that ended the run.
func limitHint(limit string) string {
	switch limit {
	case limitMaxSteps: // the run ends by the leader's own
		return "raise leader." + limit
	case limitRepeated: // no setting
		return "the leader made the same call again and again and learned nothing new; say more exactly what you want, or name another model"
	}
	return "raise limits." + limit
}

// logError words an error of the log, after which nothing more is written.
func (r *Run) logError(err error) *Error {
	return &Error{Failure: event.Failure{
		Code: "log", Who: "client", Message: "the run cannot go on: " + err.Error(),
	}, Seq: r.log.Len(), Err: err}
}

func (r *Run) closeSpace() { _ = r.space.Close() }

// release frees what the run holds.
func (r *Run) release() {
	r.closeSpace()
	if err := r.log.Close(); err != nil && r.err == nil {
		r.err = r.logError(err)
	}
}
