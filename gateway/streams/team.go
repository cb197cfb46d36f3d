package streams

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
)

// TeamOptions say how a worker's teams work. Sessions is needed.
type TeamOptions struct {
	// Sessions run the teams.
	Sessions gateway.Sessions
	// Close ends Sessions, so that all teams are suspended. It is called when the
	// worker hands its tasks back or has lost its lease, and may be called more
	// than once. Nil does nothing, and then a task is handed back when its team
	// is at rest.
	Close func()
	// Mask hides secrets in records before something of them is published; nil
	// hides nothing.
	Mask func(iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error]
	// Lang is the language of what the user is asked about tool calls: Chinese
	// for "zh", English otherwise.
	Lang string
}

// Teams is the [Handler] of whole teams: a task is a turn of a team in the
// session of its user, its agent type and its session id. Turns of one session
// come one after the other; tasks of a group have a session each.
type Teams struct {
	opts  TeamOptions
	words teamWords

	mu    sync.Mutex       // guards turns
	turns map[string]*turn // by session
}

// turn is a session in which a task works, or others wait to.
type turn struct {
	users int
	door  chan struct{} // one slot: the task that works
}

// NewTeams makes the handler.
func NewTeams(o TeamOptions) (*Teams, error) {
	if o.Sessions == nil {
		return nil, errors.New("streams: teams need sessions")
	}
	if o.Close == nil {
		o.Close = func() {}
	}
	if o.Mask == nil {
		o.Mask = func(all iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] { return all }
	}
	return &Teams{opts: o, words: teamWordsOf(o.Lang), turns: map[string]*turn{}}, nil
}

// teamError is why the turn of a team failed.
type teamError struct{ fail event.Failure }

func (e *teamError) Error() string { return e.fail.String() }

// Failure is what there is to tell.
func (e *teamError) Failure() event.Failure { return e.fail }

// defaultUser is the user of a task that names none, as in the Python SDK.
const defaultUser = "default"

// open finds the session of a task.
func (h *Teams) open(ctx context.Context, t Task) (session string, err error) {
	names := []string{t.Request.TargetAgentType, t.Request.SessionID}
	if t.Request.TaskGroupID != "" {
		names = append(names, t.MessageID)
	}
	for i := range names {
		names[i] = inName.Replace(names[i])
	}
	session, _, err = h.opts.Sessions.Open(ctx, cmp.Or(t.Request.UserCode, defaultUser), strings.Join(names, "/"))
	return session, err
}

// inName keeps the names apart of which that of a session is made.
var inName = strings.NewReplacer("%", "%25", "/", "%2F")

// Start begins a turn, or with t.Again goes on with it.
func (h *Teams) Start(ctx context.Context, t Task, out *Sink) (Outcome, error) {
	return h.inTurn(ctx, t, func(session string) (Outcome, error) {
		a, err := h.begin(ctx, t, out, session)
		if err != nil {
			return Outcome{}, err
		}
		return h.follow(ctx, t, out, session, a)
	})
}

// Resume takes what the user says to the question that the team waits with.
func (h *Teams) Resume(ctx context.Context, t Task, out *Sink) (Outcome, error) {
	return h.inTurn(ctx, t, func(session string) (Outcome, error) {
		a, err := h.account(ctx, t, session)
		if err != nil {
			return Outcome{}, err
		}
		switch wait := a.waits(); {
		case a.owner != t.MessageID:
			return Outcome{}, &teamError{event.Failure{
				Code: gateway.CodeRest, Who: gateway.WhoClient, Message: "the team does not wait for an answer to this task any more",
			}}
		case wait == nil && !a.over(): // it was answered, and the worker went away
			if err := h.submit(ctx, t, session, a); err != nil {
				return Outcome{}, err
			}
		case wait != nil:
			read, err := h.answer(ctx, t, session, *wait)
			if err != nil || !read {
				return Outcome{Wait: WaitingUser, Question: h.words.again(*wait)}, err
			}
			a.own = nil
		}
		return h.follow(ctx, t, out, session, a)
	})
}

// Cancel ends the turn of a team that waits: its question is closed, and what
// its agents were at.
func (h *Teams) Cancel(ctx context.Context, t Task) error {
	session, err := h.open(ctx, t)
	if err != nil {
		return err
	}
	a, err := h.account(ctx, t, session)
	if err != nil {
		return err
	}
	if wait := a.waits(); wait != nil {
		return h.withdraw(ctx, session, a, *wait)
	}
	return nil
}

// inTurn does something in a session when no other task of this process is at
// work in it.
func (h *Teams) inTurn(ctx context.Context, t Task, do func(session string) (Outcome, error)) (Outcome, error) {
	session, err := h.open(ctx, t)
	if err != nil {
		return Outcome{}, err
	}
	turn := h.enter(session)
	defer h.leave(session, turn)
	select {
	case turn.door <- struct{}{}:
	case <-ctx.Done():
		return Outcome{}, context.Cause(ctx)
	}
	defer func() { <-turn.door }()
	return do(session)
}

func (h *Teams) enter(session string) *turn {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.turns[session]
	if t == nil {
		t = &turn{door: make(chan struct{}, 1)} // one task at a time
		h.turns[session] = t
	}
	t.users++
	return t
}

func (h *Teams) leave(session string, t *turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(h.turns, session)
	}
}

// lookAgain is how long a task waits for a session that another process has.
const lookAgain = 500 * time.Millisecond

// begin gives the team the task, when the turn before has ended.
func (h *Teams) begin(ctx context.Context, t Task, out *Sink, session string) (*account, error) {
	for {
		a, err := h.account(ctx, t, session)
		if err != nil || a.over() {
			return a, err
		}
		ready, err := h.ready(ctx, t, out, session, a)
		if err == nil && ready {
			err = h.submit(ctx, t, session, a)
		}
		switch {
		case err == nil && ready:
			return a, nil
		case err != nil && !busy(err):
			return nil, err
		}
		if err := wait(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// submit gives the team the task, once; a turn that was cut short goes on.
func (h *Teams) submit(ctx context.Context, t Task, session string, a *account) error {
	err := h.opts.Sessions.Submit(ctx, session, t.MessageID, h.words.prompt(t), nil)
	if err != nil || !a.begun || a.end == nil {
		return err
	}
	now, err := h.account(ctx, t, session)
	if err == nil && now.last == a.last {
		err = stopped("")
	}
	a.own = nil // what is to come ends it
	return err
}

// busy reports whether another process has the session for now.
func busy(err error) bool {
	f, ok := errors.AsType[failing](err)
	return ok && (f.Failure().Code == gateway.CodeBusy || f.Failure().Code == gateway.CodeFull)
}

// failing is an error that tells more than words.
type failing interface {
	error
	Failure() event.Failure
}

// ready reports whether a task may begin: the turn before it has ended. One
// whose task is no more does not end by itself.
func (h *Teams) ready(ctx context.Context, t Task, out *Sink, session string, a *account) (bool, error) {
	if a.begun {
		return true, nil
	}
	if t.Again {
		if err := h.reachable(ctx, out); err != nil {
			return false, err
		}
	}
	wait := a.waits()
	if a.owner == "" || a.end != nil && wait == nil {
		return true, nil
	}
	alive, err := out.open(ctx, a.owner)
	switch {
	case err != nil:
		return false, err
	case alive && wait != nil:
		return false, &teamError{event.Failure{
			Code: gateway.CodeRefused, Who: gateway.WhoClient, Message: "the session waits for the user: " + wait.line(),
			Hint: "answer or cancel task " + a.owner + " first",
		}}
	case wait != nil:
		return true, h.withdraw(ctx, session, a, *wait)
	}
	return !alive, nil
}

// reachable fails when a run of the task, of which nothing is in the logs here,
// said something: then its log is elsewhere, and to begin anew would do
// everything twice.
func (h *Teams) reachable(ctx context.Context, out *Sink) error {
	m, found, err := out.LastMark(ctx, "")
	if err == nil && found {
		err = &teamError{event.Failure{
			Code: gateway.CodeUnknown, Who: gateway.WhoServer, Message: "the log of run " + m.Run + ", with which the task began, is not here",
			Hint: "give all workers of the agent type the same --run-dir",
		}}
	}
	return err
}
