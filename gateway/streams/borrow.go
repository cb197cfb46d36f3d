package streams

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/event"
)

// borrowed is what is open of one turn of a lent agent. Its lock is held while
// it is opened.
type borrowed struct {
	mu      sync.Mutex // guards all below
	attempt int        // the last that was tried
	open    opened
	have    int               // messages that the other side has
	sum     [sha256.Size]byte // of those
}

// opened is a lent agent at a worker; the zero value is none.
type opened struct {
	message, worker, token string
	known                  bool // it had been opened before, maybe by a program that ended
}

// Lend tells what an agent of a role is made of, if the workers of the agent
// type are those of Troupe; nil if one of them is not.
func (r *Remote) Lend(ctx context.Context, who event.RemoteAgent) (*event.Loan, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Gone, errSilent)
	defer cancel()
	ours, err := r.waitForTroupe(ctx)
	if err != nil || !ours {
		return nil, r.explained(err)
	}
	id, err := r.client.store.hex(8)
	if err != nil {
		return nil, err
	}
	who.Agent = who.Role + "-loan"
	s := event.RemoteStep{RemoteAgent: who, Task: sessionOf(who) + "-" + id}
	session := sessionOf(who)
	after, err := r.client.Cursor(ctx, session)
	if err == nil {
		_, err = r.open(ctx, s, s.Task, "")
	}
	if err != nil {
		return nil, r.explained(err)
	}
	loan, err := r.hearLoan(ctx, session, s.Task, after)
	return loan, r.explained(err)
}

var errSilent = errors.New("nobody answered in time")

// hearLoan waits for what an agent is made of.
func (r *Remote) hearLoan(ctx context.Context, session, message, after string) (loan *event.Loan, err error) {
	ended := func() (bool, error) {
		rec, err := r.client.Record(ctx, session, message)
		return err == nil && rec.Status.Terminal(), err
	}
	r.client.tail(ctx, session, after, false, ended, func(e Entry, failed error) bool {
		if failed != nil {
			err = skipUnreadable(failed)
			return err == nil
		}
		w, ok := wordIn(e.Event.Metadata)
		if d, is := w.Record.Data.(event.AgentCreated); ok && is && e.Event.MessageID == message {
			loan = d.Lent
		}
		return loan == nil
	})
	if loan != nil || err != nil {
		return loan, err
	}
	rec, err := r.client.Record(ctx, session, message)
	if err == nil {
		err = r.refused(rec)
	}
	return nil, err
}

// explained is explain, of no error too.
func (r *Remote) explained(err error) error {
	if err == nil {
		return nil
	}
	return r.explain(err)
}

// waitForTroupe waits until a worker of the type is online, and tells whether
// all are those of Troupe.
func (r *Remote) waitForTroupe(ctx context.Context) (ours bool, err error) {
	for {
		var some bool
		err := persist(ctx, func() (err error) {
			some, ours, err = r.client.store.lends(ctx, r.agentType)
			return err
		})
		if err != nil || some {
			return ours, err
		}
		if err := wait(ctx, 4*firstPause); err != nil {
			return false, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
}

// lends reports whether a worker of the type is online, and whether all that are
// lend agents.
func (s *store) lends(ctx context.Context, agentType string) (some, all bool, err error) {
	members, err := s.rdb.SMembers(ctx, s.schema.Members(agentType)).Result()
	if err != nil {
		return false, false, err
	}
	all = true
	for _, worker := range members {
		value, err := s.rdb.Get(ctx, s.schema.Lease(worker)).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return false, false, err
		}
		if err != nil || !online(value) {
			continue
		}
		l, err := DecodeLease([]byte(value))
		some, all = true, all && err == nil && l.Troupe > 0
	}
	return some, some && all, nil
}

// open sends the command that opens an agent; known is true for one that had
// been sent before.
func (r *Remote) open(ctx context.Context, s event.RemoteStep, message, agent string) (known bool, err error) {
	extra := lentAgent{Run: s.Run, Agent: agent, Role: s.Role, TaskID: s.Task}
	err = persist(ctx, func() error {
		sent, err := r.client.Send(ctx, Request{
			AgentType: r.agentType, SessionID: sessionOf(s.RemoteAgent), MessageID: message, TraceID: s.TraceID,
			Content: TextContent("agent " + s.Agent + " of run " + s.Run), UserCode: s.Metadata[event.NoteUser], Metadata: metadataOf(s.Metadata),
			Extra: Values{troupeName: json.RawMessage(jsonText(extra))},
		})
		known = known || sent.Known
		return err
	})
	return known, err
}

// borrow returns the agent of a turn opened at a living worker. What a program
// that ended had opened is gone on with.
func (r *Remote) borrow(ctx context.Context, s event.RemoteStep) (*borrowed, opened, error) {
	r.mu.Lock()
	b := r.loans[s.Task]
	if b == nil {
		b = &borrowed{}
		r.loans[s.Task] = b
	}
	r.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if b.open.message != "" {
			lives, err := r.lives(ctx, s, b.open, b.have > 0)
			if err != nil || lives {
				return b, b.open, err
			}
		}
		if err := r.someTroupe(ctx); err != nil {
			return nil, opened{}, err
		}
		b.attempt++
		b.open, b.have = opened{message: lentMessage(s, b.attempt)}, 0
		var err error
		b.open.known, err = r.open(ctx, s, b.open.message, s.Agent)
		if err != nil && !errors.Is(err, ErrUnavailable) {
			return nil, opened{}, err
		}
		if b.open, err = r.taken(ctx, s, b.open); err != nil {
			return nil, opened{}, err
		}
	}
}

// someTroupe waits for a worker that lends, but not for ever.
func (r *Remote) someTroupe(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Gone, errSilent)
	defer cancel()
	ours, err := r.waitForTroupe(ctx)
	if err == nil && !ours {
		err = errMixed
	}
	return err
}

var errMixed = errors.New("beside workers of Troupe there are those of another program, which lend no agents")

// taken waits until a worker has the agent, or the attempt has ended. Workers
// that are busy are waited for.
func (r *Remote) taken(ctx context.Context, s event.RemoteStep, o opened) (opened, error) {
	for looked := (time.Time{}); ; {
		var rec Record
		err := persist(ctx, func() (err error) {
			rec, err = r.client.Record(ctx, sessionOf(s.RemoteAgent), o.message)
			return err
		})
		switch {
		case err != nil:
			return o, err
		case rec.Status == Failed && rec.RouteStatus != "REJECT" && !o.known && rec.ErrorMessage != errWorkerGone.Error():
			return o, r.refused(rec)
		case rec.Status == Completed && !o.known:
			return o, r.unasked(rec)
		case rec.Status.Terminal() || rec.WorkerID != "":
			o.worker = rec.WorkerID
			o.token, err = r.client.store.leaseToken(ctx, r.client.store.rdb, rec.WorkerID)
			return o, err
		}
		if now := r.client.store.now(); now.Sub(looked) > time.Second {
			looked = now
			if err := r.someTroupe(ctx); err != nil {
				return o, err
			}
		}
		if err := wait(ctx, firstPause/2); err != nil {
			return o, err
		}
	}
}

// unasked is the error of an agent that the other side ended, although nobody said
// that the turn is over.
func (r *Remote) unasked(rec Record) error {
	rec.ErrorMessage = "it ends an agent before it is asked for anything"
	return r.refused(rec)
}

// refused is the error of a task that failed because no agent is lent.
func (r *Remote) refused(rec Record) error {
	return &RemoteError{Fault: event.Failure{
		Code: "not_lent", Who: "client", Message: fmt.Sprintf("agent type %s lends no agent: %s", r.agentType, rec.ErrorMessage),
	}}
}

// lives reports whether what is open can still be asked. asked tells whether it was
// before.
func (r *Remote) lives(ctx context.Context, s event.RemoteStep, o opened, asked bool) (lives bool, err error) {
	err = persist(ctx, func() error {
		rec, err := r.client.Record(ctx, sessionOf(s.RemoteAgent), o.message)
		if errors.Is(err, ErrNoRecord) { // the server has lost what it had
			lives = false
			return nil
		}
		if err == nil && rec.Status == Completed && !asked && !o.known {
			return r.unasked(rec)
		}
		if err != nil || rec.Status.Terminal() || rec.Status == Cancelling || o.token == "" {
			lives = false
			return err
		}
		token, err := r.client.store.leaseToken(ctx, r.client.store.rdb, o.worker)
		lives = token == o.token && rec.WorkerID == o.worker
		return err
	})
	return lives, err
}

// Return gives an agent back whose turn has ended.
func (r *Remote) Return(ctx context.Context, s event.RemoteStep) error {
	o, err := r.giveBack(ctx, s)
	if err != nil || o.worker == "" {
		return err
	}
	return r.tellLent(ctx, s, o, r.client.store.word(s.Task, event.TurnEnded{Reason: event.EndNatural}))
}

// giveBack forgets what is open of a turn, and returns it, also when it was
// opened by a program that ended.
func (r *Remote) giveBack(ctx context.Context, s event.RemoteStep) (opened, error) {
	r.mu.Lock()
	b := r.loans[s.Task]
	delete(r.loans, s.Task)
	r.mu.Unlock()
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.open, nil
	}
	var found opened
	for n := 1; ; n++ {
		o := opened{message: lentMessage(s, n)}
		var rec Record
		err := persist(ctx, func() (err error) {
			rec, err = r.client.Record(ctx, sessionOf(s.RemoteAgent), o.message)
			return err
		})
		if errors.Is(err, ErrNoRecord) {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		if o.worker = rec.WorkerID; !rec.Status.Terminal() {
			found = o
		}
	}
}

// lentMessage names the attempt to open the agent of a turn.
func lentMessage(s event.RemoteStep, attempt int) string {
	return fmt.Sprintf("%s-lent-%d", s.Task, attempt)
}

// tellLent writes a word to the worker that has the agent.
func (r *Remote) tellLent(ctx context.Context, s event.RemoteStep, o opened, w lentWord) error {
	extra, err := w.values()
	if err != nil {
		return err
	}
	return persist(ctx, func() error {
		_, err := r.client.store.post(ctx, r.client.store.schema.WorkerStream(o.worker), Command{
			Header: Header{MessageID: o.message, SessionID: sessionOf(s.RemoteAgent), TraceID: s.TraceID, TargetAgentType: r.agentType},
			Body:   &Resume{Content: TextContent(string(w.Record.Type())), ExtraPayload: extra},
		})
		return err
	})
}

// stopBound is how long it may take to tell a worker to stop.
const stopBound = 5 * time.Second
