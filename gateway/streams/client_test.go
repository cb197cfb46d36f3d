package streams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/troupe-go/troupe/gateway/streams"
)

// online makes a type one that has a worker.
func (r *rig) online(agentType, worker, lease string) {
	r.t.Helper()
	ctx := context.Background()
	r.rdb.SAdd(ctx, r.schema.Members(agentType), worker)
	if lease != "" {
		r.rdb.Set(ctx, r.schema.Lease(worker), lease, time.Minute)
	}
}

const living = `{"version":1,"token":"t","last_seen":1,"ip_address":""}`

// TestRefusals refuses before anything is on a stream.
func TestRefusals(t *testing.T) {
	request := streams.Request{AgentType: "echo", SessionID: "sess", MessageID: "m", Content: streams.TextContent("x"), UserCode: "u-1"}
	tests := []struct {
		name  string
		setup func(r *rig)
		want  error
		code  string
	}{
		{"no worker", func(*rig) {}, streams.ErrUnavailable, "AGENT_TYPE_UNAVAILABLE"},
		{"a dead member", func(r *rig) { r.online("echo", "w-1", "") }, streams.ErrUnavailable, "AGENT_TYPE_UNAVAILABLE"},
		{"a claimed lease", func(r *rig) { r.online("echo", "w-1", strings.Replace(living, ":1,\"ip", ":0,\"ip", 1)) }, streams.ErrUnavailable, "AGENT_TYPE_UNAVAILABLE"},
		{"an open circuit", func(r *rig) {
			r.online("echo", "w-1", living)
			r.rdb.Set(context.Background(), r.schema.Circuit("echo"), `{"state":"open","reason":"repair"}`, 0)
		}, streams.ErrCircuitOpen, "AGENT_CIRCUIT_OPEN"},
		{"no quota", func(r *rig) {
			r.online("echo", "w-1", living)
			r.rdb.Set(context.Background(), r.schema.Quota("u-1"), `{"available":false}`, 0)
		}, streams.ErrQuota, "TENANT_QUOTA_EXCEEDED"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, rdb := mini(t)
			r := newRig(t, rdb, streams.V1)
			tt.setup(r)
			if got, err := r.client.Send(t.Context(), request); !errors.Is(err, tt.want) {
				t.Fatalf("got %+v, %v; want %v", got, err, tt.want)
			}
			if n := rdb.XLen(t.Context(), streams.V1.TypeStream("echo")).Val(); n != 0 {
				t.Errorf("%d commands are on the stream", n)
			}
			rec, err := r.client.Record(t.Context(), "sess", "m")
			if err != nil || rec.Status != streams.Failed || rec.AvailabilityErrorCode != tt.code || rec.RouteStatus != "REJECT" {
				t.Errorf("got %+v, %v", rec, err)
			}
		})
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	for name, req := range map[string]streams.Request{
		"no type":    {SessionID: "s", Content: streams.TextContent("x")},
		"no session": {AgentType: "a", Content: streams.TextContent("x")},
		"no content": {AgentType: "a", SessionID: "s"},
		"a policy":   {AgentType: "a", SessionID: "s", Content: streams.TextContent("x"), Policy: "WAKE_AND_WAIT"},
	} {
		if got, err := r.client.Send(t.Context(), req); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if keys := rdb.Keys(t.Context(), "*").Val(); len(keys) != 0 {
		t.Errorf("keys %v", keys)
	}
}

func TestFallback(t *testing.T) {
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	r.online("other", "w-1", "an older form")
	rdb.Set(t.Context(), streams.V1.Fallback("echo"), `{"agent_type":"other"}`, 0)
	sent := r.send("echo", "sess", "x")
	rec, err := r.client.Record(t.Context(), "sess", sent.MessageID)
	if err != nil || rec.TargetAgentType != "other" || rec.SelectedAgentType != "other" || sent.AgentType != "other" {
		t.Errorf("got %+v, %+v, %v", sent, rec, err)
	}
	if n := rdb.XLen(t.Context(), streams.V1.TypeStream("other")).Val(); n != 1 {
		t.Errorf("%d commands for the fallback", n)
	}
}

// witness notes the commands that a client sends.
type witness struct {
	mu       sync.Mutex // guards commands
	commands [][]any
}

func (w *witness) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (w *witness) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		w.note(cmd)
		return next(ctx, cmd)
	}
}

func (w *witness) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		w.note(cmds...)
		return next(ctx, cmds)
	}
}

func (w *witness) note(cmds ...redis.Cmder) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range cmds {
		w.commands = append(w.commands, c.Args())
	}
}

// TestWritesOfASend compares what a client does to send with what the Python
// SDK's client was seen doing for the same facts: names, types and order.
func TestWritesOfASend(t *testing.T) {
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	r.online("echo", "w-echo", living)
	var w witness
	rdb.AddHook(&w)
	sent, err := r.client.Send(t.Context(), streams.Request{
		AgentType: "echo", SessionID: "sess-echo", Content: streams.TextContent("hello"), UserCode: "u-1", UserName: "Ann",
		Metadata: streams.Values{"tag": []byte(`"t1"`)}, Extra: streams.Values{"k": []byte(`"v"`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, args := range w.commands {
		name := strings.ToUpper(fmt.Sprint(args[0]))
		if name == "HELLO" || name == "CLIENT" {
			continue
		}
		for i, a := range args[1:] {
			text := fmt.Sprint(a)
			if strings.HasPrefix(text, "{") {
				var o map[string]any
				if err := json.Unmarshal([]byte(text), &o); err != nil {
					t.Fatal(err)
				}
				text = "<" + strings.Join(shape(o), " ") + ">"
			}
			args[1+i] = strings.NewReplacer(sent.MessageID, "MSG", sent.ExecutionID, "EXEC").Replace(text)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintln(append([]any{name}, args[1:]...)...)))
	}
	const session = "byai_gateway:session:sess-echo:registry"
	want := []string{
		"GET byai_gateway:control_plane:circuit:agent_type:echo",
		"GET byai_gateway:control_plane:quota:user:u-1",
		"SMEMBERS byai_gateway:registry:agent_type:workers:echo",
		"GET byai_gateway:registry:worker:online:w-echo",
		"MULTI",
		"HSET " + session + " exec:EXEC <" + strings.Join(shapeOf(t, "records", func(c capture) bool { return c.Who == "client" }), " ") + ">",
		"HSET " + session + " msg_map:MSG EXEC",
		"EXPIRE " + session + " 604800",
		"EXEC",
		"XADD byai_gateway:ctrl:agent_type:echo * data <" + strings.Join(shapeOf(t, "commands", func(c capture) bool { return c.Who == "client" }), " ") + ">",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands (-SDK +ours):\n%s", diff)
	}
}

// shapeOf is the shape of the first capture of the echo scenario.
func shapeOf(t *testing.T, kind string, is func(capture) bool) []string {
	t.Helper()
	for _, c := range captures(t, kind) {
		if c.Scenario != "02-echo" || !is(c) {
			continue
		}
		var o map[string]any
		if err := json.Unmarshal([]byte(c.Data), &o); err != nil {
			t.Fatal(err)
		}
		return shape(o)
	}
	t.Fatalf("no capture of kind %s", kind)
	return nil
}

// shape lists the names of an object with the types of their values.
func shape(o map[string]any) []string {
	var names []string
	for name, v := range o {
		if inner, ok := v.(map[string]any); ok {
			for _, n := range shape(inner) {
				names = append(names, name+"."+n)
			}
			continue
		}
		names = append(names, fmt.Sprintf("%s:%T", name, v))
	}
	slices.Sort(names)
	return names
}

// TestTailGoesOnAtACheckpoint reads a part, and the rest as another process.
func TestTailGoesOnAtACheckpoint(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.worker("w-1", "echo", echo)
		for _, text := range []string{"a", "b"} {
			sent := r.send("echo", "sess", text)
			r.status("sess", sent.MessageID, streams.Completed)
		}
		var read []string
		for range 6 {
			at, err := r.client.Checkpoint(ctx, "sess", "ui")
			if err != nil {
				t.Fatal(err)
			}
			for e, err := range r.client.Tail(ctx, "sess", at) {
				if err != nil {
					t.Fatal(err)
				}
				read = append(read, string(e.Event.Type)+" "+e.Event.Text())
				if err := r.client.SaveCheckpoint(ctx, "sess", "ui", e.ID); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		want := []string{
			"answerDelta echo: a", "finalAnswer echo: a", "appStreamResponse ", "answerDelta echo: b", "finalAnswer echo: b", "appStreamResponse ",
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
		if ttl := r.rdb.TTL(ctx, r.schema.Checkpoint("sess", "ui")).Val(); ttl < 6*24*time.Hour {
			t.Errorf("the checkpoint stays %v", ttl)
		}
	})
}

// TestFollowOfASecondTurn starts behind the first turn and ends with the second.
func TestFollowOfASecondTurn(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.worker("w-1", "echo", echo)
		first := r.send("echo", "sess", "a")
		r.status("sess", first.MessageID, streams.Completed)
		at, err := r.client.Cursor(ctx, "sess")
		if err != nil {
			t.Fatal(err)
		}
		second := r.send("echo", "sess", "b")
		var read []string
		for e, err := range r.client.Follow(ctx, "sess", second.MessageID, at) {
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, e.Event.Text())
		}
		if diff := cmp.Diff([]string{"echo: b", "echo: b", ""}, read); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	})
}

// TestFollowWithoutAnEndMarker ends by the record, as after a foreign worker
// that failed early.
func TestFollowWithoutAnEndMarker(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		s := newStore(t, r.rdb, r.schema)
		rec := queued("m")
		rec.Status = streams.Failed
		if err := s.Create(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		r.rdb.XAdd(t.Context(), streams.Again(r.schema.DataStream("sess"), map[string]any{"data": "garbage"}))
		var faults []error
		for _, err := range r.client.Follow(t.Context(), "sess", "m", streams.Begin) {
			faults = append(faults, err)
		}
		if len(faults) != 1 || !errors.Is(faults[0], streams.ErrSyntax) {
			t.Errorf("got %v, want the fault of the one entry", faults)
		}
		for _, err := range r.client.Follow(t.Context(), "sess", "nobody", streams.Begin) {
			if !errors.Is(err, streams.ErrNoRecord) {
				t.Errorf("got %v, want ErrNoRecord", err)
			}
		}
	})
}

// TestTailEndsWithItsContext ends though nothing comes.
func TestTailEndsWithItsContext(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithCancelCause(t.Context())
		bored := errors.New("bored")
		time.AfterFunc(50*time.Millisecond, func() { cancel(bored) })
		for _, err := range r.client.Tail(ctx, "sess", streams.Begin) {
			if !errors.Is(err, bored) {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestTailShowsACopyOnce reads an event that a lost answer made its writer
// write twice.
func TestTailShowsACopyOnce(t *testing.T) {
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	v := streams.Voice{SessionID: "sess", MessageID: "m"}
	for _, e := range []streams.Event{
		v.Text(streams.Stamp{ID: "A"}, "a"), v.Text(streams.Stamp{ID: "A"}, "a"), v.Text(streams.Stamp{ID: "B"}, "a"), v.End(streams.Stamp{ID: "C"}),
	} {
		text, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		rdb.XAdd(t.Context(), streams.Again(streams.V1.DataStream("sess"), map[string]any{"data": string(text)}))
	}
	var ids []string
	for e, err := range r.client.Tail(t.Context(), "sess", streams.Begin) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.Event.Data.ID)
		if e.Event.Kind() == streams.KindEnd {
			break
		}
	}
	if diff := cmp.Diff([]string{"A", "B", "C"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

func TestNothingPending(t *testing.T) {
	_, rdb := mini(t)
	r := newRig(t, rdb, streams.V1)
	if got, err := r.client.Pending(t.Context(), "echo"); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestWritesOfAWorker compares what a worker writes from its start over one task
// to its end with the Python SDK's worker in the echo scenario: keys, fields and
// order, the entries of the data stream before the record, the acknowledgement
// last. Ours puts a record and the events that belong to its change into one
// transaction, so no reader sees one without the other.
func TestWritesOfAWorker(t *testing.T) {
	s, rdb := mini(t)
	r := newRig(t, dial(t, s.Addr()), streams.V1)
	var w witness
	rdb.AddHook(&w)
	worker := r.workerOn(rdb, "w-echo", "echo", echo, func(o *streams.WorkerOptions) {
		o.Lease, o.Beat = 0, 0 // those of the SDK
	})
	eventually(t, "the worker to be online", func() error {
		_, err := r.client.Send(t.Context(), streams.Request{AgentType: "echo", SessionID: "sess-echo", Content: streams.TextContent("hello"), MessageID: "MSG"})
		return err
	})
	r.status("sess-echo", "MSG", streams.Completed)
	r.nothingPending("echo")
	if err := worker.stop(); err != nil {
		t.Fatal(err)
	}
	const (
		lease   = "byai_gateway:registry:worker:online:w-echo"
		known   = "SADD byai_gateway:registry:workers w-echo"
		records = "byai_gateway:session:sess-echo:registry"
		data    = "byai_gateway:session:sess-echo:data_stream"
		members = "byai_gateway:registry:agent_type:workers:echo"
		types   = "byai_gateway:registry:worker:agent_types:w-echo"
		control = "byai_gateway:ctrl:agent_type:echo"
	)
	want := []string{
		"SET " + lease + " last_seen:0 ex 30 nx", known,
		"XGROUP create " + control + " agent_engines 0 mkstream",
		"XGROUP create byai_gateway:ctrl:worker:w-echo agent_engines 0 mkstream",
		known, "SADD " + types + " echo", "SADD " + members + " w-echo",
		"MULTI", "SET " + lease + " last_seen:now ex 30", "EXEC",
		"MULTI", "HSET " + records + " RUNNING", "EXPIRE " + records + " 604800", "EXEC",
		"MULTI", "XADD " + data + " answerDelta", "EXPIRE " + data + " 604800", "EXEC",
		"MULTI", "XADD " + data + " finalAnswer", "EXPIRE " + data + " 604800", "XADD " + data + " appStreamResponse", "EXPIRE " + data + " 604800",
		"HSET " + records + " COMPLETED", "EXPIRE " + records + " 604800", "EXEC",
		"XACK " + control + " agent_engines ID",
		"SREM " + members + " w-echo",
		"MULTI", "DEL " + lease, "EXEC", "SREM " + members + " w-echo", "DEL " + types, "SREM byai_gateway:registry:workers w-echo",
	}
	if diff := cmp.Diff(want, w.writes(t)); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// writes are the writing commands, with what matters of their values.
func (w *witness) writes(t *testing.T) (lines []string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	writing := strings.Fields("SET SADD SREM DEL XGROUP HSET EXPIRE XADD XACK MULTI EXEC")
	for _, args := range w.commands {
		name := strings.ToUpper(fmt.Sprint(args[0]))
		if !slices.Contains(writing, name) {
			continue
		}
		line := []string{name}
		for _, a := range args[1:] {
			text := fmt.Sprint(a)
			switch {
			case strings.HasPrefix(text, "{"):
				line = append(line, matter(t, text))
			case strings.HasPrefix(text, "exec:"), text == "*", text == "data": // the field of the value behind it
			case name == "XACK" && strings.Contains(text, "-") && !strings.Contains(text, ":"):
				line = append(line, "ID")
			default:
				line = append(line, text)
			}
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return lines
}

// matter is what matters of a value: the type of an event, the status of a
// record, whether a lease is online.
func matter(t *testing.T, text string) string {
	t.Helper()
	var v struct {
		EventType string `json:"event_type"`
		Status    string `json:"status"`
		LastSeen  int64  `json:"last_seen"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	switch {
	case v.EventType != "":
		return v.EventType
	case v.Status != "":
		return v.Status
	case v.LastSeen == 0:
		return "last_seen:0"
	}
	return "last_seen:now"
}
