//go:build linux

package client_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
	"github.com/troupe-go/troupe/gateway/client"
)

// load is how many sessions TestLoad has at once.
var load = flag.Int("load", 0, "sessions of TestLoad at once; 0 leaves it out")

// loadURL is the variable with the server of the process that plays the clients.
const loadURL = "TROUPE_LOAD_URL"

// loadReport is what the clients saw.
type loadReport struct {
	Sessions, Active, Killed   int
	ConnectMS, StormMS         int64 // of all together
	Chunks                     int
	ChunkP50MS, ChunkP95MS     float64
	ChunksPerSecond            float64
	Lost, Doubled, Reconnected int
}

// TestLoad serves many sessions to clients in another process:
//
//	go test ./gateway/client -run '^TestLoad$' -timeout 20m -v -load 5000
func TestLoad(t *testing.T) {
	if *load == 0 {
		t.Skip("only with -load N")
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	t.Logf("open files: %d of %d", files.Cur, files.Max)
	if files.Cur < uint64(*load)+200 {
		t.Fatalf("the limit on open files is %d; %d sessions need more: ulimit -n", files.Cur, *load)
	}
	r := newRig(t, func(r *rig) {
		r.limits = gateway.LimitOptions{Connections: -1, ConnectionsPerUser: -1, Messages: -1, Bytes: -1}
		r.pages = func(mux *http.ServeMux) {
			before := 0
			mux.HandleFunc("POST /measure", func(w http.ResponseWriter, req *http.Request) {
				debug.FreeOSMemory()
				rss := residentKiB(t)
				if req.URL.Query().Get("phase") == "before" {
					before = rss
					return
				}
				t.Logf("memory of the server: %d MiB before, %d MiB with %d idle sessions: %.1f KiB each",
					before>>10, rss>>10, *load, float64(rss-before)/float64(*load))
				if each := (rss - before) / *load; each > 64 {
					t.Errorf("an idle session takes %d KiB, more than 64", each)
				}
			})
		}
	})
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestLoadClients$", "-test.v", "-test.timeout", "20m", "-load", strconv.Itoa(*load))
	cmd.Env = append(os.Environ(), loadURL+"="+r.url)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the clients: %v\n%s", err, tail(out))
	}
	var report loadReport
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, "LOAD "); ok {
			unmarshal(t, []byte(text), &report)
			t.Logf("the clients saw: %s", text)
		}
	}
	if report.Sessions != *load || report.Lost > 0 || report.Doubled > 0 || report.Reconnected != report.Killed {
		t.Errorf("not all went well: %+v", report)
	}
}

func tail(text []byte) []byte { return text[max(0, len(text)-4000):] }

// residentKiB is how much memory the process has, in KiB.
func residentKiB(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Error(err)
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Error(err)
	}
	return n
}

// TestLoadClients plays the clients of TestLoad, in a process of its own.
func TestLoadClients(t *testing.T) {
	url := os.Getenv(loadURL)
	if url == "" {
		t.Skip("TestLoad starts it")
	}
	s := &storm{T: t, url: url, report: loadReport{Sessions: *load, Active: *load / 20, Killed: *load / 2}}
	s.measure("before")
	s.connect(*load)
	s.measure("idle")
	s.stream()
	s.kill()
	text, err := json.Marshal(s.report)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("LOAD %s\n", text)
}

// storm is the clients of a load test.
type storm struct {
	*testing.T
	url     string
	clients []*loadClient
	mu      sync.Mutex // guards report and delays
	report  loadReport
	delays  []time.Duration
}

// loadClient is one client of a load test.
type loadClient struct {
	storm   *storm
	ws      *websocket.Conn
	session string
	last    int64
	prompts int
	answers map[string]chan struct{}
	ids     int
}

func (s *storm) measure(phase string) {
	res, err := http.Post(s.url+"/measure?phase="+phase, "", nil)
	if err != nil {
		s.Fatal(err)
	}
	_ = res.Body.Close()
}

// each does something with all of a list, so many at once.
func each[T any](list []T, atOnce int, do func(T)) {
	var all sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, x := range list {
		free <- struct{}{}
		all.Go(func() { defer func() { <-free }(); do(x) })
	}
	all.Wait()
}

// connect opens n sessions, each of which is asked something once.
func (s *storm) connect(n int) {
	for range n {
		s.clients = append(s.clients, &loadClient{storm: s, answers: map[string]chan struct{}{}})
	}
	began := time.Now()
	each(s.clients, 64, func(c *loadClient) {
		if err := c.open(); err != nil {
			s.Error(err)
			return
		}
		<-c.ask("say hi", "")
	})
	s.report.ConnectMS = time.Since(began).Milliseconds()
}

// open connects, says hello where the client stands, and reads from then on.
func (c *loadClient) open() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ws, _, err := websocket.Dial(ctx, //nolint:bodyclose // there is none, or it was read
		c.storm.url+"/client", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + annToken}}})
	if err != nil {
		return err
	}
	ws.SetReadLimit(1 << 20)
	c.ws = ws
	c.send(client.Message{SessionID: c.session, Body: client.Hello{LastSeq: c.last, Capabilities: client.Abilities{Streaming: true}}})
	_, text, err := ws.Read(ctx)
	if err != nil {
		return err
	}
	m, err := client.Decode(text)
	if err != nil || m.Body.Type() != client.TypeHelloAck {
		return fmt.Errorf("hello was answered by %s: %w", text, err)
	}
	c.session = m.SessionID
	go c.hear(ws)
	return nil
}

func (c *loadClient) send(m client.Message) {
	if m.ID == "" {
		c.ids++
		m.ID = fmt.Sprintf("msg_%d", c.ids)
	}
	text, _ := m.Encode()
	_ = c.ws.Write(context.Background(), websocket.MessageText, text)
}

// ask gives a prompt, and returns what is closed with its answer.
func (c *loadClient) ask(text, id string) <-chan struct{} {
	if id == "" {
		c.ids++
		id = fmt.Sprintf("msg_%d", c.ids)
	}
	c.storm.mu.Lock()
	done := c.answers[id]
	if done == nil {
		done = make(chan struct{})
		c.answers[id] = done
	}
	c.storm.mu.Unlock()
	c.send(client.Message{ID: id, Content: []client.Part{client.Text(text)}, Body: client.Request{Method: client.MethodPrompt}})
	return done
}

// hear takes what comes until the connection ends.
func (c *loadClient) hear(ws *websocket.Conn) {
	for {
		_, text, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		now := time.Now()
		m, err := client.Decode(text)
		if err != nil {
			c.storm.Errorf("%s: %v", text, err)
			return
		}
		if m.Body.Type() == client.TypePing {
			pong, _ := client.Message{Body: client.Pong{}}.Encode()
			_ = ws.Write(context.Background(), websocket.MessageText, pong)
		}
		c.take(m, now)
	}
}

// take takes in a message.
func (c *loadClient) take(m client.Message, now time.Time) {
	s := c.storm
	s.mu.Lock()
	defer s.mu.Unlock()
	switch b := m.Body.(type) {
	case client.Chunk:
		s.delays = append(s.delays, now.Sub(m.Time))
	case client.Response:
		if done := c.answers[m.ReplyTo]; done != nil && b.Error == nil {
			close(done)
			c.answers[m.ReplyTo] = nil
		}
	case client.Event:
		if b.Event == client.EventMessage && m.Role == "user" {
			c.prompts++
		}
	default:
	}
	switch {
	case m.Seq == c.last+1:
		c.last = m.Seq
	case m.Seq > c.last:
		s.report.Lost++
		c.last = m.Seq
	}
}

// stream lets a part of the sessions stream at once.
func (s *storm) stream() {
	s.delays = nil
	began := time.Now()
	each(s.clients[:s.report.Active], s.report.Active, func(c *loadClient) { <-c.ask("stream 40", "") })
	took := time.Since(began)
	slices.Sort(s.delays)
	n := len(s.delays)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	s.report.Chunks, s.report.ChunkP50MS, s.report.ChunkP95MS = n, ms(s.delays[n/2]), ms(s.delays[n*95/100])
	s.report.ChunksPerSecond = float64(n) / took.Seconds()
}

// kill cuts half of the connections at once, just after each asked something. All
// come back, ask again what was not answered, and get what they lack.
func (s *storm) kill() {
	half := s.clients[:s.report.Killed]
	each(half, len(half), func(c *loadClient) {
		c.ask("say storm", "msg_storm")
		_ = c.ws.CloseNow()
	})
	began := time.Now()
	each(half, len(half), func(c *loadClient) {
		for try := 0; ; try++ {
			wait := min(5*time.Second, 200*time.Millisecond<<min(try, 5)) + time.Duration(rand.IntN(200))*time.Millisecond
			<-time.After(wait)
			if err := c.open(); err == nil {
				break
			}
		}
		<-c.ask("say storm", "msg_storm")
		s.mu.Lock()
		defer s.mu.Unlock()
		s.report.Reconnected++
	})
	s.report.StormMS = time.Since(began).Milliseconds()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.clients {
		want := 1
		if i < s.report.Active {
			want++
		}
		if i < len(half) {
			want++
		}
		if c.prompts != want {
			s.report.Doubled++
		}
	}
}
