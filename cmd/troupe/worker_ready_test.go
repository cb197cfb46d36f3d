//go:build unix

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/troupe-go/troupe/internal/freeport"
)

// TestWorkerIsAnnouncedWhenReady reads what a worker says of itself: that it takes
// tasks stands there when it does, and its health can be asked for.
func TestWorkerIsAnnouncedWhenReady(t *testing.T) {
	p := newProcess(t)
	put(t, "desk.json", desk)
	put(t, "team.yaml", deskTeam)
	redis, health := "redis://"+miniredis.RunT(t).Addr(), freeport.Address(t)
	cmd := p.program(t.Context(), t, "worker", "--redis", redis, "--health", health, "--id", "w-1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended in a test that passes
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), "worker w-1 takes tasks for signup") {
	}
	if text, err := get(health, "/readyz", http.StatusOK); err != nil {
		t.Errorf("it says that it takes tasks: %s, %v", text, err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	code := p.call(t.Context(), "worker", "--redis", redis, "--health", busy.Addr().String())
	if got := p.stderr.String(); code != exitUsage || strings.Contains(got, "takes tasks") || !strings.Contains(got, busy.Addr().String()) {
		t.Errorf("with a port that is taken: exit code %d: %s", code, got)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stderr) // to its end
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestAddressesOfRedisAreInTheHelp looks for every form that docs/streams.md has.
func TestAddressesOfRedisAreInTheHelp(t *testing.T) {
	page, err := os.ReadFile("../../docs/streams.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| address | is |")
	table, _, _ = strings.Cut(table, "\n\n")
	forms := regexp.MustCompile(`[a-z+]+://|\b(master_name|addr|ssl_\w+)=`).FindAllString(table, -1)
	if len(forms) < 10 {
		t.Fatalf("docs/streams.md has the forms %v", forms)
	}
	p := newProcess(t)
	for _, lang := range []string{zh, en} {
		p.vars["TROUPE_LANG"] = lang
		for _, command := range []string{"worker", "queue"} {
			p.call(t.Context(), command, "--help")
			for _, want := range forms {
				if !strings.Contains(p.stdout.String(), want) {
					t.Errorf("%s --help in %s has no %s", command, lang, want)
				}
			}
		}
	}
}
