package streams_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/gateway/streams"
)

// runVictim is the worker of another process, in which a run does not end.
func runVictim(addr string) {
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	o := streams.WorkerOptions{ID: "victim", AgentTypes: []string{"slow"}, Handler: blocked(make(chan streams.Task, 9))}
	brief(&o)
	w, err := streams.NewWorker(rdb, o)
	if err == nil {
		err = w.Run(context.Background())
	}
	fmt.Fprintln(os.Stderr, "victim:", err)
}

// onReal gives a test a real server.
func onReal(t *testing.T) (*server, *rig) {
	t.Helper()
	t.Parallel()
	s := realRedis(t)
	return s, newRig(t, dial(t, s.addr()), streams.V1)
}

// TestKill kills the process of a worker in the middle of a run. Another worker
// goes on with the task, and its stream has one end.
func TestKill(t *testing.T) {
	s, r := onReal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), victimEnv+"="+s.addr())
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var sent streams.Sent
	eventually(t, "the victim to be online", func() (err error) {
		sent, err = r.client.Send(t.Context(), streams.Request{AgentType: "slow", SessionID: "sess", Content: streams.TextContent("x")})
		return err
	})
	r.status("sess", sent.MessageID, streams.Running)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	again := make(chan bool, 9)
	r.worker("w-2", "slow", fake{start: func(ctx context.Context, task streams.Task, out *streams.Sink) (streams.Outcome, error) {
		again <- task.Again
		return echo.start(ctx, task, out)
	}})
	if rec := r.status("sess", sent.MessageID, streams.Completed); rec.WorkerID != "w-2" {
		t.Errorf("it was done by %s", rec.WorkerID)
	}
	if !<-again {
		t.Error("the handler was not told that a run may have begun before")
	}
	r.expectSaid("sess", `answerDelta slow "echo: x"`, `finalAnswer slow "echo: x"`, `appStreamResponse slow ""`)
	r.nothingPending("slow")
}

// TestLivingWorkersKeepTheirTasks runs longer than a lease beside a worker that
// would take what is left behind.
func TestLivingWorkersKeepTheirTasks(t *testing.T) {
	_, r := onReal(t)
	var runs atomic.Int32
	long := fake{start: func(ctx context.Context, _ streams.Task, _ *streams.Sink) (streams.Outcome, error) {
		runs.Add(1)
		select {
		case <-ctx.Done():
			return streams.Outcome{}, context.Cause(ctx)
		case <-time.After(9 * time.Second):
			return streams.Outcome{Answer: "x"}, nil
		}
	}}
	short := func(o *streams.WorkerOptions) { o.Lease = 5 * time.Second }
	r.worker("w-1", "slow", long, short)
	sent := r.send("slow", "sess", "go")
	r.status("sess", sent.MessageID, streams.Running)
	r.worker("w-2", "slow", long, short)
	<-time.After(6 * time.Second)
	left, err := r.client.Pending(t.Context(), "slow")
	if err != nil || len(left) != 1 || left[0].Deliveries != 1 || left[0].Idle > 5*time.Second {
		t.Errorf("got %+v, %v; want one entry that shows life and was delivered once", left, err)
	}
	if rec := r.status("sess", sent.MessageID, streams.Completed); rec.WorkerID != "w-1" {
		t.Errorf("it was done by %s", rec.WorkerID)
	}
	if got := runs.Load(); got != 1 {
		t.Errorf("got %d runs", got)
	}
}

// TestGivenUp lets a task kill each worker that takes it, until it is buried.
func TestGivenUp(t *testing.T) {
	_, r := onReal(t)
	ctx := t.Context()
	stream := r.schema.TypeStream("slow")
	sent, err := r.client.Send(ctx, streams.Request{
		AgentType: "slow", SessionID: "sess", Content: streams.TextContent("x"), Policy: streams.SendAnyway,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.rdb.XGroupCreateMkStream(ctx, stream, streams.DefaultGroup, "0")
	r.rdb.XReadGroup(ctx, &redis.XReadGroupArgs{Group: streams.DefaultGroup, Consumer: "dead", Streams: []string{stream, ">"}})
	for range 2 { // deliveries two and three
		r.rdb.XClaim(ctx, &redis.XClaimArgs{Stream: stream, Group: streams.DefaultGroup, Consumer: "dead", Messages: []string{sent.EntryID}})
	}
	r.worker("w-1", "slow", echo, func(o *streams.WorkerOptions) { o.MaxDeliver = 3 })
	rec := r.status("sess", sent.MessageID, streams.Failed)
	if want := "given up after 3 deliveries"; !strings.Contains(rec.ErrorMessage, want) {
		t.Errorf("got %q, want %q", rec.ErrorMessage, want)
	}
	r.nothingPending("slow")
	if n := r.rdb.XLen(ctx, r.schema.DeadLetters()).Val(); n != 1 {
		t.Errorf("got %d dead letters", n)
	}
	if got := r.said("sess"); strings.Count(got, "appStreamResponse") != 1 {
		t.Errorf("got\n%s", got)
	}
}

// counting says numbers until it is told to end.
func counting(end <-chan struct{}) fake {
	return fake{start: func(ctx context.Context, _ streams.Task, out *streams.Sink) (streams.Outcome, error) {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			if err := out.Text(ctx, fmt.Sprint(n)); err != nil {
				return streams.Outcome{}, err
			}
			select {
			case <-ctx.Done():
				return streams.Outcome{}, context.Cause(ctx)
			case <-end:
				return streams.Outcome{Answer: "counted"}, nil
			case <-tick.C:
			}
		}
	}}
}

// patient are times that outlast what a fault test does to the line.
func patient(o *streams.WorkerOptions) {
	o.Lease, o.Beat, o.Claim = 30*time.Second, time.Second, 30*time.Second
}

// TestRedisRestarts kills Redis in the middle of a run and starts it again on
// its append-only file. Nothing that was said is lost, in order.
func TestRedisRestarts(t *testing.T) {
	s, r := onReal(t)
	end := make(chan struct{})
	r.worker("w-1", "counter", counting(end), patient)
	sent := r.send("counter", "sess", "go")
	r.status("sess", sent.MessageID, streams.Running)
	heard := follow(t, r, sent)
	heard.until("3")
	s.kill()
	s.start()
	heard.until(fmt.Sprint(heard.last() + 20))
	close(end)
	r.status("sess", sent.MessageID, streams.Completed)
	heard.end()
	r.nothingPending("counter")
}

// TestWritesAreRefused lets Redis read but not write for a while, as it is during
// a failover or when it is full. Nothing that was said meanwhile is lost.
func TestWritesAreRefused(t *testing.T) {
	for name, way := range map[string]struct{ from, back string }{
		"a replica":       {"REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"},
		"without replica": {"CONFIG SET min-replicas-to-write 1", "CONFIG SET min-replicas-to-write 0"},
		"full":            {"CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := onReal(t)
			order := func(command string) {
				var args []any
				for word := range strings.FieldsSeq(command) {
					args = append(args, word)
				}
				if err := r.again().Do(t.Context(), args...).Err(); err != nil {
					t.Fatalf("%s: %v", command, err)
				}
			}
			end := make(chan struct{})
			r.worker("w-1", "counter", counting(end), patient)
			heard := follow(t, r, r.send("counter", "sess", "go"))
			heard.until("3")
			order(way.from)
			<-time.After(time.Second)
			order(way.back)
			heard.until(fmt.Sprint(heard.last() + 20))
			close(end)
			heard.end()
			r.nothingPending("counter")
		})
	}
}

// TestCutLine cuts the worker off for ten seconds in the middle of a run.
func TestCutLine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	s, r := onReal(t)
	line := newProxy(t, s.addr())
	end := make(chan struct{})
	var log lines
	w := r.workerOn(dial(t, line.addr()), "w-1", "counter", counting(end), patient, func(o *streams.WorkerOptions) { o.Log = zerolog.New(&log) })
	var sent streams.Sent
	eventually(t, "the worker to be online", func() (err error) {
		sent, err = r.client.Send(t.Context(), streams.Request{AgentType: "counter", SessionID: "sess", Content: streams.TextContent("x")})
		return err
	})
	heard := follow(t, r, sent)
	heard.until("3")
	line.setCut(true)
	<-time.After(10 * time.Second)
	line.setCut(false)
	heard.until(fmt.Sprint(heard.last() + 20))
	close(end)
	r.status("sess", sent.MessageID, streams.Completed)
	heard.end()
	r.nothingPending("counter")
	eventually(t, "the next sign of life", func() error {
		if len(log.messages()) < 2 {
			return errors.New("Redis is still away to the worker")
		}
		return nil
	})
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	if got, want := log.messages(), []string{"Redis cannot be reached; tasks go on, and what they say waits", "Redis can be reached again"}; !slices.Equal(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
}

// lines is a log of zerolog.
type lines struct {
	mu  sync.Mutex // guards all
	all []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(p))
	return len(p), nil
}

// messages are the texts of the lines.
func (l *lines) messages() (found []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		_, text, _ := strings.Cut(line, `"message":"`)
		found = append(found, strings.TrimSuffix(strings.TrimSpace(text), `"}`))
	}
	return found
}

// TestLostLease cuts a worker off for longer than its lease: it ends by itself
// and writes nothing any more, and another one does the task.
func TestLostLease(t *testing.T) {
	s, r := onReal(t)
	line := newProxy(t, s.addr())
	began := make(chan streams.Task, 1)
	w := r.workerOn(dial(t, line.addr()), "w-1", "slow", blocked(began), brief)
	var sent streams.Sent
	eventually(t, "the worker to be online", func() (err error) {
		sent, err = r.client.Send(t.Context(), streams.Request{AgentType: "slow", SessionID: "sess", Content: streams.TextContent("x")})
		return err
	})
	select {
	case <-began:
	case err := <-w.ended:
		w.ended <- nil
		t.Fatalf("the worker ended before it began: %v", err)
	}
	line.setCut(true)
	err := <-w.ended
	w.ended <- nil
	if !errors.Is(err, streams.ErrLeaseLost) {
		t.Errorf("got %v, want ErrLeaseLost", err)
	}
	line.setCut(false)
	r.worker("w-2", "slow", echo)
	if rec := r.status("sess", sent.MessageID, streams.Completed); rec.WorkerID != "w-2" {
		t.Errorf("it was done by %s", rec.WorkerID)
	}
}

// TestTakenID lets a second worker wait for the id of the first. A worker says that
// it is ready when it can be found, and not before.
func TestTakenID(t *testing.T) {
	_, r := onReal(t)
	var ready [2]atomic.Int32
	count := func(n *atomic.Int32) func(*streams.WorkerOptions) {
		return func(o *streams.WorkerOptions) {
			o.Ready = func() {
				n.Add(1)
				if !r.rdb.SIsMember(t.Context(), r.schema.Members("echo"), "w-1").Val() {
					t.Error("a worker that is ready is not among those of its type")
				}
			}
		}
	}
	first := r.worker("w-1", "echo", echo, count(&ready[0]))
	second := r.workerOn(r.rdb, "w-1", "echo", echo, count(&ready[1]))
	sent := r.send("echo", "sess", "x")
	r.status("sess", sent.MessageID, streams.Completed)
	if ready[0].Load() != 1 || ready[1].Load() != 0 {
		t.Errorf("the first was ready %d times, the second, which waits, %d times", ready[0].Load(), ready[1].Load())
	}
	if err := first.stop(); err != nil {
		t.Error(err)
	}
	eventually(t, "the second to be online", func() error {
		_, err := r.client.Send(t.Context(), streams.Request{AgentType: "echo", SessionID: "sess-2", Content: streams.TextContent("y")})
		return err
	})
	eventually(t, "the second to be ready", func() error {
		if n := ready[1].Load(); n != 1 {
			return fmt.Errorf("it was ready %d times", n)
		}
		return nil
	})
	if err := second.stop(); err != nil {
		t.Error(err)
	}
}

// TestDrain lets a run end before the worker does, and others are not begun.
func TestDrain(t *testing.T) {
	everywhere(t, func(t *testing.T, r *rig) {
		began, end := make(chan struct{}, 9), make(chan struct{})
		w := r.worker("w-1", "slow", fake{start: func(_ context.Context, _ streams.Task, _ *streams.Sink) (streams.Outcome, error) {
			began <- struct{}{}
			<-end
			return streams.Outcome{Answer: "done"}, nil
		}}, func(o *streams.WorkerOptions) { o.Drain = time.Minute })
		sent := r.send("slow", "sess", "x")
		<-began
		w.cancel()
		eventually(t, "the worker to leave its type", func() error {
			_, err := r.client.Send(t.Context(), streams.Request{AgentType: "slow", SessionID: "sess-2", Content: streams.TextContent("x")})
			if !errors.Is(err, streams.ErrUnavailable) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		})
		<-time.After(time.Second) // some signs of life, which do not bring it back
		if r.rdb.SIsMember(t.Context(), r.schema.Members("slow"), "w-1").Val() {
			t.Error("a worker that drains counts as one that takes tasks")
		}
		close(end)
		r.status("sess", sent.MessageID, streams.Completed)
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
}

// listener follows a task whose run counts.
type listener struct {
	t     testing.TB
	texts chan string
	seen  []string
	done  chan error
}

func follow(t testing.TB, r *rig, sent streams.Sent) *listener {
	t.Helper()
	l := &listener{t: t, texts: make(chan string, 10000), done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(l.texts)
		for e, err := range r.client.Follow(ctx, "sess", sent.MessageID, streams.Begin) {
			if err != nil {
				l.done <- err
				return
			}
			if e.Event.Kind() == streams.KindText {
				l.texts <- e.Event.Text()
			}
		}
		l.done <- nil
	}()
	t.Cleanup(func() {
		cancel()
		<-l.done
		l.done <- nil
	})
	return l
}

// until hears texts until one comes.
func (l *listener) until(want string) {
	l.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case text, ok := <-l.texts:
			if !ok {
				l.t.Fatalf("the stream ended before %s", want)
			}
			l.seen = append(l.seen, text)
			if text == want {
				return
			}
		case <-limit:
			l.t.Fatalf("heard %v, waited for %s", l.seen, want)
		}
	}
}

func (l *listener) last() int { return len(l.seen) - 1 }

// end hears the rest: every number came once and in order.
func (l *listener) end() {
	l.t.Helper()
	for text := range l.texts {
		l.seen = append(l.seen, text)
	}
	if err := <-l.done; err != nil {
		l.t.Error(err)
	}
	l.done <- nil
	for i, text := range l.seen {
		if text != fmt.Sprint(i) {
			l.t.Fatalf("heard %q at %d: %v", text, i, l.seen)
		}
	}
}
