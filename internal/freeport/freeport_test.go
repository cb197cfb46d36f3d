package freeport_test

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/internal/freeport"
)

// TestAddress: nobody answers there, a server can, and the system gives it to nobody else.
func TestAddress(t *testing.T) {
	for range 100 {
		address := freeport.Address(t)
		if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("somebody at %s: %v", address, err)
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	port, err := strconv.Atoi(freeport.Port(t))
	if err != nil || port < 1024 || port >= 32768 {
		t.Errorf("port %d, %v", port, err)
	}
}
