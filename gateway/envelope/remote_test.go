package envelope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway/envelope"
	"github.com/troupe-go/troupe/leader"
	"github.com/troupe-go/troupe/prompts"
)

var _ leader.Remote = (*envelope.Remote)(nil)

// remote is the way to an address.
func remote(t testing.TB, url string, change func(*envelope.RemoteOptions)) *envelope.Remote {
	t.Helper()
	o := envelope.RemoteOptions{URL: url, Token: plannerToken, Wait: 10 * time.Second, Words: prompts.In("en")}
	if change != nil {
		change(&o)
	}
	r, err := envelope.NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stepOf is a step of the agent fet_1.
func stepOf(id, task, text string) event.RemoteStep {
	return event.RemoteStep{
		RemoteAgent: event.RemoteAgent{Run: "run1", TraceID: "4bf9", Agent: "exe_1", Name: "Executor_1", Role: "executor"},
		ID:          id, Task: task, Text: text, Metadata: map[string]string{"project": "q3"},
	}
}

// steps takes a step and returns its reply.
func steps(ctx context.Context, t testing.TB, r *envelope.Remote, s event.RemoteStep) (event.ModelReplied, error) {
	t.Helper()
	var last event.Data
	for d, err := range r.Step(ctx, s) {
		if err != nil {
			return event.ModelReplied{}, err
		}
		last = d
	}
	replied, ok := last.(event.ModelReplied)
	if !ok {
		t.Fatalf("the last word is %T", last)
	}
	replied.DurationMS = 0
	return replied, nil
}

func said2(text string) event.ModelReplied {
	return event.ModelReplied{Text: text, Finish: event.FinishStop}
}

// TestRemoteTeam: an agent that is a team behind a door: tasks in one conversation,
// a question to the master and its answer, taken again without doing it again.
func TestRemoteTeam(t *testing.T) {
	h := newHouse(t, nil)
	r := remote(t, h.url, func(o *envelope.RemoteOptions) { o.Wait = 200 * time.Millisecond })
	step := func(s event.RemoteStep, want event.ModelReplied) {
		t.Helper()
		for range 2 { // the second time as after a crash
			got, err := steps(t.Context(), t, r, s)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", s.ID, err, diff)
			}
			r = remote(t, h.url, nil)
		}
	}
	step(stepOf("s-1", "s-1", "collect"), said2("did: collect"))
	question := event.ModelReplied{Finish: event.FinishToolCalls, Calls: []event.Call{{Name: "ask_master", Arguments: `{"question":"Which quarter?"}`}}}
	step(stepOf("s-2", "s-2", "ask"), question)
	answer, err := steps(t.Context(), t, r, stepOf("s-3", "s-2", "the third"))
	if err != nil || !strings.Contains(answer.Text, "the third") {
		t.Errorf("%+v, %v", answer, err)
	}
	step(stepOf("s-3", "s-2", "the third"), answer)
	if got, want := h.heard("run1/exe_1"), []string{"collect", "ask"}; !cmp.Equal(got, want) {
		t.Errorf("the team heard %q, want %q", got, want)
	}
	var header event.RunStarted
	for _, rec := range h.records("run1/exe_1") {
		if d, ok := rec.Data.(event.RunStarted); ok {
			header = d
		}
	}
	if header.Task != "collect" {
		t.Errorf("header %+v", header)
	}
}

// TestRemoteListens: who stops listening hears the end later, and a team that works
// long is waited for.
func TestRemoteListens(t *testing.T) {
	h := newHouse(t, nil)
	r := remote(t, h.url, func(o *envelope.RemoteOptions) { o.Wait = 10 * time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		h.until("run1/exe_1", func(rec event.Record) bool { return rec.Type() == event.TypeModelRequested })
		cancel()
	}()
	if _, err := steps(ctx, t, r, stepOf("s-1", "s-1", "hold")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(h.gate) })
	if got, err := steps(t.Context(), t, r, stepOf("s-1", "s-1", "hold")); got.Text != "held" || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRemoteCancel stops the team; what nobody knows is stopped already.
func TestRemoteCancel(t *testing.T) {
	h := newHouse(t, nil)
	r := remote(t, h.url, nil)
	if err := r.Cancel(t.Context(), stepOf("s-0", "s-0", "x"), "no need"); err != nil {
		t.Errorf("an unknown task: %v", err)
	}
	done := make(chan error)
	go func() {
		_, err := steps(t.Context(), t, r, stepOf("s-1", "s-1", "hold"))
		done <- err
	}()
	h.until("run1/exe_1", func(rec event.Record) bool { return rec.Type() == event.TypeModelRequested })
	if err := r.Cancel(t.Context(), stepOf("s-1", "s-1", "hold"), "no need"); err != nil {
		t.Error(err)
	}
	if f := failureOf(<-done); f.Code != "stopped" {
		t.Errorf("%+v", f)
	}
}

// failureOf is what an error tells.
func failureOf(err error) event.Failure {
	type failing interface {
		error
		Failure() event.Failure
	}
	if f, ok := errors.AsType[failing](err); ok {
		return f.Failure()
	}
	return event.Failure{Message: fmt.Sprint(err)}
}

// TestRemoteFailures: what the other end says of itself is passed on.
func TestRemoteFailures(t *testing.T) {
	h := newHouse(t, nil)
	if _, err := steps(t.Context(), t, remote(t, h.url, nil), stepOf("s-1", "s-1", "fail")); failureOf(err).Who != "server" || !strings.Contains(err.Error(), "no model today") {
		t.Errorf("a run that fails: %v", err)
	}
	_, err := steps(t.Context(), t, remote(t, h.url, func(o *envelope.RemoteOptions) { o.Token = "" }), stepOf("s-1", "s-1", "x"))
	if f := failureOf(err); f.Code != "http_401" || f.Who != "client" || f.Retryable || f.Hint == "" {
		t.Errorf("no token: %+v", f)
	}
	_, err = steps(t.Context(), t, remote(t, h.url, func(o *envelope.RemoteOptions) { o.Receiver = "cook" }), stepOf("s-9", "s-9", "x"))
	if f := failureOf(err); f.Code != "http_404" || !strings.Contains(f.Hint, "executor") {
		t.Errorf("nobody there: %+v", f)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	nobody := remote(t, closed.URL, func(o *envelope.RemoteOptions) { o.Patience = time.Nanosecond })
	if _, err := steps(t.Context(), t, nobody, stepOf("s-1", "s-1", "x")); failureOf(err).Code != "unreachable" || !failureOf(err).Retryable {
		t.Errorf("out of reach: %v", err)
	}
}

// stranger is a server of another framework.
func stranger(t *testing.T, answer func(n int32, r *http.Request, body string, w http.ResponseWriter)) (url string, posts *atomic.Int32) {
	t.Helper()
	posts = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost && r.URL.Path == "/execute" {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		n := posts.Add(1)
		answer(n, r, string(body), w)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/execute", posts
}

// TestRemoteStrangers are servers of other frameworks, with what they may say.
func TestRemoteStrangers(t *testing.T) {
	const result = `{"msg_id":"r","sender":"executor","receiver":"troupe","type":"result","ts":1,"payload":%s}`
	for _, tt := range []struct {
		name, query string
		say         func(n int32, r *http.Request, body string, w http.ResponseWriter)
		want, fails string
		posts       int32
	}{
		{"an envelope", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `"Q3: 7"`)
		}, "Q3: 7", "", 1},
		{"a payload of its own", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"rows":[1,2]}`)
		}, `{"rows":[1,2]}`, "", 1},
		{"a payload of its own that went well", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":true,"rows":[1,2]}`)
		}, `{"ok":true,"rows":[1,2]}`, "", 1},
		{"a text and more", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":true,"text":"two rows","rows":[1,2]}`)
		}, `{"ok":true,"text":"two rows","rows":[1,2]}`, "", 1},
		{"a text that is none", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":true,"text":{"rows":2}}`)
		}, `{"ok":true,"text":{"rows":2}}`, "", 1},
		{"an ok in other words", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":"yes","text":"Q3: 7"}`)
		}, `{"ok":"yes","text":"Q3: 7"}`, "", 1},
		{"an OK of its own", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"OK":false,"text":"Q3: 7"}`)
		}, `{"OK":false,"text":"Q3: 7"}`, "", 1},
		{"an error that is no text", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":false,"error":{"code":7,"message":"no data"}}`)
		}, "", `{"code":7,"message":"no data"}`, 1},
		{"a limit", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":true,"text":"half","limit":"steps"}`)
		}, prompts.In("en").LimitReport("Executor_1", "steps", "half"), "", 1},
		{"a newer version", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"proto":"9.0","rows":1}`)
		}, prompts.In("en").UnknownProto(`"9.0"`) + "\n" + `{"proto":"9.0","rows":1}`, "", 1},
		{"a failure", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"ok":false,"error":"no data"}`)
		}, "", "no data", 1},
		{"another request's", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = fmt.Fprintf(w, result, `{"request_id":"other","text":"x"}`)
		}, "", "answers another request", 1},
		{"no envelope", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) { _, _ = io.WriteString(w, "hello") }, "", "name its dialect", 1},
		{"its dialect", "?dialect=target-task", func(_ int32, _ *http.Request, body string, w http.ResponseWriter) {
			if body != `{"target_agent":"executor","task":"collect"}` {
				http.Error(w, body, http.StatusBadRequest)
				return
			}
			_, _ = io.WriteString(w, `{"target_agent":"troupe","task":"Q3: 7"}`)
		}, "Q3: 7", "", 1},
		{"busy", "", func(n int32, _ *http.Request, _ string, w http.ResponseWriter) {
			if n < 3 {
				http.Error(w, "later", http.StatusServiceUnavailable)
				return
			}
			_, _ = fmt.Fprintf(w, result, `"Q3: 7"`)
		}, "Q3: 7", "", 3},
		{"broken, and a message has an id", "", func(n int32, _ *http.Request, _ string, w http.ResponseWriter) {
			if n < 2 {
				http.Error(w, "oh", http.StatusInternalServerError)
				return
			}
			_, _ = fmt.Fprintf(w, result, `"Q3: 7"`)
		}, "Q3: 7", "", 2},
		{"broken, and a message has none", "?dialect=target-task", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			http.Error(w, "oh", http.StatusInternalServerError)
		}, "", "500", 1},
		{"taken", "", func(_ int32, r *http.Request, _ string, w http.ResponseWriter) {
			if r.Method == http.MethodGet {
				_, _ = fmt.Fprintf(w, result, `"Q3: 7"`)
				return
			}
			w.Header().Set("Location", "/jobs/1")
			w.WriteHeader(http.StatusAccepted)
		}, "Q3: 7", "", 2},
		{"taken, and sent elsewhere", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/jobs/1")
			w.WriteHeader(http.StatusAccepted)
		}, "", "somewhere else", 1},
		{"taken, nobody knows where", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) }, "", "does not say where", 1},
		{"moved", "", func(_ int32, r *http.Request, _ string, w http.ResponseWriter) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "", "307", 1},
		{"endless", "", func(_ int32, _ *http.Request, _ string, w http.ResponseWriter) {
			_, _ = io.WriteString(w, strings.Repeat(" ", 5<<20))
		}, "", "more than", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, posts := stranger(t, tt.say)
			got, err := steps(t.Context(), t, remote(t, url+tt.query, nil), stepOf("s-1", "s-1", "collect"))
			if got.Text != tt.want || (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%+v, %v", got, err)
			}
			if n := posts.Load(); n != tt.posts {
				t.Errorf("%d requests, want %d", n, tt.posts)
			}
		})
	}
}

// TestRemoteAnswered: a question that somebody else answers meanwhile is no failure.
func TestRemoteAnswered(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/envelope" && r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"proto":"1.0","you":"planner","team":"executor"}`)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusConflict)
		case asked.Add(1) == 1:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"status":"waiting","waits_for":{"id":"ask_tl_001","text":"Which?"}}`)
		default:
			_, _ = io.WriteString(w, `{"msg_id":"r","sender":"executor","receiver":"planner","type":"result","ts":1,"payload":{"ok":true,"request_id":"s-1","text":"Q3"}}`)
		}
	}))
	defer s.Close()
	if got, err := steps(t.Context(), t, remote(t, s.URL+"/envelope", nil), stepOf("s-2", "s-1", "the third")); got.Text != "Q3" || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRemoteOptions: wrong addresses are refused at once.
func TestRemoteOptions(t *testing.T) {
	for _, url := range []string{"", "ftp://x/envelope", "http://", "http://x/envelope?dialect=telegraph", ":"} {
		if r, err := envelope.NewRemote(envelope.RemoteOptions{URL: url}); err == nil || r != nil || !strings.HasPrefix(err.Error(), "envelope: remote: ") {
			t.Errorf("%q: %v, %v", url, r, err)
		}
	}
}

// TestStory is the story of the source: a planner that says {to, content}, and an
// executor that wants {target_agent, task}; between them a team. Nothing of either
// is in the code, only in mapping files.
func TestStory(t *testing.T) {
	var mu sync.Mutex
	var heard []string
	executor, _ := stranger(t, func(_ int32, _ *http.Request, body string, w http.ResponseWriter) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, body)
		var m struct{ Task string }
		if json.Unmarshal([]byte(body), &m) != nil || m.Task == "" {
			http.Error(w, "no task", http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"target_agent": "team", "task": "完成：" + m.Task})
	})
	far := remote(t, executor+"?dialect=target-task", func(o *envelope.RemoteOptions) { o.Token = "" })
	h := newHouse(t, func(h *house) {
		h.bridge = func(ctx context.Context, task string) (string, error) {
			got, err := steps(ctx, t, far, stepOf("s-1", "s-1", task))
			return got.Text, err
		}
	})
	r := h.send(http.MethodPost, h.url+"?dialect=to-content", plannerToken, `{"to":"executor","content":"拉取Q3数据"}`)
	var back struct {
		To      string
		Content said
	}
	h.must(json.Unmarshal([]byte(r.body), &back))
	if r.status != 200 || back.To != "planner" || !back.Content.OK || back.Content.Text != "完成：拉取Q3数据" {
		t.Errorf("the planner got %d %s", r.status, r.body)
	}
	if want := []string{`{"target_agent":"executor","task":"拉取Q3数据"}`}; !cmp.Equal(heard, want) {
		t.Errorf("the executor heard %q, want %q", heard, want)
	}
}

// TestDialects: the other way round, and a mapping file of the house: the answer
// comes in the dialect of the message, tickets too.
func TestDialects(t *testing.T) {
	ours := dialect(t, `
dialect: house
fields: {msg_id: id, sender: head.from, receiver: head.to, type: kind, payload: body, metadata.session: thread}
types: {order: task, answer: result}
`)
	h := newHouse(t, func(h *house) { h.change = func(o *envelope.DoorOptions) { o.Dialects = []envelope.Dialect{ours} } })
	for _, tt := range []struct{ dialect, body, want string }{
		{"to-content", `{"to":"executor","content":"collect"}`, `{"content":{"ok":true,"request_id":"m-made-1","text":"did: collect"},"session":"env/planner/m-made-1","to":"planner"}`},
		{"target-task", `{"target_agent":"executor","task":"collect","session":"q3"}`, `{"session":"q3","target_agent":"planner","task":{"ok":true,"request_id":"m-made-2","text":"did: collect"}}`},
		{
			"house", `{"id":"m-1","head":{"from":"planner","to":"executor"},"kind":"order","body":"collect","thread":"q4"}`,
			`"kind":"answer","thread":"q4"}`,
		},
	} {
		r := h.send("POST", h.url+"?dialect="+tt.dialect, plannerToken, tt.body)
		if r.status != 200 || !strings.HasSuffix(r.body, tt.want+"\n") {
			t.Errorf("%s: %d %s", tt.dialect, r.status, r.body)
		}
	}
	key := []string{"Idempotency-Key", "k-1"}
	first := h.send("POST", h.url+"?dialect=to-content", plannerToken, `{"to":"executor","content":"once"}`, key...)
	if again := h.send("POST", h.url+"?dialect=to-content", plannerToken, `{"to":"executor","content":"once"}`, key...); again.body != first.body || len(h.heard("env/planner/k-1")) != 1 {
		t.Errorf("the same key: %s%s", first.body, again.body)
	}
	w := h.pending(h.send("POST", h.url+"?dialect=to-content", plannerToken, `{"to":"executor","content":"hold"}`, "Prefer", "wait=0"))
	close(h.gate)
	if r := h.send("GET", h.at(w.Location), plannerToken, ""); r.status != 200 || !strings.HasPrefix(r.body, `{"content":{"ok":true,`) {
		t.Errorf("the result: %d %s", r.status, r.body)
	}
	for name, tt := range map[string]struct{ body, field string }{
		"no receiver":    {`{"content":"x"}`, "to"},
		"another sender": {`{"sender":"writer","to":"executor","content":"x"}`, ""},
	} {
		r := h.send("POST", h.url+"?dialect=to-content", plannerToken, tt.body)
		if tt.field == "" {
			if r.status != 200 {
				t.Errorf("%s: a field without meaning: %d %s", name, r.status, r.body)
			}
			continue
		}
		if b := h.refusal(r); b.Code != 400 || b.Field != tt.field {
			t.Errorf("%s: %+v", name, b)
		}
	}
	mute := dialect(t, "dialect: mute\nfields: {receiver: to, payload.detail: say}\ndefaults: {sender: x, type: task}\n")
	h2 := newHouse(t, func(h *house) { h.change = func(o *envelope.DoorOptions) { o.Dialects = []envelope.Dialect{mute} } })
	if _, p := h2.result(h2.send("POST", h2.url+"?dialect=mute", plannerToken, `{"to":"executor","say":"collect"}`)); p.Text != "did: collect" {
		t.Errorf("a dialect without a form for results: %+v", p)
	}
}
