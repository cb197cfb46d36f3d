package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log" //nolint:depguard // net/http logs to nothing else
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/studio"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/session"
)

const (
	aliceToken = "alice-0123456789abcdef"
	bobToken   = "bob-0123456789abcdefgh"
)

// rig is a server in a bubble, with clients over pipes.
type rig struct {
	*testing.T
	work, runs string
	sessions   *session.Manager
	stop       func() // ends sessions and server, as a program ends
	pipes      *pipes
	log        bytes.Buffer // for operators; written by out
	out        io.Writer
	auditFile  string
	options    studio.Options
}

// bubble runs a test with a rig in a bubble. change may change the options of the
// face.
func bubble(t *testing.T, change func(*studio.Options), play func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, change)
		defer func() { r.stop() }()
		play(r)
	})
}

func newRig(t *testing.T, change func(*studio.Options)) *rig {
	t.Helper()
	r := &rig{T: t, work: t.TempDir(), runs: t.TempDir(), auditFile: filepath.Join(t.TempDir(), "audit.jsonl")}
	for _, dir := range []string{"document", "other"} {
		if err := os.Mkdir(filepath.Join(r.work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.start(change)
	return r
}

// start begins to serve; what an earlier server left in the folders is there.
func (r *rig) start(change func(*studio.Options)) {
	r.Helper()
	m, err := session.New(session.Options{Dir: r.runs, Grace: time.Second, Team: func(settings map[string]string) (leader.Team, []leader.Option, error) {
		team := leader.Team{Model: leader.Model{Client: actor{}, Name: "test/test"}, Roles: []leader.Role{{Name: "Aid", Code: "aid"}}}
		team.Limits.Deadline = leader.Unlimited
		dir := settings[gateway.SettingWorkDir]
		if dir == "" {
			dir = r.work
		}
		return team, []leader.Option{leader.WithWorkDir(dir)}, nil
	}})
	if err != nil {
		r.Fatal(err)
	}
	r.sessions = m
	workspace, err := gateway.OpenWorkspace(r.work)
	if err != nil {
		r.Fatal(err)
	}
	audit, err := gateway.OpenAudit(r.auditFile, gateway.AuditOptions{Mask: func(s string) string { return s }})
	if err != nil {
		r.Fatal(err)
	}
	auth, err := gateway.NewAuth(gateway.AuthOptions{Tokens: map[string]string{"alice": aliceToken, "bob": bobToken}})
	if err != nil {
		r.Fatal(err)
	}
	closing := make(chan struct{})
	r.out = zerolog.SyncWriter(&r.log)
	r.options = studio.Options{Ground: gateway.Ground{
		Sessions: m, Auth: auth, Limits: gateway.NewLimits(gateway.LimitOptions{}), Workspace: workspace, Audit: audit, Closing: closing,
		Logger: zerolog.New(r.out), Model: func(name string) (string, bool) { return "test/other", name == "house:other" },
	}}
	if change != nil {
		change(&r.options)
	}
	h, err := studio.New(r.options)
	if err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.Context())
	var inside, running sync.WaitGroup
	running.Go(func() { _ = m.Run(ctx) })
	if _, err := m.Recover(ctx); err != nil {
		r.Fatal(err)
	}
	r.pipes = newPipes()
	srv := &http.Server{ErrorLog: log.New(r.out, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		inside.Add(1)
		defer inside.Done()
		h.ServeHTTP(w, req)
	})}
	running.Go(func() { _ = srv.Serve(r.pipes) })
	r.stop = sync.OnceFunc(func() {
		cancel()
		close(closing)
		inside.Wait()
		_ = srv.Close()
		running.Wait()
		_ = workspace.Close()
		_ = audit.Close()
	})
}

// pipes listens for connections within the process.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// dial makes a connection.
func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client is a connection of a studio.
type client struct {
	*rig
	ws *websocket.Conn
}

// connect opens a connection, with headers of the request.
func (r *rig) connect(header http.Header) (*client, *http.Response, error) {
	ws, resp, err := websocket.Dial(r.Context(), "ws://studio.test/studio", &websocket.DialOptions{
		HTTPHeader: header,
		HTTPClient: &http.Client{Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return r.pipes.dial(ctx) },
		}},
	})
	if err != nil {
		return nil, resp, err
	}
	ws.SetReadLimit(-1)
	return &client{r, ws}, resp, nil
}

// open is connect that must work.
func (r *rig) open() *client {
	r.Helper()
	c, _, err := r.connect(nil) //nolint:bodyclose // the library closes it
	if err != nil {
		r.Fatal(err)
	}
	return c
}

// ask opens a connection and sends a prompt of alice.
func (r *rig) ask(sessionID, text string) *client {
	r.Helper()
	c := r.open()
	c.say(studio.UserInput{APIKey: aliceToken, SessionID: sessionID, UserInput: text})
	return c
}

// say sends a user-input.
func (c *client) say(in studio.UserInput) {
	c.Helper()
	in.Type = studio.TypeUserInput
	text, err := json.Marshal(in)
	if err != nil {
		c.Fatal(err)
	}
	c.write(string(text))
}

func (c *client) write(text string) {
	c.Helper()
	if err := c.ws.Write(c.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.Errorf("write: %v", err)
	}
}

// next reads a message; ok is false at the end.
func (c *client) next() (m studio.Message, ok bool) {
	c.Helper()
	_, text, err := c.ws.Read(c.Context())
	if err != nil {
		return m, false
	}
	if err := json.Unmarshal(text, &m); err != nil {
		c.Fatalf("%s: %v", text, err)
	}
	return m, true
}

// until reads to the first message that fits.
func (c *client) until(fits func(studio.Message) bool) (messages []studio.Message) {
	c.Helper()
	for {
		m, ok := c.next()
		if !ok {
			c.Fatalf("the connection ended after %v", messages)
		}
		if messages = append(messages, m); fits(m) {
			return messages
		}
	}
}

// rest reads to the end and returns the code of the close.
func (c *client) rest() (messages []studio.Message, code websocket.StatusCode) {
	c.Helper()
	for {
		_, text, err := c.ws.Read(c.Context())
		if err != nil {
			return messages, websocket.CloseStatus(err)
		}
		var m studio.Message
		if err := json.Unmarshal(text, &m); err != nil {
			c.Fatalf("%s: %v", text, err)
		}
		messages = append(messages, m)
	}
}

// answer reads a whole response, checks its form and returns what was said.
func (c *client) answer() string {
	c.Helper()
	messages, code := c.rest()
	if fault := faults(messages, true); fault != "" || code != websocket.StatusNormalClosure {
		c.Errorf("close code %d, %s", code, fault)
	}
	return strings.Join(append(said(messages), wrongs(messages)...), "\n")
}

// wrongs are the errors among messages.
func wrongs(messages []studio.Message) (texts []string) {
	for _, m := range messages {
		if m.Type == studio.TypeError {
			texts = append(texts, "error: "+m.Content)
		}
	}
	return texts
}

// is reports whether a message is of a type and an event.
func is(typ, event string) func(studio.Message) bool {
	return func(m studio.Message) bool { return m.Type == typ && m.Event == event }
}

// pass lets time pass, of the bubble.
func (r *rig) pass(d time.Duration) { <-time.After(d) }

// records are the log of a session of alice, as far as it goes.
func (r *rig) records(name string) (records []event.Record) {
	r.Helper()
	s, _, err := r.sessions.Open(r.Context(), "alice", name)
	if err != nil {
		r.Fatal(err)
	}
	for rec, err := range r.sessions.Records(r.Context(), s, 0) {
		if err != nil {
			r.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

// audited are the lines of the audit.
func (r *rig) audited() (entries []gateway.AuditEntry) {
	r.Helper()
	text, err := os.ReadFile(r.auditFile)
	if err != nil {
		r.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e gateway.AuditEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

// Words that the person says to the team, and what it does then.
const (
	slowly = "slowly " // says the rest word by word, a second each
	askMe  = "ask"     // asks the person, then says what it heard
	hire   = "hire"    // makes a sub-agent, and says what it reported
	fail   = "fail"    // the model fails
)

// actor plays the leader and its sub-agents. It has no memory but the
// conversation.
type actor struct{}

// Stream says what is asked for slowly in pieces, and all else at once.
func (actor) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	last := req.Messages[len(req.Messages)-1]
	text, found := strings.CutPrefix(last.Origin.Content, slowly)
	if req.Agent != event.Leader || last.Role == model.ToolRole || !found {
		return quick().Stream(ctx, req)
	}
	return func(yield func(model.Chunk, error) bool) {
		<-time.After(time.Millisecond) // until those who follow are there
		if !yield(model.Chunk{Reasoning: "想一想"}, nil) {
			return
		}
		for word := range strings.SplitAfterSeq(text, " ") {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				yield(model.Chunk{}, context.Cause(ctx))
				return
			}
			if !yield(model.Chunk{Text: word}, nil) {
				return
			}
		}
		yield(model.Chunk{Finish: event.FinishStop}, nil)
	}
}

// quick says all at once.
func quick() model.Client {
	return modeltest.Func(func(_ context.Context, req model.Request) modeltest.Reply {
		last := req.Messages[len(req.Messages)-1]
		if req.Agent != event.Leader {
			return modeltest.Reply{Text: "我做完了", Delay: time.Second}
		}
		text := last.Origin.Content
		switch {
		case last.Role == model.ToolRole && last.ToolName == "create_sub_agent":
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("wait_sub_agent_output", nil)}}
		case last.Role == model.ToolRole:
			return modeltest.Reply{Text: "听到 " + last.Content}
		case text == askMe:
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("ask_user", map[string]string{"question": "什么颜色？"})}}
		case text == hire:
			return modeltest.Reply{Text: "我找人", Calls: []event.Call{modeltest.Call("create_sub_agent", map[string]string{"role": "aid", "task": "work"})}}
		case text == fail:
			return modeltest.Reply{Err: &model.Error{Class: model.ClassAuth, Who: "client", Message: "the key is refused"}}
		}
		return modeltest.Reply{Text: "回答 " + text}
	})
}
