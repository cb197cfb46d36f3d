//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/config"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/transcript"
)

// doorTeam is a team behind a door, whose leader takes its time.
const doorTeam = `version: 1
name: executor
model: scripted/slowly.json
roles: {fetch: {name: Data Fetcher, does: fetches}}
permissions: {deny: ["write_file(secret*)"], client_tools: [analyse_data], ask: [analyse_data]}
serve:
  tokens: {planner: PLANNER_TOKEN}
  envelope: {tools: [write_file, read_file], dialects: [house.yaml], wait: 20s}
`

const (
	slowly      = `{"defaults": {"delay": "400ms"}, "roles": {"tl": [{"text": "Q3: 7"}]}}`
	houseMap    = "dialect: house\nfields: {msg_id: id, sender: head.from, receiver: head.to, type: kind, payload: body}\n"
	doorToken   = "planner-token-0123456789"
	doorAddress = "http://127.0.0.1:8787/envelope"
)

// door is "troupe serve" as a process of its own.
type door struct {
	*testing.T
	p   *process
	cmd *exec.Cmd
	url string
	log bytes.Buffer // of the last process; read after its end
}

// newDoor makes the files of a team and starts its server.
func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{T: t, p: newProcess(t)}
	d.p.vars["PLANNER_TOKEN"] = doorToken
	put(t, "team.yaml", doorTeam)
	put(t, "slowly.json", slowly)
	put(t, "house.yaml", houseMap)
	d.start()
	t.Cleanup(func() { d.end(syscall.SIGKILL) })
	return d
}

// start starts the server and waits until it listens.
func (d *door) start() {
	d.Helper()
	d.cmd = d.p.program(context.WithoutCancel(d.Context()), d.T, "serve", "--listen", "127.0.0.1:0")
	stderr, err := d.cmd.StderrPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		d.Fatal(err)
	}
	d.log.Reset()
	lines := bufio.NewReader(io.TeeReader(stderr, &d.log))
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			d.Fatalf("the server does not start: %s", &d.log)
		}
		if _, address, ok := strings.Cut(line, " curl "); ok {
			d.url = strings.TrimSpace(address)
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
}

// end ends the server by a signal.
func (d *door) end(sig syscall.Signal) {
	d.Helper()
	_ = d.cmd.Process.Signal(sig)
	_ = d.cmd.Wait()
}

// send makes a request; status 0 is no answer.
func (d *door) send(method, url, body, prefer string) (status int, text string) {
	req, err := http.NewRequestWithContext(d.Context(), method, url, strings.NewReader(body))
	if err != nil {
		d.Error(err)
		return 0, ""
	}
	req.Header.Set("Authorization", "Bearer "+doorToken)
	req.Header.Set("Prefer", prefer)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// callFor is a call of write_file.
func callFor(request, path string) string {
	return fmt.Sprintf(`{"msg_id":"m-%s","sender":"planner","receiver":"executor","type":"tool_call","ts":1790000000,
		"payload":{"name":"write_file","params":{"path":%q,"content":"x"},"request_id":%q}}`, request, path, request)
}

// five sends a message five times at once and returns the one answer.
func (d *door) five(body string) (answer string) {
	d.Helper()
	var all sync.WaitGroup
	answers := make([]string, 5)
	for i := range answers {
		all.Go(func() {
			status, text := d.send(http.MethodPost, d.url, body, "wait=20")
			answers[i] = fmt.Sprint(status, " ", text)
		})
	}
	all.Wait()
	for _, a := range answers {
		if a != answers[0] || !strings.HasPrefix(a, "200 ") {
			d.Errorf("answers differ or are none:\n%s\n%s", a, answers[0])
		}
	}
	return answers[0]
}

// records counts the records of a type in the logs that a pattern finds.
func (d *door) records(pattern string, wanted event.Type) (n int) {
	d.Helper()
	logs, err := filepath.Glob(filepath.Join(d.p.vars["XDG_STATE_HOME"], "troupe", "runs", pattern, transcript.FileName))
	if err != nil || len(logs) == 0 {
		d.Fatalf("no logs for %s: %v", pattern, err)
	}
	for _, path := range logs {
		for rec, err := range transcript.ReadFile(d.Context(), path, transcript.ReadOptions{}) {
			if err != nil {
				d.Fatal(err)
			}
			if rec.Type() == wanted {
				n++
			}
		}
	}
	return n
}

// TestAuditHidesTokens: the audit has the arguments of calls, and no token in them; nor
// has the log on stderr.
func TestAuditHidesTokens(t *testing.T) {
	d := newDoor(t)
	if status, text := d.send(http.MethodPost, d.url, callFor("r-1", doorToken+".txt"), "wait=20"); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	d.send(http.MethodPost, d.url, strings.Replace(callFor("r-2", "x"), `"planner"`, `"`+doorToken+`"`, 1), "wait=20")
	d.end(syscall.SIGTERM)
	audit, err := os.ReadFile(filepath.Join(d.p.vars["XDG_STATE_HOME"], "troupe", "runs", "audit.jsonl"))
	if err != nil || !bytes.Contains(audit, []byte("[masked].txt")) {
		t.Errorf("the audit has not the call: %s, %v", audit, err)
	}
	for name, text := range map[string][]byte{"audit": audit, "log": d.log.Bytes()} {
		if bytes.Contains(text, []byte(doorToken)) {
			t.Errorf("the %s has the token: %s", name, text)
		}
	}
	if !strings.Contains(d.log.String(), "an envelope is refused") {
		t.Errorf("the log does not tell of a wrong sender: %s", &d.log)
	}
}

const callLogs = ".envelope/team-executor"

// TestDoorFiveTimes: a call that is sent five times at once runs once and is
// answered five times, again after the server was killed. What the permissions deny
// does not run.
func TestDoorFiveTimes(t *testing.T) {
	d := newDoor(t)
	first := d.five(callFor("r-1", "out.txt"))
	d.end(syscall.SIGKILL)
	d.start()
	if again := d.five(callFor("r-1", "out.txt")); again != first {
		t.Errorf("after the restart:\n%s\nbefore:\n%s", again, first)
	}
	if n := d.records(callLogs, event.TypeToolStarted); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
	if status, text := d.send(http.MethodPost, d.url, callFor("r-2", "secret.txt"), ""); status != 403 || !strings.Contains(text, "write_file(secret*)") {
		t.Errorf("a call that is denied: %d %s", status, text)
	}
	bad := strings.Replace(callFor("r-3", "out.txt"), `"content"`, `"contents"`, 1)
	if status, text := d.send(http.MethodPost, d.url, bad, ""); status != 400 || !strings.Contains(text, "contents") {
		t.Errorf("a call with wrong params: %d %s", status, text)
	}
	if _, err := os.Stat("secret.txt"); err == nil {
		t.Error("it was written all the same")
	}
	audit, err := os.ReadFile(filepath.Join(d.p.vars["XDG_STATE_HOME"], "troupe", "runs", "audit.jsonl"))
	for _, want := range []string{`"event":"tool.call","ok":true,"user":"planner"`, `"event":"tool.result","ok":true,"user":"planner"`, `"event":"auth","ok":false,"user":"planner"`} {
		if err != nil || !strings.Contains(string(audit), want) {
			t.Errorf("the audit has no %s, %v:\n%s", want, err, audit)
		}
	}
}

// TestDoorKilled: a task goes on after the server was killed, and its result is
// there under the ticket and for who sends the task again.
func TestDoorKilled(t *testing.T) {
	d := newDoor(t)
	task := `{"msg_id":"m-1","sender":"planner","receiver":"executor","type":"task","ts":1790000000,"payload":{"task_id":"t-001","detail":"汇总Q3数据"}}`
	status, text := d.send(http.MethodPost, d.url, task, "respond-async")
	var ticket struct{ Run string }
	if err := json.Unmarshal([]byte(text), &ticket); err != nil || status != 202 {
		t.Fatalf("%d %s: %v", status, text, err)
	}
	d.end(syscall.SIGKILL)
	d.start()
	status, result := d.send(http.MethodGet, d.url+"/"+ticket.Run, "", "wait=20")
	if e, err := envelope.Decode([]byte(result)); status != 200 || err != nil || !strings.Contains(string(e.Payload), `"text":"Q3: 7"`) {
		t.Fatalf("%d %s: %v", status, result, err)
	}
	if _, again := d.send(http.MethodPost, d.url, task, ""); again != result {
		t.Errorf("sent again: %s", again)
	}
	if n := d.records("s-*", event.TypeRunStarted); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// TestDoorTerminated: while the server ends by SIGTERM, repeats get the result, a
// ticket or the word that it stops; afterwards nothing ran twice.
func TestDoorTerminated(t *testing.T) {
	d := newDoor(t)
	task := `{"msg_id":"m-%d","sender":"planner","receiver":"executor","type":"task","ts":1790000000,"payload":"collect"}`
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				body := callFor(fmt.Sprint("r-", i%2), "out.txt")
				if i%3 == 0 {
					body = fmt.Sprintf(task, i)
				}
				if status, text := d.send(http.MethodPost, d.url, body, "wait=1"); status != 0 && status != 200 && status != 202 && status != 503 && status != 429 {
					t.Errorf("status %d: %s", status, text)
				}
			}
		})
	}
	<-time.After(300 * time.Millisecond)
	d.end(syscall.SIGTERM)
	close(stop)
	all.Wait()
	d.start()
	for i := range 2 {
		d.five(callFor(fmt.Sprint("r-", i), "out.txt"))
		if status, text := d.send(http.MethodPost, d.url, fmt.Sprintf(task, 3*i), "wait=20"); status != 200 {
			t.Errorf("%d %s", status, text)
		}
	}
	if calls, runs := d.records(callLogs, event.TypeToolStarted), d.records("s-*", event.TypeRunStarted); calls != 2 || runs != 2 {
		t.Errorf("%d calls and %d runs, want 2 and 2", calls, runs)
	}
}

// TestDoorDocument runs the example of docs/envelope.md.
func TestDoorDocument(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl here")
	}
	doc, err := os.ReadFile("../../docs/envelope.md")
	if err != nil {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(string(doc), "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	team, err := config.Parse("team.yaml", []byte(file+"roles: {fetch: {does: x}}\n"), nil, config.Known{})
	if err != nil || team.Serve.Envelope == nil || len(team.Warnings) != 0 {
		t.Errorf("the team file of the document: %+v, %v", team, err)
	}
	d := newDoor(t)
	_, rest, _ := strings.Cut(string(doc), "```sh\ncurl ")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the document has no example")
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll("curl -sS "+example, doorAddress, d.url))
	cmd.Env = append(os.Environ(), "PLANNER_TOKEN="+doorToken)
	out, err := cmd.CombinedOutput()
	e, decodeErr := envelope.Decode(out)
	if err != nil || decodeErr != nil || e.Type != envelope.Result || !strings.Contains(string(e.Payload), `"ok":true`) {
		t.Errorf("%s: %v, %v", out, err, decodeErr)
	}
}
