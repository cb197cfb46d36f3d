package streams_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway/streams"
)

// order sends an administrator's command to a worker.
func (r *rig) order(worker string, body streams.Body) {
	r.t.Helper()
	r.command(worker, streams.Command{Header: streams.Header{MessageID: "admin-1", SessionID: "admin"}, Body: body})
}

// command puts a command on a worker's own stream.
func (r *rig) command(worker string, c streams.Command) {
	r.t.Helper()
	text, err := c.Encode()
	if err == nil {
		err = r.rdb.XAdd(context.Background(), streams.Again(r.schema.WorkerStream(worker), map[string]any{"data": string(text)})).Err()
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// member waits until worker w-1 is a member of a type, or is none.
func (r *rig) member(agentType string, want bool) {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("the membership of %s to be %t", agentType, want), func() error {
		got, err := r.rdb.SIsMember(context.Background(), r.schema.Members(agentType), "w-1").Result()
		if err == nil && got != want {
			return errors.New("it is not")
		}
		return err
	})
}

func TestSuspendAndRestore(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.worker("w-1", "echo", echo)
		admin := r.schema.Admin("w-1")
		r.rdb.HSet(t.Context(), admin, "lifecycle", "suspended")
		r.order("w-1", &streams.Suspend{Reason: "repair"})
		r.member("echo", false)
		if _, err := r.client.Send(t.Context(), streams.Request{AgentType: "echo", SessionID: "s", Content: streams.TextContent("x")}); !errors.Is(err, streams.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
		waits, err := r.client.Send(t.Context(), streams.Request{
			AgentType: "echo", SessionID: "s", Content: streams.TextContent("x"), Policy: streams.SendAnyway,
		})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(1500 * time.Millisecond) // longer than a read that had begun
		if rec, err := r.client.Record(t.Context(), "s", waits.MessageID); err != nil || rec.Status != streams.Queued {
			t.Errorf("a suspended worker took a task: %s, %v", rec.Status, err)
		}
		r.rdb.Del(t.Context(), admin)
		r.order("w-1", &streams.Restore{})
		r.member("echo", true)
		r.status("s", waits.MessageID, streams.Completed)
	})
}

func TestEvict(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		w := r.worker("w-1", "echo", echo)
		r.rdb.HSet(t.Context(), r.schema.Admin("w-1"), "lifecycle", "evicted")
		r.order("w-1", &streams.Evict{Reason: "old"})
		for _, what := range []*started{w, r.workerOn(r.rdb, "w-1", "echo", echo)} {
			err := <-what.ended
			what.ended <- nil
			if !errors.Is(err, streams.ErrEvicted) {
				t.Errorf("got %v, want ErrEvicted", err)
			}
		}
	})
}

func TestDenied(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.rdb.SAdd(t.Context(), r.schema.Denied("echo"), "w-1")
		r.worker("w-1", "echo", echo)
		r.member("echo", false)
		r.rdb.SRem(t.Context(), r.schema.Denied("echo"), "w-1")
		r.member("echo", true)
	})
}

// TestStaleTypes takes a worker out of the sets of types that it no longer has.
func TestStaleTypes(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		r.rdb.SAdd(t.Context(), r.schema.AgentTypes("w-1"), "old")
		r.rdb.SAdd(t.Context(), r.schema.Members("old"), "w-1")
		r.worker("w-1", "echo", echo)
		r.member("old", false)
	})
}

func TestWorkersThatAreNone(t *testing.T) {
	_, rdb := mini(t)
	for name, o := range map[string]streams.WorkerOptions{
		"no id":      {AgentTypes: []string{"a"}, Handler: echo},
		"no types":   {ID: "w", Handler: echo},
		"no handler": {ID: "w", AgentTypes: []string{"a"}},
		"negative":   {ID: "w", AgentTypes: []string{"a"}, Handler: echo, Concurrency: -1},
		"slow beat":  {ID: "w", AgentTypes: []string{"a"}, Handler: echo, Lease: 1, Beat: 1},
		"a schema":   {ID: "w", AgentTypes: []string{"a"}, Handler: echo, Schema: "v9"},
	} {
		if _, err := streams.NewWorker(rdb, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLastMark finds where a publisher was, among the entries of others.
func TestLastMark(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		type found struct {
			mark streams.Mark
			ok   bool
		}
		got := make(chan found, 2)
		r.worker("w-1", "echo", fake{start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
			at, err := out.Stamp()
			if err != nil {
				return streams.Outcome{}, err
			}
			m, ok, err := out.LastMark(ctx, "run-1")
			got <- found{m, ok}
			for seq := range int64(3) {
				err = errors.Join(err, out.Publish(ctx, out.Voice().Text(at, "x").Marked(streams.Mark{Run: "run-1", Seq: seq, Part: 2})))
			}
			err = errors.Join(err, out.Publish(ctx, out.Voice().Text(at, "x").Marked(streams.Mark{Run: "run-2", Seq: 9})))
			for range 150 {
				err = errors.Join(err, out.Text(ctx, "other"))
			}
			m, ok, fault := out.LastMark(ctx, "run-1")
			got <- found{m, ok}
			return streams.Outcome{}, errors.Join(err, fault)
		}})
		sent := r.send("echo", "sess", "x")
		r.status("sess", sent.MessageID, streams.Completed)
		if first := <-got; first.ok {
			t.Errorf("got %+v before there was one", first)
		}
		if second, want := <-got, (found{streams.Mark{Run: "run-1", Seq: 2, Part: 2}, true}); second != want {
			t.Errorf("got %+v, want %+v", second, want)
		}
	})
}
