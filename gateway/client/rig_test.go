package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tools"
)

// Tokens of the users of a rig.
const (
	annToken = "ann-0123456789abcdef"
	bobToken = "bob-0123456789abcdef"
)

var signKey = []byte("0123456789abcdef0123456789abcdef")

// rig is a server of the protocol over sessions with a scripted model.
type rig struct {
	*testing.T
	dir     string // of the runs
	audit   string
	auth    *gateway.Auth
	limits  gateway.LimitOptions
	tune    func(*client.Options)
	team    func(*leader.Team)
	pages   func(*http.ServeMux)            // adds to what is served
	wrap    func(net.Listener) net.Listener // of the server
	logged  *syncBuffer
	touched *syncBuffer

	sessions *session.Manager
	dial     func(ctx context.Context) (net.Conn, error)
	url      string // http://…, without a path
	stop     func()
}

// syncBuffer is a buffer that may be written from anywhere.
type syncBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// newRig makes a rig that is changed as wanted and serves over loopback.
func newRig(t *testing.T, change func(*rig)) *rig {
	t.Helper()
	r := &rig{T: t, dir: t.TempDir(), audit: filepath.Join(t.TempDir(), "audit.jsonl"), logged: &syncBuffer{}, touched: &syncBuffer{}}
	var err error
	r.auth, err = gateway.NewAuth(gateway.AuthOptions{Tokens: map[string]string{"ann": annToken, "bob": bobToken}, Key: signKey})
	if err != nil {
		t.Fatal(err)
	}
	r.limits = gateway.LimitOptions{Messages: -1, Bytes: -1}
	if change != nil {
		change(r)
	}
	r.start()
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			t.Logf("the log of the server:\n%s", r.logged)
		}
	})
	return r
}

// start begins to serve, as a program does that starts; stop ends it as a program
// ends.
func (r *rig) start() {
	r.Helper()
	audit, err := gateway.OpenAudit(r.audit, gateway.AuditOptions{Mask: func(s string) string { return s }})
	if err != nil {
		r.Fatal(err)
	}
	work := r.TempDir()
	space, err := gateway.OpenWorkspace(work)
	if err != nil {
		r.Fatal(err)
	}
	files, err := client.OpenFiles(filepath.Join(r.dir, "files"))
	if err != nil {
		r.Fatal(err)
	}
	logger := zerolog.New(r.logged)
	r.sessions, err = session.New(session.Options{Dir: r.dir, Team: r.cast(work), MaxRuns: 10_000, Grace: time.Second, Logger: logger})
	if err != nil {
		r.Fatal(err)
	}
	o := client.Options{Ground: gateway.Ground{
		Sessions: r.sessions, Auth: r.auth, Limits: gateway.NewLimits(r.limits), Workspace: space, Audit: audit, Logger: logger,
	}, Files: files, Capabilities: client.Capabilities{Models: []string{"test/test"}, Concurrency: 64}}
	if r.tune != nil {
		r.tune(&o)
	}
	h, err := client.New(o)
	if err != nil {
		r.Fatal(err)
	}
	mux := http.NewServeMux()
	h.Mount(mux, "/client")
	if r.pages != nil {
		r.pages(mux)
	}
	r.stop = r.serve(mux, func() {
		err := errors.Join(audit.Close(), space.Close(), files.Close())
		if err != nil {
			r.Error(err)
		}
	})
}

// serve runs the sessions and an HTTP server until what it returns is called.
func (r *rig) serve(h http.Handler, end func()) (stop func()) {
	listener := r.listen()
	ctx, cancel := context.WithCancel(context.Background())
	var inside, running sync.WaitGroup
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		inside.Add(1)
		defer inside.Done()
		h.ServeHTTP(w, req)
	})}
	running.Go(func() { _ = r.sessions.Run(ctx) })
	running.Go(func() { _ = srv.Serve(listener) })
	if _, err := r.sessions.Recover(ctx); err != nil {
		r.Error(err)
	}
	return sync.OnceFunc(func() {
		cancel()
		_ = srv.Shutdown(context.Background())
		inside.Wait()
		running.Wait()
		end()
	})
}

// listen opens a listener on loopback.
func (r *rig) listen() net.Listener {
	if r.dial != nil { // in a bubble
		l := newPipes()
		r.dial, r.url = l.dial, "http://troupe"
		return l
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	r.url = "http://" + l.Addr().String()
	if r.wrap != nil {
		l = r.wrap(l)
	}
	return l
}

// inBubble has the rig serve over pipes, for a synctest bubble.
func inBubble(r *rig) { r.dial = func(context.Context) (net.Conn, error) { return nil, net.ErrClosed } }

// http is a client of the server.
func (r *rig) http() *http.Client {
	t := &http.Transport{DisableKeepAlives: true}
	if r.dial != nil {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return r.dial(ctx) }
	}
	return &http.Client{Transport: t}
}

// cast makes the team of the sessions.
func (r *rig) cast(work string) func(map[string]string) (leader.Team, []leader.Option, error) {
	touch := tools.Func("touch", "touch a thing", func(_ context.Context, in struct {
		Name string `json:"name"`
	},
	) (string, error) {
		_, _ = fmt.Fprintln(r.touched, in.Name)
		return "touched " + in.Name, nil
	}, tools.Asks())
	return func(map[string]string) (leader.Team, []leader.Option, error) {
		t := leader.Team{
			Model: leader.Model{Client: actor{}, Name: "test/test"}, Roles: []leader.Role{{Name: "Aid", Code: "aid"}},
			Leader: leader.Lead{Tools: []string{"touch"}}, Permissions: leader.Permissions{Headless: leader.HeadlessSuspend},
		}
		t.Limits.Deadline, t.Limits.Tokens, t.Limits.Steps = leader.Unlimited, leader.Unlimited, leader.Unlimited
		if r.team != nil {
			r.team(&t)
		}
		return t, []leader.Option{leader.WithTools(touch), leader.WithWorkDir(work), leader.WithSync("off")}, nil
	}
}

// actor plays all agents, without a memory but the conversation. What the person
// says tells it what to do:
//
//	say TEXT       says it
//	stream N       says N words, one each 50 ms
//	big N          says N letters
//	wait TEXT      says it after a minute
//	fetch A B      calls the client's tool fetch for each at once, then says what it heard
//	ask            asks the person, then says what it heard
//	touch NAME     calls a tool that needs leave, then says what it heard
//	hire TEXT      makes a sub-agent that is told TEXT, and waits for it
type actor struct{}

func (actor) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	last := req.Messages[len(req.Messages)-1]
	word, rest, _ := strings.Cut(last.Origin.Content, " ")
	if last.Role != model.ToolRole && word == "stream" {
		n, _ := strconv.Atoi(rest)
		return words(ctx, n)
	}
	return modeltest.Func(func(context.Context, model.Request) modeltest.Reply {
		if last.Role == model.ToolRole {
			if last.ToolName == "create_sub_agent" {
				return modeltest.Reply{Calls: []event.Call{modeltest.Call("wait_sub_agent_output", nil)}}
			}
			return modeltest.Reply{Text: "heard " + heard(req.Messages)}
		}
		return act(word, rest)
	}).Stream(ctx, req)
}

func act(word, rest string) modeltest.Reply {
	call := func(name string, args any) modeltest.Reply {
		return modeltest.Reply{Calls: []event.Call{modeltest.Call(name, args)}}
	}
	switch word {
	case "big":
		n, _ := strconv.Atoi(rest)
		return modeltest.Reply{Text: strings.Repeat("\"", n)}
	case "wait":
		return modeltest.Reply{Text: rest, Delay: time.Minute}
	case "fetch":
		var r modeltest.Reply
		for what := range strings.FieldsSeq(rest) {
			r.Calls = append(r.Calls, modeltest.Call("fetch", map[string]string{"name": what}))
		}
		return r
	case "ask":
		return call("ask_user", map[string]string{"question": "Which colour?"})
	case "touch":
		return call("touch", map[string]string{"name": rest})
	case "hire":
		return call("create_sub_agent", map[string]string{"role": "aid", "task": rest})
	}
	return modeltest.Reply{Text: rest}
}

// heard joins the results of the last calls.
func heard(messages []model.Message) string {
	at := len(messages)
	for at > 0 && messages[at-1].Role == model.ToolRole {
		at--
	}
	var list []string
	for _, m := range messages[at:] {
		list = append(list, m.Content)
	}
	return strings.Join(list, "; ")
}

// words streams words, one each 50 ms.
func words(ctx context.Context, n int) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for i := range n {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				yield(model.Chunk{}, context.Cause(ctx))
				return
			}
			if !yield(model.Chunk{Text: fmt.Sprintf("字%d ", i)}, nil) {
				return
			}
		}
		yield(model.Chunk{Finish: event.FinishStop, Usage: &event.Usage{Input: 1, Output: n}}, nil)
	}
}

// audited are the entries of the audit so far.
func (r *rig) audited() (list []gateway.AuditEntry) {
	r.Helper()
	text, err := os.ReadFile(r.audit)
	if err != nil {
		r.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e gateway.AuditEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// noSecrets checks that no token stands in a log.
func (r *rig) noSecrets() {
	r.Helper()
	text, _ := os.ReadFile(r.audit)
	for line := range strings.Lines(string(text) + r.logged.String()) {
		for _, secret := range []string{annToken, bobToken, "t1.eyJ"} {
			if strings.Contains(line, secret) {
				r.Errorf("a token stands in a log: %s", line)
			}
		}
	}
}

// connect opens a WebSocket with these headers and subprotocols, and returns the
// status of the answer.
func (r *rig) connect(path string, header http.Header, subprotocols ...string) (ws *websocket.Conn, status int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ws, res, err := websocket.Dial(ctx, r.url+path, &websocket.DialOptions{HTTPClient: r.http(), HTTPHeader: header, Subprotocols: subprotocols})
	if res != nil {
		status = res.StatusCode
		if res.Body != nil && err != nil {
			_ = res.Body.Close()
		}
	}
	return ws, status, err
}

// do makes a request and returns the status and the body.
func (r *rig) do(method, path, token, body string) (status int, text string) {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := r.http().Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		r.Fatal(err)
	}
	return res.StatusCode, string(got)
}
