//go:build unix

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	mathbig "math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// TestServeOnThisMachine is a server without tokens: a page of somebody else does
// not reach it, not by a name of its own that leads here either.
func TestServeOnThisMachine(t *testing.T) {
	p := spokenProcess(t)
	s := p.serve(t, "--studio")
	if !strings.Contains(s.log(), "no tokens are set") {
		t.Errorf("it does not say that it is open: %s", s.log())
	}
	for name, o := range map[string]*websocket.DialOptions{
		"a page": {HTTPHeader: http.Header{"Origin": {"https://evil.example"}}}, "a name": {Host: "evil.example"},
	} {
		_, resp, err := websocket.Dial(t.Context(), s.url, o) //nolint:bodyclose // the library closes it
		if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s of somebody else: %v, %v", name, resp, err)
			continue
		}
		if text, _ := io.ReadAll(resp.Body); name == "a name" && strings.Count(string(text), "127.0.0.1") != 1 {
			t.Errorf("the names to use are: %s", text)
		}
	}
	resp, err := http.Get("http" + strings.TrimSuffix(strings.TrimPrefix(s.url, "ws"), "/studio") + healthPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "ok\n" {
		t.Errorf("the health is %q, %v", text, err)
	}
	s.end(syscall.SIGTERM)
}

func TestServeTLS(t *testing.T) {
	p := spokenProcess(t)
	pool := selfSigned(t, p)
	s := p.serve(t, "--studio", "--tls-cert", "cert.pem", "--tls-key", "key.pem")
	if !strings.HasPrefix(s.url, "wss://") {
		t.Errorf("it serves at %s", s.url)
	}
	ws, _, err := websocket.Dial(t.Context(), s.url, &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &studioTalk{s, ws}
	c.say("", "s1", "in blue")
	if got := chat(c.until("")); !strings.Contains(got, "In blue it is.") {
		t.Errorf("said %q", got)
	}
	resp, err := http.Get("http" + strings.TrimPrefix(s.url, "wss")) // without TLS
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	s.end(syscall.SIGTERM)
	for line := range strings.Lines(s.log()) {
		if strings.HasPrefix(line, "{") && !strings.Contains(line, `"level":`) || strings.Contains(line, "handshake") && !strings.Contains(line, `"level":"warn"`) {
			t.Errorf("a line of the log has no level, or a wrong one: %s", line)
		}
	}
	if !strings.Contains(s.log(), "handshake") {
		t.Errorf("the log does not tell of who came without TLS: %s", s.log())
	}
}

// selfSigned writes a certificate for this machine and its key into the folder of p,
// and returns who trusts it.
func selfSigned(t *testing.T, p *process) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: mathbig.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	put(t, p.in("cert.pem"), string(cert))
	put(t, p.in("key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(cert) {
		t.Fatal("the certificate is none")
	}
	return pool
}

// TestServeTwiceCtrlC ends at once, without the grace.
func TestServeTwiceCtrlC(t *testing.T) {
	p := newProcess(t)
	put(t, "spoken.json", `{"defaults": {"delay": "10m"}, "roles": {"tl": [{"text": "late"}], "a": [{"text": "late"}]}}`)
	put(t, "team.yaml", spokenTeam+"serve: {grace: 10m}\n")
	s := p.serve(t, "--studio")
	c := s.ask("", "s1", "begin")
	c.until("model-invocation-state")
	s.interrupt()
	_ = c.ws.CloseNow() // or the server waits for its farewell
	if code := s.end(os.Interrupt); code != exitOK {
		t.Errorf("exit code %d: %s", code, s.log())
	}
}

// TestServeLeavesTheSlow: who has not sent what it began to send keeps the server from
// ending only for as long as a farewell may take.
func TestServeLeavesTheSlow(t *testing.T) {
	p := newProcess(t)
	put(t, "spoken.json", spoken)
	put(t, "team.yaml", spokenTeam+"serve: {grace: 10m}\n")
	s := p.serve(t, "--client", "--envelope")
	address := strings.TrimPrefix(s.url, "ws://")
	address, _, _ = strings.Cut(address, "/")
	for _, path := range []string{"/files", "/envelope"} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\nbegin", path, address); err != nil {
			t.Fatal(err)
		}
	}
	<-time.After(200 * time.Millisecond) // the requests are under way
	s.interrupt()
	began := time.Now()
	if code := s.end(os.Interrupt); code != exitOK || time.Since(began) > 20*time.Second {
		t.Errorf("exit code %d after %v: %s", code, time.Since(began), s.log())
	}
}
