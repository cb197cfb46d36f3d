package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/studio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counted is sessions that answer at once, and count who reached them.
type counted struct {
	gateway.Sessions

	mu      sync.Mutex // guards all below
	opened  []string   // users
	command string
}

func (c *counted) Open(_ context.Context, user, name string) (string, int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened = append(c.opened, user)
	return user + "/" + name, 0, nil
}

func (c *counted) Records(context.Context, string, int64) iter.Seq2[event.Record, error] {
	return func(func(event.Record, error) bool) {}
}

func (c *counted) Submit(_ context.Context, _, id, _ string, _ map[string]string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.command = id
	return nil
}

func (c *counted) Follow(ctx context.Context, _ string, _ int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for ctx.Err() == nil { // until the prompt has come
			c.mu.Lock()
			command := c.command
			c.mu.Unlock()
			if command != "" {
				_ = yield(event.Record{Data: event.RunStarted{RequestID: command}}, nil) && yield(event.Record{Data: event.RunFinished{}}, nil)
				return
			}
			<-time.After(100 * time.Microsecond)
		}
		yield(event.Record{}, context.Cause(ctx))
	}
}

// target is a server for frames that nobody in his right mind sends.
type target struct {
	sessions  *counted
	srv       *httptest.Server
	log       bytes.Buffer
	auditFile string
	close     func()
}

func newTarget(tb testing.TB) *target {
	tb.Helper()
	x := &target{sessions: &counted{}, auditFile: filepath.Join(tb.TempDir(), "audit.jsonl")}
	workspace, err := gateway.OpenWorkspace(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	audit, err := gateway.OpenAudit(x.auditFile, gateway.AuditOptions{Mask: func(s string) string { return s }})
	if err != nil {
		tb.Fatal(err)
	}
	auth, err := gateway.NewAuth(gateway.AuthOptions{Tokens: map[string]string{"alice": aliceToken}})
	if err != nil {
		tb.Fatal(err)
	}
	h, err := studio.New(studio.Options{Ground: gateway.Ground{
		Sessions: x.sessions, Auth: auth, Limits: gateway.NewLimits(gateway.LimitOptions{Messages: -1, Bytes: -1, ConnectionsPerUser: -1}),
		Workspace: workspace, Audit: audit, Logger: zerolog.New(zerolog.SyncWriter(&x.log)),
	}})
	if err != nil {
		tb.Fatal(err)
	}
	x.srv = httptest.NewServer(h)
	x.close = func() {
		x.srv.Close()
		_ = workspace.Close()
		_ = audit.Close()
	}
	return x
}

// send sends a message on a connection of its own and returns what comes back.
func (x *target) send(ctx context.Context, t *testing.T, kind websocket.MessageType, text []byte) (messages []studio.Message) {
	t.Helper()
	x.sessions.mu.Lock()
	x.sessions.opened, x.sessions.command = nil, ""
	x.sessions.mu.Unlock()
	ws, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(x.srv.URL, "http"), nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	if err := ws.Write(ctx, kind, text); err != nil {
		t.Fatal(err)
	}
	for {
		_, answer, err := ws.Read(ctx)
		if err != nil {
			return messages
		}
		var m studio.Message
		if err := json.Unmarshal(answer, &m); err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		messages = append(messages, m)
	}
}

// sendRaw sends bytes behind the handshake, and hangs up.
func (x *target) sendRaw(t *testing.T, raw []byte) {
	t.Helper()
	x.sessions.mu.Lock()
	x.sessions.opened, x.sessions.command = nil, ""
	x.sessions.mu.Unlock()
	conn, err := net.Dial("tcp", x.srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /studio HTTP/1.1\r\nHost: studio.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	_, _ = conn.Write(raw)
	if half, ok := conn.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, conn) // to the end that the server makes
}

// check holds what came back for a message against what it may be.
func (x *target) check(t *testing.T, text []byte, messages []studio.Message) {
	t.Helper()
	x.sessions.mu.Lock()
	defer x.sessions.mu.Unlock()
	if !bytes.Contains(text, []byte(aliceToken)) && len(x.sessions.opened) > 0 && !escaped(text) {
		t.Fatalf("%q reached a session", text)
	}
	switch {
	case len(x.sessions.opened) > 0:
		if fault := faults(messages, true); fault != "" {
			t.Fatalf("%q: %s", text, fault)
		}
	case len(messages) != 1 || messages[0].Type != studio.TypeError || strings.Contains(messages[0].Content, "alice-0123"):
		t.Fatalf("%q is refused with %v", text, messages)
	}
}

// escaped reports whether a message has the token in another form of JSON text.
func escaped(text []byte) bool {
	var in studio.UserInput
	return json.Unmarshal(text, &in) == nil && in.APIKey == aliceToken
}

// seeds are messages from which others are made.
func seeds() [][]byte {
	return [][]byte{
		[]byte(`{"type":"user-input","apiKey":"` + aliceToken + `","projectId":"2231","workDir":"/","sessionId":"s1","userInput":"你好","preferredModel":"a:b"}`),
		[]byte(`{"type":"user-input","apiKey":"none","userInput":"hi"}`), []byte(`{"type":"user-input","apiKey":null,"userInput":["hi"]}`),
		[]byte(`{"type":"user-input","apiKey":"` + aliceToken + `","workDir":"../../etc","userInput":"hi",}`),
		[]byte(`{"a":[[[[[[[[1]]]]]]]]}`), []byte("\xef\xbb\xbf{}"), []byte(""), []byte("null"), []byte(`"` + aliceToken + `"`),
		[]byte(`{"apiKey":"` + aliceToken + `","APIKEY":"none","type":"user-input","userInput":"\ud800"}`),
	}
}

func FuzzMessage(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed, true)
	}
	x := newTarget(f)
	f.Cleanup(x.close)
	f.Fuzz(func(t *testing.T, text []byte, isText bool) {
		kind := websocket.MessageBinary
		if isText {
			kind = websocket.MessageText
		}
		x.check(t, text, x.send(t.Context(), t, kind, text))
	})
}

// mutated is a message after some accidents.
func mutated(random *rand.Rand) []byte {
	all := seeds()
	text := bytes.Clone(all[random.IntN(len(all))])
	for range random.IntN(6) {
		switch at := random.IntN(len(text) + 1); random.IntN(4) {
		case 0:
			text = append(text[:at:at], append([]byte{byte(random.IntN(256))}, text[at:]...)...)
		case 1:
			text = append(text[:at:at], text[min(len(text), at+random.IntN(8)):]...)
		case 2:
			other := all[random.IntN(len(all))]
			text = append(text[:at:at], other[random.IntN(len(other)+1):]...)
		case 3:
			if at < len(text) {
				text[at] ^= 1 << random.IntN(8)
			}
		}
	}
	return text
}

// TestHostileFrames sends many mutated messages and raw frames: nobody gets in
// without the token, each is answered, and the server is well afterwards. Each
// refusal stands in the audit, and the token nowhere.
func TestHostileFrames(t *testing.T) {
	n := 3000
	if os.Getenv("TROUPE_SOAK") != "" {
		n = 100_000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d frames, seed %d", n, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	x := newTarget(t)
	refused := 0
	for range n {
		text := mutated(random)
		if random.IntN(4) > 0 {
			messages := x.send(t.Context(), t, websocket.MessageText, text)
			x.check(t, text, messages)
			if len(messages) == 1 {
				refused++
			}
			continue
		}
		header := []byte{byte(random.IntN(256)), byte(random.IntN(256))}
		x.sendRaw(t, append(header, text...))
		x.sessions.mu.Lock()
		if len(x.sessions.opened) > 0 && !bytes.Contains(text, []byte(aliceToken)) {
			t.Errorf("raw %q reached a session", text)
		}
		x.sessions.mu.Unlock()
	}
	if messages := x.send(t.Context(), t, websocket.MessageText, seeds()[0]); len(messages) != 5 || faults(messages, true) != "" {
		t.Errorf("afterwards a good prompt is answered with %v", messages)
	}
	x.close()
	text, err := os.ReadFile(x.auditFile)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for line := range bytes.Lines(text) {
		var e gateway.AuditEntry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if !e.OK {
			told += max(e.Count, 1)
		}
	}
	if told < refused {
		t.Errorf("%d refusals, and %d of them in the audit", refused, told)
	}
	if strings.Contains(x.log.String()+string(text), aliceToken) {
		t.Error("the token stands in the log or the audit")
	}
}

var _ http.Handler = (*studio.Handler)(nil)
