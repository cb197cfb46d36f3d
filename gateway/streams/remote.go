package streams

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/event"
)

// RemoteOptions tune a [Remote]. The zero value is fine.
type RemoteOptions struct {
	// Gone is how long a task may have no living worker until it counts as lost;
	// 0 means a minute.
	Gone time.Duration
	// Server names the Redis server in errors, without a password; optional.
	Server string
}

// Remote gives the tasks of a team's agents to the workers of one agent type, of
// any program that speaks the protocol. Each agent has a session of its own, so
// that workers which remember sessions remember the agent; we are client and
// root there. It satisfies the port of package leader.
type Remote struct {
	client    *Client
	agentType string
	opts      RemoteOptions

	mu     sync.Mutex           // guards all below
	places map[string]place     // of tasks that go on, by task
	loans  map[string]*borrowed // what is open of lent agents, by the task of the turn
}

// place is where a step of a task begins in the stream of its session.
type place struct {
	number int
	after  string
	asked  question // with which the step before ended
}

// question is one that a task, or one below it, put to the user.
type question struct{ message, entry, text string }

// NewRemote makes the remote of an agent type.
func NewRemote(c *Client, agentType string, opts RemoteOptions) *Remote {
	opts.Gone = cmp.Or(opts.Gone, time.Minute)
	return &Remote{client: c, agentType: agentType, opts: opts, places: map[string]place{}, loans: map[string]*borrowed{}}
}

// sessionOf is the session of an agent.
func sessionOf(a event.RemoteAgent) string { return a.Run + "-" + a.Agent }

// RemoteError says why an agent elsewhere brought no report.
type RemoteError struct {
	Fault event.Failure
	Err   error // the cause; may be nil
}

// Error is the message.
func (e *RemoteError) Error() string { return "streams: " + e.Fault.Message }

// Unwrap returns the cause.
func (e *RemoteError) Unwrap() error { return e.Err }

// Failure is what to tell of it.
func (e *RemoteError) Failure() event.Failure { return e.Fault }

// Step tells the agent something and yields what it says; see
// [event.RemoteStep]. Pieces of the answer are deltas, log and states are
// thinking. Text before a state, a file, a call of a tool or another answer is
// progress. The end is the report, the error text of the record the failure.
func (r *Remote) Step(ctx context.Context, s event.RemoteStep) iter.Seq2[event.Data, error] {
	return func(yield func(event.Data, error) bool) {
		l := &listener{remote: r, step: s, yield: yield, to: newHearing(s.Task)}
		if err := l.run(ctx); err != nil && ctx.Err() == nil {
			yield(nil, r.explain(err))
		}
	}
}

// Cancel asks the task and all that it called to end, or gives a lent agent back
// whose turn was stopped.
func (r *Remote) Cancel(ctx context.Context, s event.RemoteStep, reason string) error {
	r.forget(s.Task)
	o, err := r.giveBack(ctx, s)
	if err != nil {
		return err
	}
	if o.message != "" {
		s.Task = o.message
	}
	return persist(ctx, func() error {
		_, err := r.client.Cancel(ctx, sessionOf(s.RemoteAgent), s.Task, reason)
		if errors.Is(err, ErrNoRecord) {
			return nil
		}
		return err
	})
}

// send begins the task; one that is known is not sent again.
func (r *Remote) send(ctx context.Context, s event.RemoteStep) error {
	return persist(ctx, func() error {
		_, err := r.client.Send(ctx, Request{
			AgentType: r.agentType, SessionID: sessionOf(s.RemoteAgent), MessageID: s.Task, TraceID: s.TraceID,
			Content: TextContent(s.Text), UserCode: s.Metadata[event.NoteUser], Metadata: metadataOf(s.Metadata),
		})
		return err
	})
}

func metadataOf(m map[string]string) Values {
	v := Values{}
	for name, text := range m {
		v[name] = quote(text)
	}
	return v
}

// settleFor is how long a task that has asked may take to wait for the answer:
// the event comes before the state.
const settleFor = 10 * time.Second

// answer goes on with the task that asked, once: an answer that a program sent
// before it ended is found behind the question.
func (r *Remote) answer(ctx context.Context, s event.RemoteStep, q question, fresh bool) error {
	session := sessionOf(s.RemoteAgent)
	if !fresh {
		sent, err := r.answered(ctx, session, s.ID, q)
		if err != nil || sent {
			return err
		}
	}
	for until := r.client.store.now().Add(settleFor); ; {
		rec, err := r.client.Record(ctx, session, q.message)
		switch {
		case err != nil:
			return err
		case rec.Status.Terminal():
			return nil // it went on without an answer; its end is heard
		case rec.State() == StateSuspended || r.client.store.now().After(until):
			_, err := r.client.Resume(ctx, Answer{
				SessionID: session, MessageID: q.message, Content: TextContent(s.Text),
				Metadata: Values{stepName: quote(s.ID)}, Policy: SendAnyway,
			})
			return err
		}
		if err := wait(ctx, firstPause); err != nil {
			return err
		}
	}
}

// stepName is where an answer says which step it is of.
const stepName = "troupe_step"

// answered looks for the answer of a step behind the question.
func (r *Remote) answered(ctx context.Context, session, step string, q question) (bool, error) {
	rec, err := r.client.Record(ctx, session, q.message)
	if err != nil {
		return false, err
	}
	stream := r.client.store.schema.TypeStream(rec.TargetAgentType)
	for after := timeOf(q.entry); ; {
		page, err := r.client.store.rdb.XRangeN(ctx, stream, after, "+", pageEntries).Result()
		if err != nil {
			return false, err
		}
		for _, m := range page {
			after = "(" + m.ID
			if isAnswer(m, q.message, step) {
				return true, nil
			}
		}
		if len(page) < pageEntries {
			return false, nil
		}
	}
}

// timeOf is the place of an entry in any stream of the same server.
func timeOf(entry string) string {
	for i := range entry {
		if entry[i] == '-' {
			return entry[:i]
		}
	}
	return entry
}

func isAnswer(m redis.XMessage, message, step string) bool {
	text, err := entryText(m.Values)
	if err != nil {
		return false
	}
	cmd, err := DecodeCommand(text)
	if err != nil || cmd.Header.MessageID != message {
		return false
	}
	var named string
	return json.Unmarshal(cmd.Header.Metadata[stepName], &named) == nil && named == step
}

// place is where a step begins, if this program has heard the one before.
func (r *Remote) place(s event.RemoteStep) (place, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, ok := r.places[s.Task]
	return p, ok && p.number == s.Number
}

func (r *Remote) remember(task string, p place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.places[task] = p
}

func (r *Remote) forget(task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.places, task)
}

// explain makes an error tell who is meant, where, and what to do.
func (r *Remote) explain(err error) error {
	if _, ok := errors.AsType[*RemoteError](err); ok {
		return err
	}
	where := ""
	if r.opts.Server != "" {
		where = " on " + r.opts.Server
	}
	f := event.Failure{Code: "remote", Who: "server", Retryable: true, Message: fmt.Sprintf("agent type %s%s: %v", r.agentType, where, err)}
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, errGone), errors.Is(err, errSilent):
		f.Hint = "start a worker of it (troupe worker --agent-type " + r.agentType + "), and check that it has the same Redis server and key schema"
	case errors.Is(err, ErrCircuitOpen), errors.Is(err, ErrQuota):
		f.Who = "limit"
	}
	return &RemoteError{Fault: f, Err: err}
}
