package streams_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/transcript"
)

// say is a team whose leader repeats what it is told.
const say = `{"roles": {"tl": [{"when": {}, "text": "answer: {{.Last.Content}}"}]}}`

// TestManyTasks gives 2,000 tasks to four workers that share the folder of their
// runs, 10,000 with TROUPE_SOAK and 500 under the race detector, beside which "make
// test" runs it without: none is lost and none is done twice.
func TestManyTasks(t *testing.T) {
	r := newRig(t, dial(t, realRedisThat(t, "everysec").addr()), streams.V2) // alone: it is all load
	n := 2000
	switch {
	case underRace:
		n = 500
	case os.Getenv("TROUPE_SOAK") != "":
		n = 10_000
	}
	dir := t.TempDir()
	r.crew(4, func() streams.Handler { return teams(t, dir, say) })
	took := r.many(n)
	t.Logf("%d tasks of teams over 4 workers: %.0f a second", n, float64(n)/took.Seconds())
	logs, err := filepath.Glob(filepath.Join(dir, "*", transcript.FileName))
	if err != nil || len(logs) != n {
		t.Fatalf("%d logs, %v; want %d", len(logs), err, n)
	}
	for _, log := range logs[:100] {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if ends := strings.Count(string(text), `"type":"run.finished"`); ends != 1 {
			t.Errorf("%s: the run finished %d times", log, ends)
		}
	}
	if got := r.rdb.XLen(t.Context(), r.schema.DeadLetters()).Val(); got != 0 {
		t.Errorf("%d dead letters", got)
	}
}

// crew starts workers on connections of their own.
func (r *rig) crew(workers int, h func() streams.Handler) {
	r.t.Helper()
	for i := range workers {
		r.workerOn(r.again(), fmt.Sprint("w-", i), "signup", h(), patient, func(o *streams.WorkerOptions) { o.Concurrency = 8 })
	}
	for i := range workers {
		r.untilOnline(fmt.Sprint("w-", i))
	}
}

// many sends tasks from four clients, each in a session of its own, waits for all
// of them, and looks that each was answered once. It returns how long they took.
func (r *rig) many(n int) time.Duration {
	r.t.Helper()
	sent := make([]streams.Sent, n)
	begin := time.Now()
	var clients sync.WaitGroup
	for s := range 4 {
		clients.Go(func() {
			for i := s; i < n; i += 4 {
				sent[i] = r.send("signup", fmt.Sprint("many-", i), fmt.Sprint("n ", i))
			}
		})
	}
	clients.Wait()
	within(r.t, 10*time.Minute, "all tasks to be acknowledged", func() error {
		groups, err := r.rdb.XInfoGroups(context.Background(), r.schema.TypeStream("signup")).Result()
		if err == nil && (groups[0].Pending > 0 || groups[0].EntriesRead < int64(n)) {
			err = fmt.Errorf("%d of %d read, %d pending", groups[0].EntriesRead, n, groups[0].Pending)
		}
		return err
	})
	took := time.Since(begin)
	for s := range 4 {
		clients.Go(func() {
			for i := s; i < n; i += 4 {
				r.doneOnce(i, sent[i])
			}
		})
	}
	clients.Wait()
	return took
}

// doneOnce looks that the task of a number was answered once.
func (r *rig) doneOnce(i int, s streams.Sent) {
	r.t.Helper()
	session := fmt.Sprint("many-", i)
	rec, err := r.client.Record(context.Background(), session, s.MessageID)
	if err != nil || rec.Status != streams.Completed {
		r.t.Errorf("task %d is %s, %v", i, rec.Status, err)
	}
	if got := timeline(rec); got != "QUEUED RUNNING COMPLETED" {
		r.t.Errorf("task %d went through %s", i, got)
	}
	told := r.told(session, s.MessageID)
	count := func(line string) (n int) {
		for _, got := range told {
			if got == line {
				n++
			}
		}
		return n
	}
	if answer := fmt.Sprint("answer answer: n ", i); count(answer) != 1 || count("end ") != 1 {
		r.t.Errorf("task %d was told as %q", i, told)
	}
}

// BenchmarkTasks measures tasks over four workers in this process, with a handler
// that only answers and with teams whose model is a script, beside what
// redis-benchmark makes of the same server with entries of the same size.
func BenchmarkTasks(b *testing.B) {
	s := realRedisThat(b, "everysec")
	b.Run("redis-benchmark", func(b *testing.B) {
		path, err := exec.LookPath("redis-benchmark")
		if err != nil {
			b.Skip("needs redis-benchmark")
		}
		for b.Loop() {
			for _, cmd := range []string{"XADD bench * data __data__", "XREADGROUP GROUP g c COUNT 1 STREAMS bench >"} {
				rdb := dial(b, s.addr())
				rdb.XGroupCreateMkStream(b.Context(), "bench", "g", "0")
				args := strings.Fields(strings.Replace(cmd, "__data__", strings.Repeat("x", 600), 1))
				out, err := exec.Command(path, append([]string{"-h", "127.0.0.1", "-p", s.port, "-n", "50000", "-c", "8", "-q"}, args...)...).Output()
				if err != nil {
					b.Fatal(err)
				}
				lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(out), "\r", "\n")), "\n")
				b.Log(strings.TrimSpace(strings.Replace(lines[len(lines)-1], strings.Repeat("x", 600), "…", 1)))
			}
		}
	})
	for name, handler := range map[string]func(b *testing.B) func() streams.Handler{
		"answer": func(*testing.B) func() streams.Handler {
			return func() streams.Handler {
				return fake{start: func(_ context.Context, t streams.Task, _ *streams.Sink) (streams.Outcome, error) {
					return streams.Outcome{Answer: "answer: " + t.Content.Text()}, nil
				}}
			}
		},
		"team": func(b *testing.B) func() streams.Handler {
			b.Helper()
			dir := b.TempDir()
			return func() streams.Handler { return teams(b, dir, say) }
		},
	} {
		b.Run(name, func(b *testing.B) {
			const n = 2000
			var took time.Duration
			for b.Loop() {
				r := newRig(b, dial(b, s.addr()), streams.V1)
				r.rdb.FlushAll(b.Context())
				r.crew(4, handler(b))
				took = r.many(n)
			}
			b.ReportMetric(n/took.Seconds(), "tasks/s")
		})
	}
}
