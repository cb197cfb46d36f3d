package gateway

import (
	"cmp"
	"sync"
	"time"
)

// LimitOptions bound what users may do. Zero takes the default, a negative value
// lifts the bound.
type LimitOptions struct {
	Connections        int // in all; 1000
	ConnectionsPerUser int // 16
	// Messages and Bytes are how much a user may send in a second, over all
	// connections: 20 messages and 256 KiB. The bursts are how much at once: 40
	// messages and 1 MiB. A message that is larger than the burst of bytes is
	// taken when nothing is owed, and the next ones wait for it.
	Messages, MessageBurst float64
	Bytes, ByteBurst       float64
	// FilesPerUser is how many files a user may keep at the server; 1000.
	FilesPerUser int
	// Patience is how many messages in a row may be refused until a user counts
	// as abusive; 100.
	Patience int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

func (o LimitOptions) withDefaults() LimitOptions {
	o.Connections, o.ConnectionsPerUser = cmp.Or(o.Connections, 1000), cmp.Or(o.ConnectionsPerUser, 16)
	o.Messages, o.MessageBurst = cmp.Or(o.Messages, 20), cmp.Or(o.MessageBurst, 40)
	o.Bytes, o.ByteBurst = cmp.Or(o.Bytes, 256<<10), cmp.Or(o.ByteBurst, 1<<20)
	o.FilesPerUser, o.Patience = cmp.Or(o.FilesPerUser, 1000), cmp.Or(o.Patience, 100)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Limits counts what users do. It is safe for concurrent use.
type Limits struct {
	opts LimitOptions

	mu          sync.Mutex // guards all below
	connections int
	users       map[string]*usage
	sweepAt     int // number of users at which those are looked for that may be forgotten
}

// usage is what one user does.
type usage struct {
	connections     int
	messages, bytes bucket
	refused         int // in a row
}

// NewLimits makes Limits.
func NewLimits(o LimitOptions) *Limits {
	return &Limits{opts: o.withDefaults(), users: map[string]*usage{}, sweepAt: firstSweep}
}

// firstSweep is from how many users on some may be forgotten.
const firstSweep = 256

// Connect counts a new connection of a user until release is called, which may be
// called more than once. It fails with [StatusTooMany] when there are too many.
func (l *Limits) Connect(user string) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.user(user)
	switch o := l.opts; {
	case o.ConnectionsPerUser > 0 && u.connections >= o.ConnectionsPerUser:
		return nil, NewError(StatusTooMany, "you have %d connections; at most %d", u.connections, o.ConnectionsPerUser).
			WithHint("close one first").after(time.Second)
	case o.Connections > 0 && l.connections >= o.Connections:
		return nil, NewError(StatusTooMany, "the server has as many connections as it takes").after(time.Second)
	}
	u.connections++
	l.connections++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		u.connections--
		l.connections--
	}), nil
}

// File fails with [StatusTooMany] when a user who keeps so many files may keep no
// other one. How large a file is does not matter: an empty one has a name too.
func (l *Limits) File(kept int) error {
	most := l.opts.FilesPerUser
	if most <= 0 || kept < most {
		return nil
	}
	err := NewError(StatusTooMany, "you keep %d files at this server; at most %d", kept, most).
		WithHint("ask who runs the server to remove those that nobody needs any more")
	err.Retryable = false
	return err
}

// Message counts a message of a user. It fails with [StatusTooMany] and the wait
// when messages come too fast; then nothing was counted.
func (l *Limits) Message(user string, bytes int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.user(user)
	now := l.opts.Now()
	u.messages.fill(now)
	u.bytes.fill(now)
	var wait time.Duration
	if l.opts.Messages > 0 {
		wait = u.messages.wait(1)
	}
	if l.opts.Bytes > 0 {
		wait = max(wait, u.bytes.wait(float64(bytes)))
	}
	if wait > 0 {
		u.refused++
		return NewError(StatusTooMany, "too many messages or bytes in a second").after(wait)
	}
	u.refused = 0
	u.messages.level--
	u.bytes.level -= float64(bytes)
	return nil
}

// Abusive reports whether a user goes on sending although messages are refused;
// the connection is then closed.
func (l *Limits) Abusive(user string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.users[user]
	return u != nil && l.opts.Patience > 0 && u.refused >= l.opts.Patience
}

// user returns what a user does; the caller holds l.mu.
func (l *Limits) user(name string) *usage {
	if u := l.users[name]; u != nil {
		return u
	}
	now := l.opts.Now()
	if len(l.users) >= l.sweepAt {
		l.sweep(now)
	}
	u := &usage{
		messages: newBucket(l.opts.Messages, l.opts.MessageBurst, now),
		bytes:    newBucket(l.opts.Bytes, l.opts.ByteBurst, now),
	}
	l.users[name] = u
	return u
}

// sweep forgets the users of whom nothing would be known that a new one does not
// have: without connections and with full buckets. The caller holds l.mu.
func (l *Limits) sweep(now time.Time) {
	for name, u := range l.users {
		u.messages.fill(now)
		u.bytes.fill(now)
		quiet := (l.opts.Messages < 0 || u.messages.full()) && (l.opts.Bytes < 0 || u.bytes.full())
		if u.connections == 0 && quiet {
			delete(l.users, name)
		}
	}
	l.sweepAt = max(firstSweep, 2*len(l.users))
}
