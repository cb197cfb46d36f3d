package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/troupe-go/troupe/gateway"
)

// Options tune a [Handler].
type Options struct {
	gateway.Ground
	// Capabilities are what clients are told of the server: models, tools, the
	// context window and how many sessions work at once. The rest is filled in.
	Capabilities Capabilities
	// Files is a folder for the files that clients send; nil takes none.
	Files *Files
	// MaxMessage is the largest message in bytes, of both sides; 0 means 16 KiB.
	MaxMessage int
	// Heartbeat is how often the client is asked whether it lives; after two
	// without a word the connection is dead. 0 means 20 seconds.
	Heartbeat time.Duration
	// MaxGreeting bounds the connections that have not said who they are; 0 means
	// 1024.
	MaxGreeting int
}

const (
	defaultMaxMessage = 16 << 10
	minMessage        = 2 << 10
	maxWhole          = 4 << 20 // of a message in fragments
	defaultHeartbeat  = 20 * time.Second
	defaultGreeting   = 1024
	greetingTimeout   = 10 * time.Second
	// known is how long the ids of messages are known at least, and a session that
	// nothing was asked of yet.
	known = 5 * time.Minute
	// serving is how long a request may take before the client is told to come
	// again: less than two heartbeats, for meanwhile nothing is read.
	serving = 15 * time.Second
)

// Handler serves the client protocol.
type Handler struct {
	opts     Options
	greeting atomic.Int64 // connections that have not said who they are

	mu      sync.Mutex // guards all below
	rooms   map[string]*room
	sweepAt int // number of rooms at which those are looked for that may be forgotten
}

// New makes a Handler.
func New(o Options) (*Handler, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.MaxMessage, o.Heartbeat = cmp.Or(o.MaxMessage, defaultMaxMessage), cmp.Or(o.Heartbeat, defaultHeartbeat)
	o.MaxGreeting = cmp.Or(o.MaxGreeting, defaultGreeting)
	if o.MaxMessage < minMessage || o.MaxMessage > maxWhole || o.Heartbeat < time.Second {
		return nil, errors.New("client: MaxMessage is from 2 KiB to 4 MiB, Heartbeat at least a second")
	}
	return &Handler{opts: o, rooms: map[string]*room{}, sweepAt: firstSweep}, nil
}

// FilesPath is where clients send files, and below which they get them.
const FilesPath = "/files"

// Mount puts the protocol at path, with and without the id of a session behind
// it, and the files at [FilesPath]. Other handlers may be at paths above and below
// path, but not at FilesPath or below.
func (h *Handler) Mount(mux *http.ServeMux, path string) {
	// They name no method, or a path below with all methods would be in conflict.
	mux.HandleFunc(path, h.connect)
	mux.HandleFunc(strings.TrimSuffix(path, "/")+"/{session}", h.connect)
	mux.HandleFunc("POST "+FilesPath, h.upload)
	mux.HandleFunc("GET "+FilesPath+"/{ref}", h.download)
}

// protocol is the subprotocol of the handshake by which a page, which can set no
// header, sends a token: the pair "bearer" and the token.
const protocol = "bearer"

// credentials are the token of a request, empty if it has none.
func credentials(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	offered := strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	if len(offered) == 2 && strings.TrimSpace(offered[0]) == protocol {
		return strings.TrimSpace(offered[1])
	}
	return ""
}

// connect serves one connection to its end.
func (h *Handler) connect(w http.ResponseWriter, r *http.Request) {
	c := &conn{h: h, born: time.Now(), out: newLatch(), remote: r.RemoteAddr, trace: newTrace(), path: r.PathValue("session"), token: credentials(r)}
	if err := h.admit(c, r); err != nil {
		c.refuse(gateway.AuditAuth, c.trace, err)
		writeError(w, err)
		return
	}
	defer c.leave()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols: []string{protocol}, InsecureSkipVerify: true, // the origin was checked
	})
	if err != nil {
		return // and the client was told
	}
	c.ws = ws
	ws.SetReadLimit(maxWhole)
	defer func() { _ = ws.CloseNow() }()
	c.serve(r.Context())
}

// admit checks what can be checked before there is a connection.
func (h *Handler) admit(c *conn, r *http.Request) error {
	if err := h.opts.Origins.Check(r); err != nil {
		return err
	}
	select {
	case <-h.opts.Closing:
		return gateway.NewError(gateway.StatusUnavailable, "the server stops").WithHint("connect again in a while")
	default:
	}
	if c.token != "" {
		return c.identify(c.token)
	}
	if h.greeting.Add(1) > int64(h.opts.MaxGreeting) {
		h.greeting.Add(-1)
		return gateway.NewError(gateway.StatusTooMany, "too many connections have not said who they are").WithHint("connect again in a while")
	}
	c.release = func() { h.greeting.Add(-1) }
	return nil
}

// writeError answers a request with an error.
func writeError(w http.ResponseWriter, err error) {
	e := gateway.ErrorOf(err)
	status := int(e.Code)
	if status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	if e.RetryAfterMS > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((e.RetryAfterMS+999)/1000, 10))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Response{Error: e}) // who has gone hears nothing
}
