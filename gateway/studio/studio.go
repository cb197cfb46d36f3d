package studio

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
)

// Protocol is what the audit calls this protocol.
const Protocol = "studio"

// Options tune a [Handler].
type Options struct {
	gateway.Ground
	// StopOnDisconnect stops the team after its step when the client disconnects
	// before the end; otherwise it works on, and its log can be read.
	StopOnDisconnect bool
	// Verbose shows the model calls of sub-agents too, and whose a tool call is, in
	// its argument _agent.
	Verbose bool
	// NoIterations leaves the steps of the leader out.
	NoIterations bool
	// NewID makes an id that no other connection has, of letters and digits;
	// random ones if nil.
	NewID func() string
}

// Handler serves the studio protocol, one connection a response. It is safe for
// concurrent use.
type Handler struct {
	opts    Options
	waiting chan struct{} // a place for each connection that has not said anything yet

	mu   sync.Mutex // guards busy
	busy map[string]bool
}

// maxWaiting bounds the connections of which nobody knows whose they are.
const maxWaiting = 256

// New makes a Handler.
func New(o Options) (*Handler, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.NewID == nil {
		o.NewID = func() string { return strings.ToLower(rand.Text()[:12]) }
	}
	return &Handler{opts: o, waiting: make(chan struct{}, maxWaiting), busy: map[string]bool{}}, nil
}

// ServeHTTP serves one connection to its end.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &connection{h: h, id: h.opts.NewID(), remote: r.RemoteAddr, log: h.opts.Logger, release: func() {}}
	if err := h.opts.Origins.Check(r); err != nil {
		c.note(err)
		http.Error(w, words(err), http.StatusForbidden)
		return
	}
	select {
	case h.waiting <- struct{}{}:
	default:
		err := gateway.NewError(gateway.StatusTooMany, "too many connections that have said nothing yet")
		c.note(err)
		w.Header().Set("Retry-After", "1")
		http.Error(w, words(err), http.StatusTooManyRequests)
		return
	}
	heard := sync.OnceFunc(func() { <-h.waiting })
	defer heard()
	var err error
	c.ws, err = websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the origin was checked
	if err != nil {
		return // it has answered
	}
	c.ws.SetReadLimit(readLimit)
	c.serve(r.Context(), heard)
}

// enter takes a session for one connection, until leave is called.
func (h *Handler) enter(session string) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[session] {
		return nil, gateway.NewError(gateway.StatusConflict, "the session is busy: another connection waits for its response").
			WithHint("wait for the end of the response, or take another sessionId")
	}
	h.busy[session] = true
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.busy, session)
	}, nil
}

// note writes into the audit that somebody was refused.
func (c *connection) note(err error) {
	e := gateway.AuditEntry{Event: gateway.AuditSession, Detail: words(err)}
	switch refused := gateway.ErrorOf(err); refused.Code {
	case gateway.StatusUnauthorized:
		e.Event = gateway.AuditAuth
	case gateway.StatusTooMany:
		e.Event = gateway.AuditLimit
	default: // about the session, or what was asked of it
	}
	c.h.opts.NoteRefusal(c.entry(e))
}

// audit writes an entry about this connection.
func (c *connection) audit(e gateway.AuditEntry) { c.h.opts.Note(c.entry(e)) }

// entry is an entry of the audit about this connection.
func (c *connection) entry(e gateway.AuditEntry) gateway.AuditEntry {
	e.User, e.Session, e.Protocol, e.Remote = c.user, c.session, Protocol, c.remote
	return e
}

// words are what a person is told of an error.
func words(err error) string {
	e := gateway.ErrorOf(err)
	hint := e.Hint
	if e.RetryAfterMS > 0 {
		hint = strings.TrimPrefix(hint+"; try again in "+wait(e.RetryAfterMS), "; ")
	}
	if hint != "" {
		return e.Message + " (" + hint + ")"
	}
	return e.Message
}

// errGone is the end of a connection that its client gave up, or that is dead.
var errGone = errors.New("studio: the client is gone")

// orRandom is the name of a session whose client gave it none.
func (c *connection) orRandom(session string) string { return cmp.Or(session, "studio-"+c.id) }
