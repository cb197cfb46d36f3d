package client

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/gateway"
)

// room is what the connections of one session share. All of it may be forgotten:
// what counts is in the log.
type room struct {
	mu      sync.Mutex          // guards all below, for an instant at a time
	conns   []*conn             // the one that came last is the last one
	left    time.Time           // when the last one left
	seq     int64               // newest of the client that was processed
	callees map[string]callee   // by the id of the call
	done    map[string]*outcome // by the id of the message
	swept   time.Time           // when what is too old was looked for
}

// callee is who executes a call.
type callee struct {
	conn   *conn
	closed time.Time // since when the call has its result; zero while it is open
}

// outcome is what came of a message, while that may be asked for again.
type outcome struct {
	at       time.Time
	ready    chan struct{} // closed when the rest is there
	answer   Message       // without a body when nothing was answered
	isPrompt bool          // it is answered by the log, unless it was refused
}

// firstSweep is from how many rooms on some may be forgotten.
const firstSweep = 256

// enter returns the room of a session; old is whether it was there.
func (h *Handler) enter(session string, c *conn) (r *room, old bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if len(h.rooms) >= h.sweepAt {
		for name, r := range h.rooms {
			if r.forgettable(now) {
				delete(h.rooms, name)
			}
		}
		h.sweepAt = max(firstSweep, 2*len(h.rooms))
	}
	r = h.rooms[session]
	old = r != nil && !r.forgettable(now)
	if !old {
		r = &room{callees: map[string]callee{}, done: map[string]*outcome{}, swept: now}
		h.rooms[session] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = append(r.conns, c)
	return r, old
}

// has reports whether somebody was in the room of a session not long ago.
func (h *Handler) has(session string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rooms[session]
	return r != nil && !r.forgettable(time.Now())
}

// forgettable reports whether nobody needs the room.
func (r *room) forgettable(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.conns) == 0 && now.Sub(r.left) > known
}

// leave takes a connection out of the room; those who are still there are offered
// the calls that were its own.
func (r *room) leave(c *conn) {
	for _, other := range r.without(c) {
		other.offer(false)
	}
}

func (r *room) without(c *conn) []*conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = slices.DeleteFunc(r.conns, func(o *conn) bool { return o == c })
	r.left = time.Now()
	free := false
	for id, callee := range r.callees {
		if callee.conn == c && callee.closed.IsZero() {
			delete(r.callees, id)
			free = true
		}
	}
	if !free {
		return nil
	}
	return slices.Clone(r.conns)
}

// claim makes a connection the one that executes a call, unless one does or did:
// also this one. A client that comes back takes its calls over from the connection
// that it had, which may only seem to live; that one gets no new ones.
func (r *room) claim(id string, c *conn, back bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isLeft(c) {
		return false
	}
	now, taken := r.callees[id]
	switch {
	case !taken:
	case !now.closed.IsZero() || now.conn == c:
		return false
	case !r.isLeft(now.conn) && (!back || !mayBeOne(now.conn.info, c.info)):
		return false
	}
	r.callees[id] = callee{conn: c}
	return true
}

// isLeft reports whether the client of a connection, which says who it is, has come
// back on another one; the caller holds r.mu.
func (r *room) isLeft(c *conn) bool {
	at := slices.Index(r.conns, c)
	return c.info.Instance != "" && slices.ContainsFunc(r.conns[at+1:], func(o *conn) bool { return o.info.Instance == c.info.Instance })
}

// mayBeOne reports whether two connections may be of one client.
func mayBeOne(a, b Info) bool {
	return a.Instance == "" || b.Instance == "" || a.Instance == b.Instance
}

// close notes that a call has its result: a connection that lags does not begin
// with it any more.
func (r *room) close(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callees[id] = callee{closed: time.Now()}
}

// order checks the number of a message of the client. One that was sent again has
// an old number, one without a number is not counted.
func (r *room) order(seq int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seq > 0 && seq-1 > r.seq {
		e := gateway.NewError(gateway.StatusConflict, "message %d came, and %d was not seen", seq, r.seq+1).
			WithHint("send again all that was not answered, in order")
		e.Retryable = true
		return e
	}
	r.seq = max(r.seq, seq)
	return nil
}

// skip takes the number of a hello, which no gap keeps out: what the last connection
// lost comes behind it, with the numbers that it had.
func (r *room) skip(seq int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq = max(r.seq, seq)
}

func (r *room) processed() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seq
}

// begin notes that a message is served; first is false when it was before.
func (r *room) begin(id string) (o *outcome, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if o := r.done[id]; o != nil && now.Sub(o.at) <= known {
		return o, false
	}
	r.sweep(now)
	o = &outcome{at: now, ready: make(chan struct{})}
	r.done[id] = o
	return o, true
}

// forget makes a message that had no effect one that was never sent.
func (r *room) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.done, id)
}

// sweep forgets what nobody asks for any more; the caller holds r.mu.
func (r *room) sweep(now time.Time) {
	if now.Sub(r.swept) <= known {
		return
	}
	r.swept = now
	maps.DeleteFunc(r.done, func(_ string, o *outcome) bool { return now.Sub(o.at) > known })
	maps.DeleteFunc(r.callees, func(_ string, c callee) bool { return !c.closed.IsZero() && now.Sub(c.closed) > known })
}
