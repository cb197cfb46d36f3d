package streams_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

// fake is a handler made of functions.
type fake struct {
	start  func(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error)
	resume func(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error)
	cancel func(ctx context.Context, t streams.Task) error
}

func (f fake) Start(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
	return f.start(ctx, t, out)
}

func (f fake) Resume(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
	if f.resume == nil {
		return streams.Outcome{}, errors.New("nobody waits here")
	}
	return f.resume(ctx, t, out)
}

func (f fake) Cancel(ctx context.Context, t streams.Task) error {
	if f.cancel == nil {
		return nil
	}
	return f.cancel(ctx, t)
}

// echo says what it was told.
var echo = fake{start: func(ctx context.Context, t streams.Task, out *streams.Sink) (streams.Outcome, error) {
	answer := "echo: " + t.Content.Text()
	return streams.Outcome{Answer: answer}, out.Text(ctx, answer)
}}

// blocked runs until its context ends.
func blocked(began chan<- streams.Task) fake {
	return fake{start: func(ctx context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
		began <- t
		<-ctx.Done()
		return streams.Outcome{}, context.Cause(ctx)
	}}
}

// rig is a Redis with a client.
type rig struct {
	t      testing.TB
	rdb    redis.UniversalClient
	client *streams.Client
	schema streams.Schema
}

func newRig(t testing.TB, rdb redis.UniversalClient, schema streams.Schema) *rig {
	t.Helper()
	c, err := streams.NewClient(rdb, streams.ClientOptions{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, rdb: rdb, client: c, schema: schema}
}

// again is one more connection to the rig's only server.
func (r *rig) again() *redis.Client {
	r.t.Helper()
	c, ok := r.rdb.(*redis.Client)
	if !ok {
		r.t.Fatalf("%T is no connection to one server", r.rdb)
	}
	return dial(r.t, c.Options().Addr)
}

// everywhere runs a test at the same time on miniredis with one schema, and on
// a real server, where there is one, with the other.
func everywhere(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Parallel()
	t.Run("mini", func(t *testing.T) {
		t.Parallel()
		_, rdb := mini(t)
		test(t, newRig(t, rdb, streams.V1))
	})
	t.Run("real", func(t *testing.T) {
		t.Parallel()
		test(t, newRig(t, dial(t, realRedis(t).addr()), streams.V2))
	})
}

// quick are the times of workers in tests. A lease outlasts what a busy machine
// does to a sign of life.
func quick(o *streams.WorkerOptions) {
	o.Lease, o.Beat, o.Claim = 15*time.Second, 200*time.Millisecond, 600*time.Millisecond
}

// brief are the times of workers whose death others are to notice soon.
func brief(o *streams.WorkerOptions) {
	quick(o)
	o.Lease = 4 * time.Second
}

// started is a worker that runs.
type started struct {
	t      testing.TB
	cancel context.CancelFunc
	ended  chan error
}

// worker starts a worker and waits until it is online.
func (r *rig) worker(id, agentType string, h streams.Handler, set ...func(*streams.WorkerOptions)) *started {
	r.t.Helper()
	s := r.workerOn(r.rdb, id, agentType, h, set...)
	r.untilOnline(id)
	return s
}

// untilOnline waits until the lease of a worker says that it is online.
func (r *rig) untilOnline(id string) {
	r.t.Helper()
	eventually(r.t, "worker "+id, func() error {
		value := r.rdb.Get(context.Background(), r.schema.Lease(id)).Val()
		if value != "" && !strings.Contains(value, `"last_seen":0`) {
			return nil
		}
		return fmt.Errorf("its lease is %q", value)
	})
}

// workerOn starts a worker on a connection of its own.
func (r *rig) workerOn(rdb redis.UniversalClient, id, agentType string, h streams.Handler, set ...func(*streams.WorkerOptions)) *started {
	r.t.Helper()
	o := streams.WorkerOptions{ID: id, AgentTypes: []string{agentType}, Handler: h, Schema: r.schema}
	quick(&o)
	for _, f := range set {
		f(&o)
	}
	w, err := streams.NewWorker(rdb, o)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &started{t: r.t, cancel: cancel, ended: make(chan error, 1)}
	go func() { s.ended <- w.Run(ctx) }()
	r.t.Cleanup(func() { _ = s.stop() })
	return s
}

// stop ends the worker and returns what Run returned; again, nil.
func (s *started) stop() error {
	s.cancel()
	err := <-s.ended
	s.ended <- nil
	return err
}

// send gives a task and fails the test when it cannot.
func (r *rig) send(agentType, session, text string) streams.Sent {
	r.t.Helper()
	sent, err := r.client.Send(context.Background(), streams.Request{
		AgentType: agentType, SessionID: session, Content: streams.TextContent(text), UserCode: "u-1", UserName: "Ann",
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return sent
}

// status waits until a task has a status.
func (r *rig) status(session, message string, want streams.Status) streams.Record {
	r.t.Helper()
	var rec streams.Record
	eventually(r.t, fmt.Sprintf("%s to be %s", message, want), func() (err error) {
		rec, err = r.client.Record(context.Background(), session, message)
		if err == nil && rec.Status != want {
			return fmt.Errorf("it is %s (%s)", rec.Status, rec.ErrorMessage)
		}
		return err
	})
	return rec
}

// said lists what a session's stream holds, one event a line: type, agent type
// and text.
func (r *rig) said(session string) string {
	r.t.Helper()
	entries, err := r.rdb.XRange(context.Background(), r.schema.DataStream(session), "-", "+").Result()
	if err != nil {
		r.t.Fatal(err)
	}
	var lines []string
	for _, m := range entries {
		text, _ := m.Values["data"].(string)
		e, err := streams.DecodeEvent([]byte(text))
		if err != nil {
			r.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s %q", e.Type, e.SourceAgentType, e.Text()))
	}
	return strings.Join(lines, "\n")
}

// expectSaid compares what a session's stream holds.
func (r *rig) expectSaid(session string, want ...string) {
	r.t.Helper()
	if got, want := r.said(session), strings.Join(want, "\n"); got != want {
		r.t.Errorf("the stream of %s holds\n%s\nwant\n%s", session, got, want)
	}
}

// nothingPending waits until all entries of an agent type are acknowledged.
func (r *rig) nothingPending(agentType string) {
	r.t.Helper()
	eventually(r.t, "all entries of "+agentType+" to be acknowledged", func() error {
		left, err := r.client.Pending(context.Background(), agentType)
		if err == nil && len(left) > 0 {
			return fmt.Errorf("%d are left, the first %+v", len(left), left[0])
		}
		return err
	})
}

// timeline is the way of a record.
func timeline(r streams.Record) string {
	var way []string
	for _, s := range r.Timeline {
		way = append(way, string(s.Status))
	}
	return strings.Join(way, " ")
}
