package client_test

import (
	"bytes"
	"context"
	"net"
	"sync"
	"time"
)

// pipes is a listener whose connections are pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case p.conns <- newBuffered(a):
		return newBuffered(b), nil
	case <-p.closed:
	case <-ctx.Done():
	}
	return nil, net.ErrClosed
}

// buffered is the end of a pipe that takes a little before anybody reads it, as a
// socket does.
type buffered struct {
	net.Conn
	out    chan []byte
	closed chan struct{}
	once   sync.Once
}

func newBuffered(c net.Conn) *buffered {
	b := &buffered{Conn: c, out: make(chan []byte, 8), closed: make(chan struct{})}
	go b.pump()
	return b
}

// pump hands over what was written, also what was when the end is closed.
func (b *buffered) pump() {
	defer b.Conn.Close()
	for {
		select {
		case p := <-b.out:
			if _, err := b.Conn.Write(p); err != nil {
				b.Close()
				return
			}
			continue
		case <-b.closed:
		}
		for {
			select {
			case p := <-b.out:
				_, _ = b.Conn.Write(p)
				continue
			default:
			}
			return
		}
	}
}

func (b *buffered) Write(p []byte) (int, error) {
	select {
	case <-b.closed:
		return 0, net.ErrClosed
	default:
	}
	select {
	case b.out <- bytes.Clone(p):
		return len(p), nil
	case <-b.closed:
		return 0, net.ErrClosed
	}
}

func (b *buffered) Close() error {
	b.once.Do(func() {
		close(b.closed)
		_ = b.SetReadDeadline(time.Now())
		_ = b.SetWriteDeadline(time.Now().Add(time.Millisecond))
	})
	return nil
}
