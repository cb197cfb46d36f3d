//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway/studio"
)

// spoken is a script whose leader says what it heard, first slowly and with a
// sub-agent at work.
const spoken = `{"defaults": {"chunk": 4, "pace": "8ms"}, "roles": {
	"tl": [
		{"text": "I begin with the first part.", "calls": [{"tool": "create_sub_agent", "args": {"role": "a", "task": "look around"}}]},
		{"when": {"any": "in blue"}, "text": "In blue it is."},
		{"when": {}, "text": "Done."}],
	"a": [
		{"when": {"number": "1-3"}, "text": "I look at this and that, and at all the rest.", "calls": [{"tool": "list_dir", "args": {"path": "."}}]},
		{"when": {}, "text": "Nothing special."}]}}`

const spokenTeam = "version: 1\nname: talkers\nmodel: scripted/spoken.json\nroles: {a: {name: Aid, does: helps}}\n"

// serving is a server in a process of its own.
type serving struct {
	*testing.T
	cmd  *exec.Cmd
	url  string
	done chan struct{}

	mu     sync.Mutex // guards stderr
	stderr bytes.Buffer
}

// serve starts the program and waits until it tells where it serves.
func (p *process) serve(t *testing.T, args ...string) *serving {
	t.Helper()
	s := &serving{T: t, done: make(chan struct{})}
	s.cmd = p.program(context.Background(), t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`(?:client|studio) +(wss?://\S+)`)
	found := make(chan string, 1)
	go func() {
		defer close(s.done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			s.stderr.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
			if m := address.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case found <- m[1]:
				default:
				}
			}
		}
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); <-s.done })
	select {
	case s.url = <-found:
	case <-s.done:
		t.Fatalf("the server ended: %s", s.log())
	case <-time.After(20 * time.Second):
		t.Fatalf("the server does not tell where it is: %s", s.log())
	}
	return s
}

func (s *serving) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

// interrupt sends Ctrl-C and waits until the server stops.
func (s *serving) interrupt() {
	s.Helper()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.log(), "stopping"); {
		if time.Now().After(deadline) {
			s.Fatalf("it does not stop: %s", s.log())
		}
		<-time.After(10 * time.Millisecond)
	}
}

// end sends a signal and returns the exit code.
func (s *serving) end(sig os.Signal) int {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
	select {
	case <-s.done:
	case <-time.After(30 * time.Second):
		s.Fatalf("the server does not end: %s", s.log())
	}
	return s.cmd.ProcessState.ExitCode()
}

// studioTalk is a connection of a studio.
type studioTalk struct {
	*serving
	ws *websocket.Conn
}

// ask connects and sends a prompt.
func (s *serving) ask(token, session, text string) *studioTalk {
	s.Helper()
	ws, _, err := websocket.Dial(s.Context(), s.url, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = ws.CloseNow() })
	c := &studioTalk{s, ws}
	c.say(token, session, text)
	return c
}

func (c *studioTalk) say(token, session, text string) {
	c.Helper()
	in, err := json.Marshal(studio.UserInput{Type: studio.TypeUserInput, APIKey: token, SessionID: session, UserInput: text})
	if err != nil {
		c.Fatal(err)
	}
	if err := c.ws.Write(c.Context(), websocket.MessageText, in); err != nil {
		c.Fatal(err)
	}
}

// until reads to a message that has a text, or to the end when it is empty, and
// returns all that was read.
func (c *studioTalk) until(text string) string {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 30*time.Second)
	defer cancel()
	var read strings.Builder
	for {
		_, message, err := c.ws.Read(ctx)
		if err != nil {
			if text != "" {
				c.Fatalf("%v, after %s; the server says %s", err, &read, c.log())
			}
			if code := websocket.CloseStatus(err); code != websocket.StatusNormalClosure {
				c.Errorf("close code %d: %v, after %s", code, err, &read)
			}
			return read.String()
		}
		read.Write(append(message, '\n'))
		if text != "" && strings.Contains(string(message), text) {
			return read.String()
		}
	}
}

// spokenProcess is a process in a folder with the team.
func spokenProcess(t *testing.T) *process {
	t.Helper()
	p := newProcessBeside(t)
	put(t, p.in("spoken.json"), spoken)
	put(t, p.in("team.yaml"), spokenTeam)
	return p
}

// chat is what was said in chat-outputs.
func chat(messages string) string {
	var b strings.Builder
	for line := range strings.Lines(messages) {
		if m, err := studio.Read([]byte(line)); err == nil && m.Type == studio.TypeChat {
			b.WriteString(m.Content)
			if m.Event == studio.EventEnd {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// TestServeStudio connects, streams, steers, hangs up, kills the server and starts
// it again: the session goes on.
func TestServeStudio(t *testing.T) {
	p := spokenProcess(t)
	s := p.serve(t, "--studio")
	c := s.ask("", "s1", "Remember the word")
	c.until(studio.TypeChat)
	c.say("", "s1", "in blue")
	if got := chat(c.until("")); !strings.Contains(got, "In blue it is.") || !strings.Contains(got, "**Aid_1** 任务完成汇报\n\nNothing special.") {
		t.Errorf("said %q", got)
	}
	c = s.ask("", "s2", "begin")
	c.until("list_dir") // the sub-agent is at work
	_ = c.ws.CloseNow()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	s = p.serve(t, "--studio")
	if got := chat(s.ask("", "s2", "in blue, please").until("")); !strings.Contains(got, "In blue it is.") {
		t.Errorf("after the restart it says %q", got)
	}
	if code := s.end(syscall.SIGTERM); code != exitOK {
		t.Errorf("exit code %d: %s", code, s.log())
	}
	// Each session is one run, with all its turns.
	if p.call(t.Context(), "runs", "--json"); strings.Count(p.stdout.String(), `"status":"finished"`) != 2 {
		t.Errorf("the runs are %s", &p.stdout)
	}
}

// TestServeIsToldToStop ends a stream in the middle properly, suspends its session,
// and goes on with it by itself when it is started again.
func TestServeIsToldToStop(t *testing.T) {
	for name, sig := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "Ctrl-C": os.Interrupt} {
		t.Run(name, func(t *testing.T) {
			p := spokenProcess(t)
			s := p.serve(t, "--studio")
			c := s.ask("", "s1", "begin")
			first := c.until("list_dir")
			quiet, _, err := websocket.Dial(t.Context(), s.url, nil) //nolint:bodyclose // the library closes it
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = quiet.CloseNow() }()
			ended := make(chan int)
			go func() { ended <- s.end(sig) }()
			all := first + c.until("")
			if !strings.HasSuffix(all, `"type":"response-state","event":"end"}`+"\n") || strings.Count(all, `"event":"start"`) != strings.Count(all, `"event":"end"`) {
				t.Errorf("the stream ends with %s", all)
			}
			if _, text, err := quiet.Read(t.Context()); !strings.Contains(string(text), "the server stops") {
				t.Errorf("who has said nothing is told %s, %v", text, err)
			}
			_ = quiet.CloseNow()
			if code := <-ended; code != exitOK {
				t.Errorf("exit code %d: %s", code, s.log())
			}
			if p.call(t.Context(), "runs", "--json"); !strings.Contains(p.stdout.String(), `"status":"suspended"`) {
				t.Errorf("the run is shown as %s", &p.stdout)
			}
			s = p.serve(t, "--studio")
			deadline := time.Now().Add(20 * time.Second)
			for p.call(t.Context(), "runs", "--json"); !strings.Contains(p.stdout.String(), `"status":"finished"`); p.call(t.Context(), "runs", "--json") {
				if time.Now().After(deadline) {
					t.Fatalf("the session does not go on: %s; %s", &p.stdout, s.log())
				}
				<-time.After(50 * time.Millisecond)
			}
		})
	}
}

// TestServeTokens lets in who has a token, static or issued, and nobody else; no
// token is written anywhere.
func TestServeTokens(t *testing.T) {
	p := spokenProcess(t)
	const static, key = "alice-static-token-0123", "0123456789abcdef0123456789abcdef"
	put(t, p.in("team.yaml"), spokenTeam+"serve: {tokens: {alice: ALICE_TOKEN}, token_key_env: SIGNING, studio: {path: /chat}, audit: audit.jsonl}\n")
	p.vars["ALICE_TOKEN"], p.vars["SIGNING"] = static, key
	s := p.serve(t, "--log-level", "debug")
	if !strings.HasSuffix(s.url, "/chat") {
		t.Errorf("it serves at %s", s.url)
	}
	out, err := p.program(t.Context(), t, "serve", "token", "bob").Output()
	if err != nil {
		t.Fatal(err)
	}
	issued := strings.TrimSpace(string(out))
	for _, token := range []string{static, issued} {
		if got := chat(s.ask(token, "s1", "Remember: my token is "+static).until("")); !strings.Contains(got, "begin") {
			t.Errorf("said %q", got)
		}
	}
	ws := s.ask("wrong-"+static, "s1", "hi")
	_, message, err := ws.ws.Read(t.Context())
	if err != nil || !strings.Contains(string(message), "the token is not known here") {
		t.Errorf("a wrong token is answered %s, %v", message, err)
	}
	if _, _, err := ws.ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("then %v", err)
	}
	s.end(syscall.SIGTERM)
	audit, err := os.ReadFile(p.in("audit.jsonl"))
	if err != nil || !bytes.Contains(audit, []byte(`"tool":"create_sub_agent"`)) || !bytes.Contains(audit, []byte(`"event":"auth","ok":false`)) || !bytes.Contains(audit, []byte(`"user":"bob"`)) {
		t.Errorf("the audit is %s, %v", audit, err)
	}
	texts := map[string]string{"the log for operators": s.log(), "the audit": string(audit)}
	logs, _ := filepath.Glob(filepath.Join(p.vars["XDG_STATE_HOME"], "troupe", "runs", "*", "log.jsonl"))
	if len(logs) != 2 {
		t.Errorf("there are the logs %v", logs)
	}
	for _, path := range logs {
		text, _ := os.ReadFile(path)
		texts[path] = string(text)
	}
	for where, text := range texts {
		for _, secret := range []string{static, issued, key} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has a secret: %s", where, text)
			}
		}
	}
}

// TestDial talks with a server by the program itself.
func TestDial(t *testing.T) {
	p := spokenProcess(t)
	s := p.serve(t, "--studio")
	p.vars["TROUPE_TOKEN"] = "a-secret-token"
	if code := p.call(t.Context(), "dial", s.url, "--session", "s1", "--tee", p.in("tee.jsonl"), "in blue"); code != exitOK {
		t.Errorf("exit code %d: %s", code, &p.stderr)
	}
	tee, err := os.ReadFile(p.in("tee.jsonl"))
	if err != nil || string(tee) != p.stdout.String() || !strings.HasPrefix(string(tee), `{"id":`) || strings.Contains(p.stderr.String(), "a-secret-token") ||
		!strings.Contains(p.stderr.String(), `"userInput":"in blue"`) || !strings.Contains(p.stderr.String(), "1000") {
		t.Errorf("%v, stdout %s, tee %s, stderr %s", err, &p.stdout, tee, &p.stderr)
	}
	// The lines of stdin are sent in one session, and JSON as it is.
	p.Piped, p.Stdin = true, strings.NewReader("Remember\n"+`{"type":"user-input","userInput":"in blue"}`+"\n")
	if code := p.call(t.Context(), "dial", s.url); code != exitOK || !strings.Contains(chat(p.stdout.String()), "In blue it is.") || !strings.Contains(p.stderr.String(), `"apiKey":"[masked]"`) {
		t.Errorf("exit code %d, stdout %s, stderr %s", code, &p.stdout, &p.stderr)
	}
	p.Piped, p.Stdin = false, strings.NewReader("")
	put(t, p.in("messages.jsonl"), "{\n  \"type\": \"ping\"\n}\n")
	if code := p.call(t.Context(), "dial", s.url, "--send", p.in("messages.jsonl"), "--pretty"); code != exitFailed || !strings.Contains(p.stdout.String(), "\n  \"type\": \"error\"") || !strings.Contains(p.stderr.String(), "1008") {
		t.Errorf("exit code %d, stdout %s, stderr %s", code, &p.stdout, &p.stderr)
	}
	s.end(syscall.SIGTERM)
	if code := p.call(t.Context(), "dial", s.url, "hi"); code != exitFailed || !strings.Contains(p.stderr.String(), "troupe serve") {
		t.Errorf("exit code %d, stderr %s", code, &p.stderr)
	}
}

// TestReadmeConnects runs what the README says, word for word but for the address,
// of which each test has its own.
func TestReadmeConnects(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Connect a chat front end\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands := regexp.MustCompile(`(?m)^troupe (serve|dial) .*$`).FindAllString(section, -1)
	if len(commands) != 2 {
		t.Fatalf("the section has the commands %q", commands)
	}
	p := newProcess(t)
	s := p.serve(t, commandWords(commands[0])[2:]...)
	address := regexp.MustCompile(`ws://\S+`)
	dial := commandWords(address.ReplaceAllString(commands[1], s.url))
	if code := p.call(t.Context(), dial[1:]...); code != exitOK || !strings.HasSuffix(p.stdout.String(), `"type":"response-state","event":"end"}`+"\n") {
		t.Errorf("%q: exit code %d, %s, %s", dial, code, &p.stdout, &p.stderr)
	}
	if want := "ws://" + defaultListen + "/studio"; !strings.Contains(commands[1], want) {
		t.Errorf("%s does not name %s, where the server is", commands[1], want)
	}
}

// commandWords takes a command line apart, with double quotes.
func commandWords(command string) (list []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|\S+`).FindAllStringSubmatch(command, -1) {
		if m[1] != "" {
			m[0] = m[1]
		}
		list = append(list, m[0])
	}
	return list
}
