package envelope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/modeltest"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tools"
	"github.com/troupe-go/troupe/transcript"
)

const (
	plannerToken = "planner-token-0123456789"
	writerToken  = "writer-token-0123456789"
)

// house is a team behind a door, over a real socket. Its model and its tools wait
// at a gate when they are told to.
type house struct {
	testing.TB
	dir    string
	change func(*envelope.DoorOptions)
	tool   func(ctx context.Context, c envelope.ToolCall, d envelope.Decision) (string, error)
	effect envelope.Effect
	bridge func(ctx context.Context, task string) (string, error) // the leader's tool "executor"; may be nil

	url     string
	manager *session.Manager
	log     *syncBuffer
	ran     atomic.Int32 // calls of tools
	gate    chan struct{}
	grace   time.Duration
	late    chan struct{} // keeps calls from running until it is closed; nil for at once
	ids     atomic.Int32
	halt    func()
	calls   *envelope.Calls
}

// syncBuffer is what operators read.
type syncBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// newHouse opens a house; set changes it before.
func newHouse(t testing.TB, set func(*house)) *house {
	t.Helper()
	h := &house{TB: t, dir: t.TempDir(), log: &syncBuffer{}, gate: make(chan struct{}), grace: 100 * time.Millisecond}
	if set != nil {
		set(h)
	}
	h.begin()
	t.Cleanup(func() { h.halt() })
	return h
}

// begin starts the server, h.halt stops it.
func (h *house) begin() {
	h.Helper()
	work := h.TempDir()
	m, err := session.New(session.Options{Dir: h.dir, Grace: time.Second, Team: func(map[string]string) (leader.Team, []leader.Option, error) {
		team := leader.Team{
			Name: "executor", Model: leader.Model{Client: h.actor(), Name: "test/test"},
			Roles: []leader.Role{{ID: "fetch", Name: "Data Fetcher", Code: "fet"}},
		}
		opts := []leader.Option{leader.WithWorkDir(work), leader.WithSync("off")}
		if h.bridge != nil {
			team.Leader.Tools = []string{"executor"}
			opts = append(opts, leader.WithTools(tools.Func("executor", "does a task", func(ctx context.Context, in struct {
				Task string `json:"task"`
			},
			) (string, error) {
				return h.bridge(ctx, in.Task)
			})))
		}
		return team, opts, nil
	}})
	h.must(err)
	auth, err := gateway.NewAuth(gateway.AuthOptions{Tokens: map[string]string{"planner": plannerToken, "writer": writerToken}})
	h.must(err)
	space, err := gateway.OpenWorkspace(work)
	h.must(err)
	audit, err := gateway.OpenAudit(filepath.Join(h.dir, "audit.jsonl"), gateway.AuditOptions{Mask: func(s string) string { return s }})
	h.must(err)
	callLog, err := transcript.Open(filepath.Join(h.dir, "calls"), transcript.Options{Sync: transcript.SyncOff})
	if errors.Is(err, os.ErrNotExist) {
		callLog, err = transcript.Create(filepath.Join(h.dir, "calls"), transcript.Options{Sync: transcript.SyncOff})
	}
	h.must(err)
	logger := zerolog.New(h.log)
	calls, err := envelope.NewCalls(envelope.CallsOptions{
		Log: callLog, Tools: toolbox{h}, Header: event.RunStarted{RunID: "calls", Task: "calls"}, Logger: logger, Grace: h.grace,
	})
	h.must(err)
	o := envelope.DoorOptions{
		Ground: gateway.Ground{
			Sessions: m, Auth: auth, Limits: gateway.NewLimits(gateway.LimitOptions{Messages: -1, Bytes: -1}), Workspace: space, Audit: audit, Logger: logger,
		},
		Team: "executor", Roles: []envelope.Role{{ID: "fetch", Name: "Data Fetcher", Code: "fet"}}, Warn: m.Warn, Calls: calls,
		Mask: transcript.NewMask().WithPatterns().Text, Words: prompts.In("en"), MsgID: func() string { return fmt.Sprintf("m-made-%d", h.ids.Add(1)) },
	}
	if h.change != nil {
		h.change(&o)
	}
	door, err := envelope.NewDoor(o)
	h.must(err)
	server := httptest.NewServer(door)
	h.url, h.manager, h.calls = server.URL+"/envelope", m, calls
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.Context()))
	var all sync.WaitGroup
	all.Go(func() { _ = m.Run(ctx) })
	all.Go(func() {
		if h.late != nil {
			<-h.late
		}
		_ = calls.Run(ctx)
	})
	_, err = m.Recover(ctx)
	h.must(err)
	h.halt = sync.OnceFunc(func() {
		cancel()
		all.Wait()
		server.Close()
		h.must(errors.Join(callLog.Close(), audit.Close(), space.Close()))
	})
}

// restart stops the server and starts it again.
func (h *house) restart() {
	h.Helper()
	h.halt()
	h.begin()
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// pass waits until the gate is open.
func (h *house) pass(ctx context.Context) {
	select {
	case <-h.gate:
	case <-ctx.Done():
	}
}

// actor plays the leader and its agents. It has no memory but the conversation.
func (h *house) actor() model.Client {
	return modeltest.Func(func(ctx context.Context, req model.Request) modeltest.Reply {
		last := req.Messages[len(req.Messages)-1]
		text := last.Origin.Content
		if req.Agent != event.Leader {
			if strings.Contains(text, "hold") {
				h.pass(ctx)
			}
			return modeltest.Reply{Text: "fetched: " + text}
		}
		if last.Role == model.ToolRole {
			switch last.ToolName {
			case "create_sub_agent":
				return modeltest.Reply{Calls: []event.Call{modeltest.Call("wait_sub_agent_output", nil)}}
			case "ask_user":
				return modeltest.Reply{Text: "heard " + last.Content}
			case "executor":
				return modeltest.Reply{Text: last.Content}
			case "terminate_sub_agent":
				h.pass(ctx)
			}
			return modeltest.Reply{Text: "the fetcher is done"}
		}
		switch {
		case text == "hold":
			h.pass(ctx)
			return modeltest.Reply{Text: "held"}
		case strings.HasPrefix(text, "ask"):
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("ask_user", map[string]string{"question": "Which quarter?"})}}
		case strings.HasPrefix(text, "hire "):
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("create_sub_agent", map[string]string{"role": "fetch", "task": text[5:]})}}
		case text == "fire":
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("terminate_sub_agent", map[string]string{"agent": "fet_1"})}}
		case h.bridge != nil:
			return modeltest.Reply{Calls: []event.Call{modeltest.Call("executor", map[string]string{"task": text})}}
		case text == "fail":
			return modeltest.Reply{Err: errors.New("no model today")}
		}
		return modeltest.Reply{Text: "did: " + text}
	})
}

// toolbox is the tools of a house: "mail", which does what the house says.
type toolbox struct{ *house }

func (toolbox) Names() []string { return []string{"mail"} }

func (b toolbox) Effect(name string) (envelope.Effect, bool) { return b.effect, name == "mail" }

func (b toolbox) Permit(c envelope.ToolCall) error {
	if strings.Contains(string(c.Params), "forbidden") {
		return errors.New("mail to forbidden is denied by a rule")
	}
	return nil
}

func (b toolbox) Run(ctx context.Context, c envelope.ToolCall, d envelope.Decision) (string, error) {
	n := b.ran.Add(1)
	if b.tool != nil {
		return b.tool(ctx, c, d)
	}
	return fmt.Sprintf("mailed %d", n), nil
}

// reply is what a request got.
type reply struct {
	status int
	header http.Header
	body   string
}

// send makes a request of the user with the token; header is name, value, …
func (h *house) send(method, url, token, body string, header ...string) reply {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), method, url, strings.NewReader(body))
	h.must(err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.Error(err)
		return reply{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.Error(err)
	}
	return reply{resp.StatusCode, resp.Header, string(text)}
}

// post sends a message of the planner.
func (h *house) post(body string, header ...string) reply {
	h.Helper()
	return h.send(http.MethodPost, h.url, plannerToken, body, header...)
}

// said is the payload of a result.
type said struct {
	OK        bool   `json:"ok"`
	RequestID string `json:"request_id"`
	Text      string `json:"text"`
	Error     string `json:"error"`
	Code      string `json:"code"`
	Limit     string `json:"limit"`
}

// result is the result that a request got.
func (h *house) result(r reply) (envelope.Envelope, said) {
	h.Helper()
	if r.status != http.StatusOK {
		h.Fatalf("status %d: %s", r.status, r.body)
	}
	e, err := envelope.Decode([]byte(r.body))
	h.must(err)
	var p said
	h.must(json.Unmarshal(e.Payload, &p))
	return e, p
}

// waits is what a request got while there is no result.
type waits struct {
	Run      string `json:"run"`
	Location string `json:"location"`
	Status   string `json:"status"`
	Session  string `json:"session"`
	WaitsFor struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	} `json:"waits_for"`
}

func (h *house) pending(r reply) (w waits) {
	h.Helper()
	if r.status != http.StatusAccepted {
		h.Fatalf("status %d: %s", r.status, r.body)
	}
	h.must(json.Unmarshal([]byte(r.body), &w))
	if w.Run == "" || r.header.Get("Location") != w.Location || r.header.Get("Retry-After") == "" {
		h.Errorf("%+v, header %v", w, r.header)
	}
	return w
}

// at is the address of a location.
func (h *house) at(location string) string { return strings.TrimSuffix(h.url, "/envelope") + location }

// taskTo is a task of the planner, with fields that go over its own.
func (h *house) taskTo(msgID, text string, more map[string]string) string {
	h.Helper()
	payload, err := json.Marshal(text)
	h.must(err)
	fields := map[string]string{"msg_id": `"` + msgID + `"`, "payload": string(payload), "ts": string(envelope.Stamp(time.Now()))}
	maps.Copy(fields, more)
	return string(task(h, fields))
}

// records are those of a session of the planner.
func (h *house) records(name string) (list []event.Record) {
	h.Helper()
	handle, _, err := h.manager.Open(h.Context(), "planner", name)
	h.must(err)
	for rec, err := range h.manager.Records(h.Context(), handle, 0) {
		h.must(err)
		list = append(list, rec)
	}
	return list
}

// prompts are what the people of a session said.
func (h *house) heard(name string) (texts []string) {
	h.Helper()
	for _, rec := range h.records(name) {
		if d, ok := rec.Data.(event.MessageSent); ok && d.From == event.Person {
			texts = append(texts, d.Content)
		}
	}
	return texts
}
