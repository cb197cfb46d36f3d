package streams

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/redis/go-redis/v9"
)

// ClientOptions says how a client speaks. The zero value is fine.
type ClientOptions struct {
	Schema Schema           // "" for V1
	Group  string           // of the workers it asks about; "" for DefaultGroup
	Now    func() time.Time // nil for the clock
	Random io.Reader        // nil for random ids
}

// Client gives tasks to workers and follows them. Goroutines may share it.
type Client struct {
	store *store
	group string
}

// NewClient makes a client that speaks through rdb, which the caller closes.
func NewClient(rdb redis.UniversalClient, opts ClientOptions) (*Client, error) {
	s, err := newStore(rdb, opts.Schema, opts.Now, opts.Random)
	if err != nil {
		return nil, err
	}
	return &Client{store: s, group: cmp.Or(opts.Group, DefaultGroup)}, nil
}

// Send gives a task to an agent type. ErrUnavailable, ErrCircuitOpen and
// ErrQuota are refusals: a record that has failed says so, and nothing is on a
// stream. A request whose message id is known is not sent again, unless no
// worker has had it.
func (c *Client) Send(ctx context.Context, r Request) (Sent, error) {
	return c.store.send(ctx, r, clientOrigin)
}

// Record is what is known of the task of a message; ErrNoRecord when there is
// none.
func (c *Client) Record(ctx context.Context, session, message string) (Record, error) {
	return c.store.record(ctx, session, message)
}

// Records are all tasks of a session, oldest first.
func (c *Client) Records(ctx context.Context, session string) ([]Record, error) {
	return c.store.records(ctx, session)
}

// Answer goes on with a task that waits for the user.
type Answer struct {
	SessionID string
	MessageID string // of the task, which the question carries
	Content   Content
	Status    string
	ReplyData json.RawMessage
	Metadata  Values
	Extra     Values
	Policy    Policy
}

// Resume answers a task that waits, and returns the id of the entry. The error
// is ErrNoRecord for a task that nobody knows, ErrState for one that works, has
// ended or is being cancelled, ErrUnavailable when no worker of its type is online.
func (c *Client) Resume(ctx context.Context, a Answer) (entryID string, err error) {
	r, err := c.store.record(ctx, a.SessionID, a.MessageID)
	if err != nil {
		return "", err
	}
	if r.Status == Cancelling || !r.mayBeAnswered() {
		return "", fmt.Errorf("%w: %s is %s and waits for no answer", ErrState, a.MessageID, r.Status)
	}
	if a.Policy != SendAnyway {
		on, err := c.store.anyOnline(ctx, r.TargetAgentType)
		if err != nil {
			return "", err
		}
		if !on {
			return "", c.store.unavailable(ctx, r.TargetAgentType)
		}
	}
	request := r.request()
	return c.store.post(ctx, c.store.schema.TypeStream(r.TargetAgentType), Command{
		Header: Header{
			MessageID: r.MessageID, SessionID: r.SessionID, TraceID: r.TraceID, TargetAgentType: r.TargetAgentType,
			UserCode: request.UserCode, UserName: request.UserName, Metadata: a.Metadata,
		},
		Body: &Resume{Content: a.Content, Status: a.Status, ReplyData: a.ReplyData, ExtraPayload: a.Extra},
	})
}

// Cancellation is what became of a cancel.
type Cancellation struct {
	// Asked are the tasks that were asked to end: none when all had ended.
	Asked []Record
}

// Cancel asks a task and all below it to end. The error is ErrNoRecord for a
// task that nobody knows.
func (c *Client) Cancel(ctx context.Context, session, message, reason string) (Cancellation, error) {
	if _, err := c.store.record(ctx, session, message); err != nil {
		return Cancellation{}, err
	}
	all, err := c.store.records(ctx, session)
	if err != nil {
		return Cancellation{}, err
	}
	return c.cancel(ctx, tree(all, message), reason)
}

// CancelSession asks all tasks of a session to end.
func (c *Client) CancelSession(ctx context.Context, session, reason string) (Cancellation, error) {
	all, err := c.store.records(ctx, session)
	if err != nil {
		return Cancellation{}, err
	}
	return c.cancel(ctx, all, reason)
}

func (c *Client) cancel(ctx context.Context, tasks []Record, reason string) (Cancellation, error) {
	asked, err := c.store.cancelAll(ctx, tasks, cancelling{reason: reason, by: clientOrigin.source})
	faults := []error{err}
	for _, r := range asked {
		faults = append(faults, c.endOrphan(ctx, r))
	}
	return Cancellation{Asked: asked}, errors.Join(faults...)
}

// endOrphan ends a cancelled task that waited and whose worker is gone: no
// worker would ever do it.
func (c *Client) endOrphan(ctx context.Context, r Record) error {
	if r.WorkerID == "" || !rests(r) {
		return nil
	}
	token, err := c.store.leaseToken(ctx, c.store.rdb, r.WorkerID)
	if err != nil || token != "" {
		return err
	}
	_, err = c.store.update(ctx, r.SessionID, r.MessageID, existing(func(r *Record) ([]Event, error) {
		if r.Status != Cancelling || !rests(*r) {
			return nil, errKeep
		}
		at, err := c.store.stamp()
		if err != nil {
			return nil, err
		}
		if err := r.move(Cancelled, at.At); err != nil {
			return nil, err
		}
		if voice := r.voice(); !voice.Sub {
			return []Event{voice.End(at)}, nil
		}
		return nil, nil
	}))
	return err
}

// rests reports whether a task that is being cancelled waited before.
func rests(r Record) bool {
	if r.Troupe != nil && r.Troupe.Work != nil {
		return false
	}
	before := Record{StartedAt: r.StartedAt}
	for _, s := range r.Timeline {
		if s.Status != Cancelling {
			before.Status = s.Status
			before.Timeline = append(before.Timeline, s)
		}
	}
	return before.State() == StateSuspended
}
