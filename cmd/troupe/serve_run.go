package main

import (
	"context"
	"errors"
	"log" //nolint:depguard // net/http logs to nothing else
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// run serves until ctx ends. Then nobody comes in any more, the sessions are
// suspended, the faces end their streams, and all of them have ended when it
// returns.
func (sv *server) run(ctx context.Context, listener net.Listener, faces http.Handler) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = sv.sessions.Run(ctx) }) // it returns nil
	running.Go(func() { sv.recover(ctx) })
	for _, p := range sv.parts {
		running.Go(func() { _ = p.run(ctx) }) // it returns nil
	}

	requests, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(errStopping)
	inside := &crowd{gone: make(chan struct{})}
	srv := &http.Server{
		Handler: inside.count(faces), ErrorLog: log.New(httpLog{sv.Logger}, "", 0), BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}
	failed := make(chan error, 1)
	running.Go(func() {
		failed <- sv.serve(srv, listener)
		stop(errStopping)
	})
	<-ctx.Done()
	sv.Logger.Info().AnErr("err", context.Cause(ctx)).Msg("stopping")
	_ = listener.Close()
	close(sv.closing)
	sv.leave(inside.close(), func() {
		cut(errStopping)
		_ = srv.Close() // who reads from a client that sends nothing knows no context
	})
	_ = srv.Close() // idle connections are left, and those of faces that were cut
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// leave waits until the requests under way are gone. Those that are there when
// everybody has had the time to say farewell are cut off.
func (sv *server) leave(gone <-chan struct{}, cut func()) {
	late := time.NewTimer(sv.grace() + lastWords)
	defer late.Stop()
	for {
		select {
		case <-gone:
			return
		case <-sv.hurry:
			late.Reset(briefWords)
		case <-late.C:
			cut()
		}
	}
}

// httpLog passes on what the HTTP server has to say, which is about single
// connections, to the log for operators.
type httpLog struct{ log zerolog.Logger }

// Write takes one message.
func (l httpLog) Write(p []byte) (int, error) {
	l.log.Warn().Str("err", strings.TrimSpace(string(p))).Msg("the HTTP server complains")
	return len(p), nil
}

// serve answers requests until the listener or the server is closed.
func (sv *server) serve(srv *http.Server, listener net.Listener) error {
	if sv.settings.TLSCert != "" {
		return srv.ServeTLS(listener, sv.settings.TLSCert, sv.settings.TLSKey)
	}
	return srv.Serve(listener)
}

// recover goes on with the sessions that the end of the last process
// interrupted.
func (sv *server) recover(ctx context.Context) {
	n, err := sv.sessions.Recover(ctx)
	if err != nil && ctx.Err() == nil {
		sv.Logger.Error().Err(err).Msg("some sessions do not go on")
	}
	if n > 0 {
		sv.Logger.Info().Int("sessions", n).Msg("sessions go on")
	}
}

// crowd counts the requests under way, those of WebSockets too, which a server's
// own count leaves out.
type crowd struct {
	gone chan struct{} // closed when nobody comes in any more and all have left

	mu     sync.Mutex // guards all below
	n      int
	closed bool
}

// count lets a handler serve who comes in time.
func (c *crowd) count(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !c.enter() {
			http.Error(w, errStopping.Error(), http.StatusServiceUnavailable)
			return
		}
		defer c.leave()
		h.ServeHTTP(w, r)
	})
}

func (c *crowd) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.n++
	}
	return !c.closed
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.closed {
		close(c.gone)
	}
}

// close lets nobody in any more; all have left when what it returns is closed.
// It is called once.
func (c *crowd) close() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed = true; c.n == 0 {
		close(c.gone)
	}
	return c.gone
}
