package freeport

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports below those that systems give to connections and to listeners that ask for
// port 0: from 32768 on (Linux) or 49152 (RFC 6335, section 6).
const (
	first = 10_000
	count = 20_000
)

// Address is an address on loopback at which nobody listens, as host:port. The port is
// not kept, but it is one of many, drawn at random.
func Address(t testing.TB) string {
	t.Helper()
	var listen net.ListenConfig
	var err error
	for range 100 {
		port := strconv.Itoa(first + rand.IntN(count)) //nolint:gosec // no secret
		var l net.Listener
		l, err = listen.Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return l.Addr().String()
	}
	t.Fatalf("no port is free: %v", err)
	return ""
}

// Port is the port of an [Address].
func Port(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(Address(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
