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

// connected is a rig whose client has a connection to an address; connect makes
// more of them.
func connected(t testing.TB, address string) (r *rig, connect func() redis.UniversalClient) {
	t.Helper()
	open := func() *streams.Connection {
		c, err := streams.Connect(context.Background(), address, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	c := open()
	return newRig(t, c.Redis, c.Schema), func() redis.UniversalClient { return open().Redis }
}

func TestTLS(t *testing.T) {
	t.Parallel()
	host, files := secured(t)
	converse(t, "rediss://"+host+"?"+files, func() {})
}

// TestTLSRefuses shows what is said when the files do not fit.
func TestTLSRefuses(t *testing.T) {
	t.Parallel()
	host, files := secured(t)
	ca, pair, _ := strings.Cut(files, "&")
	for query, want := range map[string]string{
		"":                                   "certificate signed by unknown authority",
		ca:                                   "certificate required",
		"ssl_ca_certs=/none":                 "ssl_ca_certs: open /none: no such file",
		"ssl_ca_certs=" + keyOf(files):       "holds no certificate in PEM form",
		ca + "&ssl_certfile=" + certOf(ca):   "ssl_certfile and ssl_keyfile belong together",
		pair + "&ssl_ca_certs=" + "&no=such": "unexpected option",
	} {
		_, err := streams.Connect(t.Context(), "rediss://"+host+"?max_retries=-1&"+query, "", 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", query, err, want)
		}
	}
	if _, err := streams.Connect(t.Context(), "redis://"+host+"?"+ca, "", 0); !errors.Is(err, streams.ErrAddress) || !strings.Contains(err.Error(), "rediss://") {
		t.Errorf("files without TLS: %v", err)
	}
}

// keyOf and certOf are files out of the settings of an address.
func keyOf(files string) string  { return files[strings.LastIndex(files, "=")+1:] }
func certOf(files string) string { return strings.TrimPrefix(files, "ssl_ca_certs=") }

// TestACL works as a user who may do what docs/streams.md says and no more.
func TestACL(t *testing.T) {
	t.Parallel()
	port := single(t, "--user", "default", "off",
		"--user", "troupe", "on", ">se:cret", "~byai_gateway:*", "+@read", "+@write", "+@transaction", "+@connection", "-@dangerous")
	converse(t, "redis://troupe:se%3Acret@127.0.0.1:"+port, func() {})
	for _, who := range []string{"troupe:wrong@", ""} {
		_, err := streams.Connect(t.Context(), "redis://"+who+"127.0.0.1:"+port, "", 0)
		if !errors.Is(err, streams.ErrLogin) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("as %q: %v", who, err)
		}
	}
}

// TestSentinel puts the replica into the place of the master in the middle of the
// conversation.
func TestSentinel(t *testing.T) {
	t.Parallel()
	address, failover := watched(t)
	converse(t, address, failover)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	address := cluster(t)
	converse(t, address, func() {})
	r, _ := connected(t, address)
	nodes, ok := r.rdb.(*redis.ClusterClient)
	if !ok || r.schema != streams.V2 {
		t.Fatalf("got %T with schema %s", r.rdb, r.schema)
	}
	err := nodes.ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		n, err := node.DBSize(ctx).Result()
		if err == nil && n < 5 {
			return fmt.Errorf("%s holds %d keys", node, n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	r.apart()
	if _, err := streams.Connect(t.Context(), "redis+cluster://127.0.0.1:1?addr=127.0.0.1:2&max_retries=-1", "", 0); !errors.Is(err, streams.ErrUnreachable) {
		t.Errorf("a cluster that is not there: %v", err)
	}
}

// apart has tasks in a session and a group whose keys a cluster would place apart.
func (r *rig) apart() {
	r.t.Helper()
	ctx := r.t.Context()
	if _, err := r.client.Send(ctx, streams.Request{AgentType: "apart", SessionID: "}s", Content: streams.TextContent("x"), Policy: streams.SendAnyway}); err == nil || strings.Contains(err.Error(), "CROSSSLOT") {
		r.t.Errorf("a task for the session }s: %v, want an error in our words", err)
	}
	w := r.workerOn(r.rdb, "w-apart", "apart", echo, quick)
	r.untilOnline("w-apart")
	for _, text := range []string{
		`{"action_type":"ASK_AGENT","header":{"message_id":"m-1","session_id":"}s","trace_id":"t"},"body":{"content":"x"}}`,
		`{"action_type":"RESUME","header":{"message_id":"m-2","session_id":"s","trace_id":"t","parent_message_id":"p","source_agent_type":"echo","task_group_id":"}g"},"body":{"content":"x","status":"COMPLETED"}}`,
	} {
		r.rdb.XAdd(ctx, streams.Again(r.schema.TypeStream("apart"), map[string]any{"data": text}))
	}
	sent := r.send("apart", "whole", "x")
	r.status("whole", sent.MessageID, streams.Completed)
	r.nothingPending("apart")
	if err := w.stop(); err != nil {
		r.t.Error(err)
	}
	letters := r.rdb.XRange(ctx, r.schema.DeadLetters(), "-", "+").Val()
	if len(letters) != 2 {
		r.t.Errorf("got %d dead letters, want 2: %v", len(letters), letters)
	}
	for _, l := range letters {
		if !strings.Contains(fmt.Sprint(l.Values["data"]), "has a value that is not allowed") {
			r.t.Errorf("dead letter %v", l.Values)
		}
	}
}

// converse has all that parties do with each other in sessions that lie apart, and
// disturbs it while a task speaks, another runs and a third waits for its user.
func converse(t *testing.T, address string, disturb func()) {
	t.Helper()
	r, connect := connected(t, address)
	left := r.leftBehind("echo", "left")
	end := make(chan struct{})
	var crew []*started
	for agentType, h := range map[string]streams.Handler{
		"echo": echo, "asker": asker, "caller": caller("echo"), "group": grouping("echo"),
		"slow": blocked(make(chan streams.Task, 9)), "counter": counting(end),
	} {
		crew = append(crew, r.workerOn(connect(), "w-"+agentType, agentType, h, patient, func(o *streams.WorkerOptions) { o.Claim = 600 * time.Millisecond }))
		r.untilOnline("w-" + agentType)
	}
	if rec := r.status("left", left.MessageID, streams.Completed); rec.WorkerID != "w-echo" {
		t.Errorf("the entry of a dead worker was done by %s", rec.WorkerID)
	}
	r.callsAndGroups()

	counter := r.send("counter", "sess", "go")
	heard := follow(t, r, counter)
	heard.until("3")
	question := r.send("asker", "asked", "go")
	r.status("asked", question.MessageID, streams.WaitingUser)
	slow := r.send("slow", "slow", "go")
	r.status("slow", slow.MessageID, streams.Running)
	disturb()
	heard.until(fmt.Sprint(heard.last() + 20))
	close(end)
	r.status("sess", counter.MessageID, streams.Completed)
	heard.end()

	r.answer("asked", question.MessageID, "Paris")
	r.status("asked", question.MessageID, streams.Completed)
	r.expectSaid("asked", `reasoningLogDelta asker "Which city?"`, `finalAnswer asker "city is Paris"`, `appStreamResponse asker ""`)
	if _, err := r.client.Cancel(t.Context(), "slow", slow.MessageID, "enough"); err != nil {
		t.Error(err)
	}
	r.status("slow", slow.MessageID, streams.Cancelled)
	r.callsAndGroups()
	for _, w := range crew {
		w.cancel() // all at once: each needs a moment
	}
	for _, w := range crew {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	}
	for _, agentType := range []string{"echo", "asker", "caller", "group", "slow", "counter"} {
		r.nothingPending(agentType)
	}
	if got := r.rdb.XLen(t.Context(), r.schema.DeadLetters()).Val(); got != 0 {
		t.Errorf("%d dead letters", got)
	}
}

// leftBehind gives a task to a worker that dies with it.
func (r *rig) leftBehind(agentType, session string) streams.Sent {
	r.t.Helper()
	ctx, stream := r.t.Context(), r.schema.TypeStream(agentType)
	sent, err := r.client.Send(ctx, streams.Request{
		AgentType: agentType, SessionID: session, Content: streams.TextContent("x"), Policy: streams.SendAnyway,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.rdb.XGroupCreateMkStream(ctx, stream, streams.DefaultGroup, "0").Err(); err != nil {
		r.t.Fatal(err)
	}
	args := &redis.XReadGroupArgs{Group: streams.DefaultGroup, Consumer: "dead", Streams: []string{stream, ">"}}
	if err := r.rdb.XReadGroup(ctx, args).Err(); err != nil {
		r.t.Fatal(err)
	}
	return sent
}

// callsAndGroups runs tasks that give tasks to others, in some sessions.
func (r *rig) callsAndGroups() {
	r.t.Helper()
	for i := range 4 {
		for agentType, want := range map[string]string{"caller": "echo COMPLETED", "group": `"echo: c":true`} {
			session := fmt.Sprint(agentType, "-", i)
			sent := r.send(agentType, session, "hello")
			r.status(session, sent.MessageID, streams.Completed)
			if got := r.told(session, sent.MessageID); !strings.Contains(strings.Join(got, "\n"), want) {
				r.t.Errorf("%s was told %q, not %s", session, got, want)
			}
		}
	}
}
