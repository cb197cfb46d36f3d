package mailbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Errors of [Desk]. None of them changes anything.
var (
	// ErrUnknownQuestion says that no question has this id.
	ErrUnknownQuestion = errors.New("mailbox: there is no question with this id")
	// ErrClosedQuestion says that the question has ended; the text says how.
	ErrClosedQuestion = errors.New("mailbox: the question is closed")
	// ErrNotYours says that the question was asked to somebody else.
	ErrNotYours = errors.New("mailbox: the question is not yours to answer")
	// ErrInterrupted is the cause with which the context of a wait ends when the
	// run is interrupted, to be resumed: the question stays open.
	ErrInterrupted = errors.New("mailbox: the run was interrupted")
	// ErrIsNote says that the id is that of a note, whose reply is the natural
	// output of the one who got it.
	ErrIsNote = errors.New("mailbox: a note is answered by natural output, not by an answer tool")
)

// DeskOptions configure a [Desk].
type DeskOptions struct {
	// Leader is the id of the agent whose waits can end early, so that it is
	// in no circle; empty if there is none.
	Leader string
	// Late is called, without locks, when a question ends whose asker's wait had
	// ended early (see [Ending]): how it ended has to travel as a note.
	Late func(q event.QuestionOpened, c event.QuestionClosed)
	// Now is the clock for deadlines and ages; nil means [time.Now].
	Now func() time.Time
}

// Desk keeps the questions of a run: who asked whom, who waits for whom, and
// how each question ended. Every question ends once; the ask that would close
// a circle of waits is refused at once. It is safe for concurrent use.
type Desk struct {
	log  event.Appender
	ids  *IDs
	late func(q event.QuestionOpened, c event.QuestionClosed)
	now  func() time.Time

	// mu guards all below and the questions. Decisions are appended under it,
	// so the order of the log is the order of the decisions.
	mu        sync.Mutex
	questions map[string]*question
	open      []*question // oldest first
	graph     *graph
	broken    map[callKey]string // questions of calls that broke off, by [Desk.Apply]
	untold    []*question        // closed, and Late was perhaps not called, by [Desk.Apply]
}

// callKey names a tool call: its agent and its id.
type callKey struct{ agent, call string }

// question is one question, open or closed.
type question struct {
	opened event.QuestionOpened
	turn   int                  // the asker's turn
	closed event.QuestionClosed // without an outcome while it is open
	done   chan struct{}        // closed when a wait for it ends; nil while nobody waits
	wait   *wait                // its edge; nil when refused

	refusal string // why it has to be refused
	yielded string // the question because of which the asker's wait ended early

	// whole is the whole timeout of a question that was read from a log. While
	// no program ran nobody could answer, so it counts from the wait.
	whole time.Duration
}

func (q *question) isOpen() bool { return q.closed.Outcome == "" }

// NewDesk returns a desk that records in log and takes ids of answers from ids.
func NewDesk(log event.Appender, ids *IDs, o DeskOptions) *Desk {
	d := &Desk{
		log: log, ids: ids, late: o.Late, now: o.Now,
		questions: make(map[string]*question),
		graph:     newGraph(o.Leader),
	}
	if d.late == nil {
		d.late = func(event.QuestionOpened, event.QuestionClosed) {}
	}
	if d.now == nil {
		d.now = time.Now
	}
	return d
}

// Ask is a question to be opened.
type Ask struct {
	ID       string // the message's id; not empty
	From, To string // agent ids
	CallID   string // the asking tool call
	Turn     int    // the asker's turn, from 1
	Reply    bool   // a note whose reply is the next natural output
	// Timeout is how long the asker waits at most; 0 for ever.
	Timeout time.Duration
}

// Ask opens a question. From now on From waits for To, also before it calls
// [Desk.Wait]. When that would close a circle, or From asks itself, the
// question is closed at once and returned with true: its Detail names the
// circle and the question to answer first. A circle through the leader is no
// reason: the leader's wait ends early instead.
//
// Asked again with the same id, as after a crash, it goes on with the question
// as it stands: true and the closing if it has ended.
func (d *Desk) Ask(a Ask) (event.QuestionClosed, bool, error) {
	if a.ID == "" {
		return event.QuestionClosed{}, false, errors.New("mailbox: a question needs an id")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	q, ok := d.questions[a.ID]
	if ok && (q.opened.From != a.From || q.opened.To != a.To) {
		return event.QuestionClosed{}, false, fmt.Errorf("%w: %s", ErrExists, a.ID)
	}
	if !ok {
		opened := event.QuestionOpened{ID: a.ID, From: a.From, To: a.To, Reply: a.Reply, CallID: a.CallID}
		if a.Timeout > 0 {
			opened.Deadline = d.now().UTC().Round(0).Add(a.Timeout)
		}
		rec, err := d.log.Append(a.From, a.Turn, opened)
		if opened, err = appended[event.QuestionOpened](rec, err); err != nil {
			return event.QuestionClosed{}, false, err
		}
		d.apply(rec)
		q = d.questions[opened.ID]
	}
	if err := d.refuse(q); err != nil {
		return event.QuestionClosed{}, false, err
	}
	return q.closed, !q.isOpen(), nil
}

// refuse closes q if it closes a circle. The caller holds the mutex.
func (d *Desk) refuse(q *question) error {
	if !q.isOpen() || q.refusal == "" {
		return nil
	}
	return d.close(q, event.QuestionClosed{Outcome: event.RefusedCycle, Detail: q.refusal}, q.opened.From, q.turn)
}

// close records the end of an open question and applies it; agent and turn are
// those of who ended it. The caller holds the mutex.
func (d *Desk) close(q *question, c event.QuestionClosed, agent string, turn int) error {
	c.ID = q.opened.ID
	rec, err := d.log.Append(agent, turn, c)
	if _, err = appended[event.QuestionClosed](rec, err); err != nil {
		return err
	}
	d.apply(rec)
	return nil
}

// apply is how records change the desk, live and on resume. The caller holds
// the mutex.
func (d *Desk) apply(rec event.Record) {
	switch data := rec.Data.(type) {
	case event.QuestionOpened:
		d.applyOpened(rec, data)
	case event.QuestionClosed:
		d.applyClosed(data)
	default: // about no question
	}
}

func (d *Desk) applyOpened(rec event.Record, opened event.QuestionOpened) {
	if _, ok := d.questions[opened.ID]; ok {
		return
	}
	q := &question{opened: opened, turn: rec.Turn}
	d.questions[opened.ID] = q
	d.open = append(d.open, q)
	w := &wait{from: opened.From, on: []string{opened.To}, question: opened.ID, since: rec.Time}
	if circle := d.graph.circle(w); circle != nil {
		q.refusal = refusal(circle)
		return
	}
	q.wait = w
	d.graph.add(w)
	if opened.To == d.graph.leader {
		d.interrupt(opened.ID)
	}
	d.settle()
}

func (d *Desk) applyClosed(closed event.QuestionClosed) {
	q, ok := d.questions[closed.ID]
	if !ok || !q.isOpen() {
		return
	}
	q.closed = closed
	d.open = slices.DeleteFunc(d.open, func(o *question) bool { return o == q })
	d.release(q)
}

// release takes q's edge away and lets its waiter go.
func (d *Desk) release(q *question) {
	if q.wait != nil {
		d.graph.remove(q.wait)
		q.wait = nil
	}
	if q.done != nil {
		close(q.done)
		q.done = nil
	}
}

// interrupt ends the leader's waits that are no questions, because somebody
// asked the leader.
func (d *Desk) interrupt(question string) {
	for _, w := range slices.Clone(d.graph.waits[d.graph.leader]) {
		if w.yield != nil {
			d.endEarly(early{w, question})
		}
	}
}

// settle ends those waits of the leader that could not end otherwise.
func (d *Desk) settle() {
	for _, e := range d.graph.earlyWaits() {
		d.endEarly(e)
	}
}

func (d *Desk) endEarly(e early) {
	d.graph.remove(e.w)
	if e.w.yield != nil {
		e.w.yield <- e.question
		return
	}
	q := d.questions[e.w.question]
	q.yielded = e.question
	d.release(q)
}

// Apply changes the desk as a record of the log says, without recording
// anything and without calls to Late. Records about other things, or known
// ones, change nothing.
func (d *Desk) Apply(rec event.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch data := rec.Data.(type) {
	case event.QuestionOpened:
		d.reopen(rec, data)
	case event.QuestionClosed:
		d.apply(rec)
		if q, ok := d.questions[data.ID]; ok && q.yielded != "" {
			d.untold = append(d.untold, q)
		}
	case event.MessageSent: // perhaps the note that Late sent
		d.untold = slices.DeleteFunc(d.untold, func(q *question) bool {
			return data.Kind == event.Note && data.To == q.opened.From && strings.Contains(data.Content, q.opened.ID)
		})
	case event.ToolFinished:
		delete(d.broken, callKey{rec.Agent, data.CallID})
	default: // about no question
	}
}

// reopen takes in a question of the log. The caller holds the mutex.
func (d *Desk) reopen(rec event.Record, opened event.QuestionOpened) {
	if _, known := d.questions[opened.ID]; known {
		return
	}
	d.apply(rec)
	if !opened.Deadline.IsZero() {
		d.questions[opened.ID].whole = opened.Deadline.Sub(rec.Time)
	}
	if opened.CallID != "" {
		if d.broken == nil {
			d.broken = map[callKey]string{}
		}
		d.broken[callKey{opened.From, opened.CallID}] = opened.ID
	}
}

// Resume calls Late for the questions whose end the program had no time to
// tell. Call it once, after the log was applied.
func (d *Desk) Resume() {
	d.mu.Lock()
	untold := d.untold
	d.untold = nil
	d.mu.Unlock()
	for _, q := range untold {
		d.report(q)
	}
}

// Asked returns the id of the question that a call asked before the program
// ended and left the call without a result; empty if it asked none.
func (d *Desk) Asked(agent, call string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.broken[callKey{agent, call}]
}

// Ending is how a wait for a question ended.
type Ending struct {
	// QuestionClosed is how the question ended; only its ID is set when the
	// wait ended early.
	event.QuestionClosed
	// Yielded, when not empty, says that the leader's wait ended early: this
	// is the question to answer first. The own question stays open, and its
	// answer goes to [DeskOptions.Late].
	Yielded string
}

// Wait blocks until the question is closed or the leader's wait for it has to
// end early. When the question's timeout passes, or ctx ends, Wait closes the
// question itself, as timeout or cancelled, and returns that without an error;
// but when the cause of the end of ctx is [ErrInterrupted], the question stays
// open. An answer that came before is returned at once, and again at each call.
// The error is [ErrUnknownQuestion], [ErrInterrupted] or the log's.
func (d *Desk) Wait(ctx context.Context, id string) (Ending, error) {
	d.mu.Lock()
	q, ok := d.questions[id]
	if !ok {
		d.mu.Unlock()
		return Ending{}, fmt.Errorf("%w: %s", ErrUnknownQuestion, id)
	}
	if err := d.refuse(q); err != nil {
		d.mu.Unlock()
		return Ending{}, err
	}
	if e, over := q.ending(); over {
		d.mu.Unlock()
		return e, nil
	}
	if q.done == nil {
		q.done = make(chan struct{})
	}
	done, left := q.done, q.left(d.now())
	d.mu.Unlock()

	var timeout <-chan time.Time
	if !q.opened.Deadline.IsZero() {
		timer := time.NewTimer(left)
		defer timer.Stop()
		timeout = timer.C
	}
	c := event.QuestionClosed{Outcome: event.Cancelled}
	select {
	case <-done:
	case <-timeout:
		c.Outcome = event.TimedOut
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if errors.Is(cause, ErrInterrupted) {
			return d.leave(q, cause)
		}
		c.Detail = cause.Error()
	}
	return d.giveUp(q, c)
}

// leave ends a wait for q with err unless something else ended it before; q
// stays as it is.
func (d *Desk) leave(q *question, err error) (Ending, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, over := q.ending(); over {
		return e, nil
	}
	return Ending{}, err
}

// giveUp ends a wait: it closes q with c unless something else ended the wait
// before.
func (d *Desk) giveUp(q *question, c event.QuestionClosed) (Ending, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, over := q.ending(); over {
		return e, nil
	}
	if err := d.close(q, c, q.opened.From, q.turn); err != nil {
		return Ending{}, err
	}
	e, _ := q.ending()
	return e, nil
}

// ending returns how a wait for q ends, if it is over. A wait that ended early
// stays so, because the answer travels by another way.
func (q *question) ending() (e Ending, over bool) {
	if q.yielded != "" {
		return Ending{QuestionClosed: event.QuestionClosed{ID: q.opened.ID}, Yielded: q.yielded}, true
	}
	return Ending{QuestionClosed: q.closed}, !q.isOpen()
}

// left is the time until q times out.
func (q *question) left(now time.Time) time.Duration {
	if q.whole > 0 {
		return q.whole
	}
	return q.opened.Deadline.Sub(now)
}

// OpenTo lists the open questions to agent, oldest first.
func (d *Desk) OpenTo(agent string) []event.QuestionOpened {
	return d.openOnes(func(q event.QuestionOpened) bool { return q.To == agent })
}

// OpenFrom lists the open questions that agent asked, oldest first; those
// whose wait ended early are among them.
func (d *Desk) OpenFrom(agent string) []event.QuestionOpened {
	return d.openOnes(func(q event.QuestionOpened) bool { return q.From == agent })
}

func (d *Desk) openOnes(of func(event.QuestionOpened) bool) []event.QuestionOpened {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []event.QuestionOpened
	for _, q := range d.open {
		if of(q.opened) {
			list = append(list, q.opened)
		}
	}
	return list
}

// Lookup returns a question and its outcome, which is empty while it is open;
// ok is false when there is none with this id.
func (d *Desk) Lookup(id string) (q event.QuestionOpened, o event.Outcome, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.questions[id]
	if !ok {
		return event.QuestionOpened{}, "", false
	}
	return found.opened, found.closed.Outcome, true
}
