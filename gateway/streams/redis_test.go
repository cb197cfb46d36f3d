package streams_test

import (
	"context"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/gateway/streams"
	"github.com/troupe-go/troupe/internal/freeport"
)

// victimEnv makes the test program a worker that is there to be killed: the
// address of its Redis.
const victimEnv = "TROUPE_STREAMS_VICTIM"

func TestMain(m *testing.M) {
	if addr := os.Getenv(victimEnv); addr != "" {
		runVictim(addr)
		return
	}
	if addr := os.Getenv(lenderEnv); addr != "" {
		runLender(addr)
		return
	}
	// The tests wait for a server far more than they compute; a fuzz target does not.
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() == "" {
		if err := flag.Set("test.parallel", "32"); err != nil {
			panic(err)
		}
	}
	streams.LogDriver(zerolog.Nop())
	goleak.VerifyTestMain(m)
}

// mini is a connection to a Redis in this process.
func mini(t testing.TB) (*miniredis.Miniredis, *redis.Client) {
	t.Helper()
	s := miniredis.RunT(t)
	return s, dial(t, s.Addr())
}

// dial connects as a program does that follows the advice of docs/streams.md: all workers
// of a test, and all who read, speak through it.
func dial(t testing.TB, addr string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true, PoolSize: 200})
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// server is a real redis-server with a folder of its own.
type server struct {
	t    testing.TB
	path string
	dir  string
	port string
	sync string // how often the append-only file is forced to the disk
	cmd  *exec.Cmd
}

// realRedis starts a redis-server with an append-only file, and stops it at the end
// of the test. Where there is none the test is skipped.
func realRedis(t testing.TB) *server {
	t.Helper()
	return realRedisThat(t, "always")
}

// realRedisThat is realRedis with a way to force its file to the disk.
func realRedisThat(t testing.TB, syncs string) *server {
	t.Helper()
	s := &server{t: t, path: redisServer(t), dir: t.TempDir(), port: freeport.Port(t), sync: syncs}
	s.start()
	t.Cleanup(s.kill)
	return s
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

func (s *server) addr() string { return net.JoinHostPort("127.0.0.1", s.port) }

// start starts the server on the files of its folder and waits until it answers.
func (s *server) start() {
	s.t.Helper()
	s.cmd = exec.Command(s.path, "--port", s.port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "",
		"--appendonly", "yes", "--appendfsync", s.sync, "--loglevel", "warning")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: s.addr(), MaxRetries: -1})
	defer rdb.Close()
	eventually(s.t, "redis-server on port "+s.port, func() error { return rdb.Ping(context.Background()).Err() })
}

// kill ends the server without a chance to write anything.
func (s *server) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended by itself
	_ = s.cmd.Wait()         // it was killed
	s.cmd = nil
}

// proxy stands between a client and Redis, and can cut the line.
type proxy struct {
	l  net.Listener
	to string
	wg sync.WaitGroup

	mu    sync.Mutex // guards what follows
	cut   bool
	conns []net.Conn
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l: l, to: to}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.setCut(true)
		p.wg.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.l.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.l.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.to)
		if err != nil || !p.keep(in, out) {
			in.Close()
			if out != nil {
				out.Close()
			}
			continue
		}
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			p.wg.Go(func() {
				_, _ = io.Copy(pair[0], pair[1]) // ends when either side is closed
				in.Close()
				out.Close()
			})
		}
	}
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	p.conns = append(p.conns, conns...)
	return true
}

// setCut closes all connections and takes no new ones, until it is undone.
func (p *proxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// eventually waits until check is content; it fails the test after a while.
func eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	within(t, time.Minute, what, check)
}

func within(t testing.TB, limit time.Duration, what string, check func() error) {
	t.Helper()
	end := time.After(limit)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-end:
			t.Fatalf("waited %v for %s: %v", limit, what, err)
		case <-time.After(pause): // many tests that look all the time would be the load
		}
	}
}
