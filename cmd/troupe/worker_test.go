//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/freeport"
	"github.com/troupe-go/troupe/transcript"
)

// desk is a script whose leader answers, or asks its user first.
const desk = `{"roles": {"tl": [
	{"when": {"tool": "ask_user"}, "text": "as you like"},
	{"when": {"new": "^ask"}, "calls": [{"tool": "ask_user", "args": {"question": "Which colour?"}}]},
	{"when": {"new": "^slow"}, "text": "slowly done", "delay": "1s"},
	{"when": {"new": "^endless"}, "text": "never", "delay": "10m"},
	{"when": {}, "text": "answer: {{.Last.Content}}"}]}}`

const deskTeam = "version: 1\nname: desk\nmodel: scripted/desk.json\nroles: {a: {name: A, does: nothing}}\nworker: {agent_type: signup, concurrency: 3}\n"

// workerProcess is "troupe worker" in a process of its own.
type workerProcess struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	health         string
}

// worker starts a worker and waits until it takes tasks.
func (p *process) worker(t *testing.T, redis string, args ...string) *workerProcess {
	t.Helper()
	w := &workerProcess{t: t, health: freeport.Address(t)}
	w.cmd = p.program(t.Context(), t, append([]string{"worker", "--redis", redis, "--health", w.health}, args...)...)
	w.cmd.Stdout, w.cmd.Stderr = &w.stdout, &w.stderr
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() }) // it has ended in a test that passes
	soon(t, "the worker to be ready", func() error {
		text, err := get(w.health, "/readyz", http.StatusOK)
		if err == nil && !strings.Contains(text, `"reason":"serving"`) {
			err = errors.New(text)
		}
		return err
	})
	return w
}

// end sends a signal and returns the exit code.
func (w *workerProcess) end(s syscall.Signal) int {
	w.t.Helper()
	if err := w.cmd.Process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
	_ = w.cmd.Wait() // the exit code says it
	return w.cmd.ProcessState.ExitCode()
}

func get(address, path string, want int) (string, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // a connection that is kept has goroutines
	res, err := client.Get("http://" + address + path)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != want {
		err = fmt.Errorf("%s: status %d: %s", path, res.StatusCode, text)
	}
	return string(text), err
}

// soon waits until check is content.
func soon(t *testing.T, what string, check func() error) {
	t.Helper()
	end := time.After(40 * time.Second)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-end:
			t.Fatalf("waited for %s: %v", what, err)
		case <-time.After(pause):
		}
	}
}

// queue calls "troupe queue".
func (p *process) queue(t *testing.T, redis string, want int, args ...string) string {
	t.Helper()
	if code := p.call(t.Context(), append([]string{"queue", args[0], "--redis", redis}, args[1:]...)...); code != want {
		t.Fatalf("queue %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, &p.stderr)
	}
	return p.stdout.String()
}

// shift is a worker and who gives it tasks, all through the command line.
type shift struct {
	*testing.T
	p     *process
	redis string
}

func (d shift) queue(want int, args ...string) string {
	d.Helper()
	return d.p.queue(d.T, d.redis, want, args...)
}

// until calls "troupe queue" until its output has a text, or is that text for "".
func (d shift) until(want string, args ...string) {
	d.Helper()
	soon(d.T, strings.Join(args, " ")+" to say "+want, func() error {
		if got := d.queue(exitOK, args...); !strings.Contains(got, want) || want == "" && got != "" {
			return errors.New(got)
		}
		return nil
	})
}

// TestWorkerAndQueue plays a day of a worker.
func TestWorkerAndQueue(t *testing.T) {
	p := newProcessBeside(t)
	put(t, p.in("desk.json"), desk)
	put(t, p.in("team.yaml"), deskTeam)
	d := shift{t, p, "redis://" + miniredis.RunT(t).Addr()}
	early := d.nobodyThere()
	w := p.worker(t, d.redis)
	if text, err := get(w.health, "/healthz", http.StatusOK); err != nil {
		t.Errorf("%s, %v", text, err)
	}
	d.until("answer: early", "tail", "s0", "--no-follow", "--view", "lines")
	if got := d.queue(exitOK, "send", "signup", "hello", "--session", "s1", "--follow"); got != "answer: hello\n" {
		t.Errorf("got %q", got)
	}
	asks, endless := d.question(), d.cancel()
	slow := strings.TrimSpace(d.queue(exitOK, "send", "signup", "slow", "--session", "s3"))
	d.until("signup", "tail", "s3", "--no-follow", "--verbose")
	if code := w.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit code %d: %s", code, &w.stderr)
	}
	for _, want := range []string{
		"signup  s0  " + early + "  QUEUED → PROCESSING", "signup  s1  " + asks + "  PROCESSING → SUSPENDED", asks + "  SUSPENDED → PROCESSING",
		endless + "  CANCELLING → CANCELLED", slow + "  PROCESSING → COMPLETED",
	} {
		if !strings.Contains(w.stdout.String(), want) {
			t.Errorf("no line %q on stdout:\n%s", want, &w.stdout)
		}
	}
}

// nobodyThere sends tasks while no worker is online; one waits all the same.
func (d shift) nobodyThere() (waits string) {
	d.Helper()
	d.queue(exitFailed, "send", "signup", "hello", "--session", "s0")
	if got := d.p.stderr.String(); !strings.Contains(got, "no worker of the agent type is online: signup") || !strings.Contains(got, "--queue-anyway") {
		d.Errorf("nobody is there: %s", got)
	}
	if got := d.queue(exitOK, "tail", "s0", "--no-follow"); got != "" {
		d.Errorf("what was refused was sent: %s", got)
	}
	return strings.TrimSpace(d.queue(exitOK, "send", "signup", "early", "--session", "s0", "--queue-anyway"))
}

// question is asked by the team, and answered.
func (d shift) question() (asks string) {
	d.Helper()
	d.queue(exitFailed, "send", "sigup", "hello")
	if got := d.p.stderr.String(); !strings.Contains(got, "did you mean: signup") {
		d.Errorf("a type with a mistake: %s", got)
	}
	d.queue(exitWaiting, "send", "signup", "ask me", "--session", "s1", "--follow")
	asks = askedBy(d.T, d.p.stderr.String())
	if got := d.queue(exitOK, "tail", "s1", "--no-follow", "--view", "bubbles"); !strings.Contains(got, "│ Which colour?") || strings.Count(got, "answer: hello") != 1 {
		d.Errorf("the session is shown as\n%s", got)
	}
	d.queue(exitOK, "resume", "s1", asks, "blue")
	d.until("as you like", "tail", "s1", "--no-follow", "--view", "lines")
	soon(d.T, "a second answer to be refused", func() error {
		d.queue(exitFailed, "resume", "s1", asks, "blue")
		if got := d.p.stderr.String(); !strings.Contains(got, asks+" is COMPLETED and waits for no answer") {
			return errors.New(got)
		}
		return nil
	})
	d.queue(exitFailed, "resume", "s1", "msg-nobody", "blue")
	again := d.queue(exitOK, "send", "signup", "ask me", "--session", "s1", "--message-id", asks, "--follow")
	if said := d.p.stderr.String(); again != "as you like\n" || !strings.Contains(said, "sent before") || strings.Contains(said, "hello") {
		d.Errorf("a task that has ended is followed as %q, %s", again, said)
	}
	return asks
}

// cancel ends a task that would never end.
func (d shift) cancel() (endless string) {
	d.Helper()
	endless = strings.TrimSpace(d.queue(exitOK, "send", "signup", "endless", "--session", "s2"))
	d.until(endless, "pending", "signup", "--json")
	if got := d.queue(exitOK, "pending", "signup"); !strings.Contains(got, "ASK_AGENT") || !strings.Contains(got, "lives") {
		d.Errorf("pending: %s", got)
	}
	if got := d.queue(exitOK, "cancel", "s2", endless, "--reason", "enough"); !strings.Contains(got, endless+"  signup  CANCELLING") {
		d.Errorf("cancel: %s", got)
	}
	d.until("", "pending", "signup")
	return endless
}

// askedBy is the id of the task that waits, in what is said of it.
func askedBy(t *testing.T, text string) string {
	t.Helper()
	_, after, ok := strings.Cut(text, "troupe queue resume s1 ")
	id, _, _ := strings.Cut(after, " ")
	if !ok || id == "" {
		t.Fatalf("nothing says how to answer: %s", text)
	}
	return id
}

func TestWorkerRefuses(t *testing.T) {
	p := newProcess(t)
	put(t, "desk.json", desk)
	put(t, "team.yaml", "version: 1\nmodel: scripted/desk.json\nroles: {a: {name: A, does: nothing}}\n")
	for args, want := range map[string]string{
		"":                                   "--agent-type",
		"-t a --drain soon":                  "drain",
		"-t a --lease 10ms":                  "lease",
		"-t a --events flat":                 "events",
		"-t a --schema v3":                   "schema",
		"-t a --concurrency -1":              "above zero",
		"-t a --log-level loud":              "log-level",
		"-t a --redis localhost":             "redis://",
		"-t a --redis redis://x:pw@h:1/none": "database number",
	} {
		if code := p.call(t.Context(), append([]string{"worker"}, strings.Fields(args)...)...); code != exitUsage {
			t.Errorf("%s: exit code %d", args, code)
		}
		if got := p.stderr.String(); !strings.Contains(got, want) || strings.Contains(got, "pw@") {
			t.Errorf("%s: %s, want %q", args, got, want)
		}
	}
}

// redisServer is the path of redis-server. Where there is none the test is skipped,
// but for the CI of the project, which installs one.
func redisServer(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	switch {
	case err == nil:
	case os.Getenv("TROUPE_CI") != "":
		t.Fatal(err)
	default:
		t.Skipf("needs a redis-server (Debian: apt-get install redis-server): %v", err)
	}
	return path
}

// realRedis starts a redis-server that wants a password, and returns its address
// with it.
func realRedis(t *testing.T) string {
	t.Helper()
	path := redisServer(t)
	address := freeport.Address(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--loglevel", "warning", "--requirepass", "hunter2")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has nothing to write
		_ = cmd.Wait()
	})
	address = "redis://:hunter2@" + address
	soon(t, "redis-server", func() error {
		c, err := streams.Connect(t.Context(), address, "", 0)
		if err == nil {
			err = c.Close()
		}
		return err
	})
	return address
}

// TestKilledWorkerIsTakenOver kills workers with SIGKILL in the middle of a run of
// four agents. Others go on from its log: the answer and the files are those of a
// run without a kill, each record was told once, and the stream has one end.
func TestKilledWorkerIsTakenOver(t *testing.T) {
	p := newProcessBeside(t)
	redis := realRedis(t)
	put(t, p.in("crafts.json"), crafts)
	put(t, p.in("team.yaml"), craftsTeam)
	conn, err := streams.Connect(t.Context(), redis, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client, err := streams.NewClient(conn.Redis, streams.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var wholeFiles map[string]string
	for _, kills := range []int{0, 2} {
		session := fmt.Sprint("kills-", kills)
		work, runs := p.in(session+"/work"), p.in(session+"/runs")
		put(t, filepath.Join(work, ".keep"), "")
		args := []string{"-t", "crafts", "--lease", "3s", "--run-dir", runs, "--workdir", work, "--log-level", "warn"}
		w := p.worker(t, redis, args...)
		sent, err := client.Send(t.Context(), streams.Request{AgentType: "crafts", SessionID: session, Content: streams.TextContent("make it")})
		if err != nil {
			t.Fatal(err)
		}
		for kill := range kills {
			told := (kill + 1) * 12
			soon(t, "the run to be under way", func() error {
				if n := len(toldOf(t, client, session)); n < told {
					return fmt.Errorf("%d events", n)
				}
				return nil
			})
			w.end(syscall.SIGKILL)
			w = p.worker(t, redis, args...)
		}
		soon(t, "the end", func() error {
			rec, err := client.Record(t.Context(), session, sent.MessageID)
			if err == nil && !rec.Status.Terminal() {
				err = fmt.Errorf("it is %s", rec.Status)
			}
			return err
		})
		if code := w.end(syscall.SIGTERM); code != exitOK {
			t.Errorf("exit code %d: %s", code, &w.stderr)
		}
		entries := toldOf(t, client, session)
		if answer := answerIn(entries); answer != "All parts are written." {
			t.Errorf("%s: the answer is %q", session, answer)
		}
		once(t, entries)
		effectsOnce(t, runs)
		files := filesIn(t, work)
		if kills == 0 {
			wholeFiles = files
		} else if diff := cmp.Diff(wholeFiles, files); diff != "" {
			t.Errorf("files of the run that was killed (-want +got):\n%s", diff)
		}
	}
}

// toldOf are the events of a session.
func toldOf(t *testing.T, client *streams.Client, session string) (all []streams.Event) {
	t.Helper()
	for e, err := range client.Read(context.Background(), session, streams.Begin) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Event)
	}
	return all
}

func answerIn(events []streams.Event) (answer string) {
	for _, e := range events {
		if e.Kind() == streams.KindAnswer {
			answer = e.Text()
		}
	}
	return answer
}

// once looks that each record was told once and that the stream has one end.
func once(t *testing.T, events []streams.Event) {
	t.Helper()
	marks, ends := map[streams.Mark]int{}, 0
	for _, e := range events {
		if m, ok := e.Mark(); ok {
			marks[m]++
		}
		if e.Kind() == streams.KindEnd {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("%d ends", ends)
	}
	for _, m := range slices.SortedFunc(maps.Keys(marks), func(a, b streams.Mark) int { return int(a.Seq - b.Seq) }) {
		if marks[m] != 1 {
			t.Errorf("record %d, part %d, was told %d times", m.Seq, m.Part, marks[m])
		}
	}
}

// effectsOnce looks that no call began twice unless it may, and that the task was
// given once.
func effectsOnce(t *testing.T, runs string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(runs, "*", transcript.FileName))
	if err != nil || len(found) != 1 {
		t.Fatalf("the logs are %v, %v", found, err)
	}
	began, tasks := map[string]int{}, 0
	for rec, err := range transcript.ReadFile(t.Context(), found[0], transcript.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := rec.Data.(type) {
		case event.ToolStarted:
			if d.Name == "write_file" {
				began[rec.Agent+"/"+d.CallID]++
			}
		case event.MessageSent:
			if d.RequestID != "" {
				tasks++
			}
		default: // no effect
		}
	}
	for call, n := range began {
		if n != 1 {
			t.Errorf("call %s began %d times", call, n)
		}
	}
	if tasks != 1 {
		t.Errorf("the task was given %d times", tasks)
	}
}
