package mailbox

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Errors of [Box.Put].
var (
	// ErrBoxFull says that the box holds as many messages as it may.
	ErrBoxFull = errors.New("mailbox: the receiver's inbox is full")
	// ErrBoxClosed says that nobody will ever read the box again.
	ErrBoxClosed = errors.New("mailbox: the inbox is closed")
)

// defaultLimit is the number of messages a box holds by default.
const defaultLimit = 10_000

// BoxOptions configure a [Box]. The zero value is fine.
type BoxOptions struct {
	// Limit is the number of waiting messages at which the box refuses what
	// agents and people send; 0 means 10,000, a negative number no limit.
	// What the runtime posts always fits: its notices, reports, late answers.
	Limit int
	// Wakes says which messages are worth waking an idle agent for; nil means
	// all. It is called with the box locked and must not use the box.
	Wakes func(event.MessageSent) bool
	// Now is the clock of [Box.Put]; nil means [time.Now]. Messages that come
	// through a [Post] have the time of their record.
	Now func() time.Time
}

// Box is the inbox of one agent: messages in the order in which they were
// accepted. It is safe for concurrent use; no method waits for another agent.
type Box struct {
	limit int
	wakes func(event.MessageSent) bool
	now   func() time.Time

	mu     sync.Mutex // guards all below
	queue  []event.MessageSent
	marks  []mark        // one for each of queue
	seen   idSet         // ids of all messages that ever came
	news   chan struct{} // made when first needed: most boxes of a large team are idle
	waking int           // how many of queue wake
	closed bool
}

// mark is what a box notes about a waiting message.
type mark struct {
	at    time.Time // when it arrived
	wakes bool
}

// NewBox returns an empty box.
func NewBox(o BoxOptions) *Box {
	b := &Box{limit: o.Limit, wakes: o.Wakes, now: o.Now}
	if b.limit == 0 {
		b.limit = defaultLimit
	}
	if b.now == nil {
		b.now = time.Now
	}
	return b
}

// Put adds a message. One whose id was seen before is accepted and ignored.
// It fails with [ErrBoxFull] or [ErrBoxClosed], and then changes nothing.
func (b *Box) Put(m event.MessageSent) error {
	at := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	fresh, err := b.admits(&m)
	if fresh {
		b.add(m, at)
	}
	return err
}

// deliver is the way in for a message that record appends to the log: check,
// append, apply, under the box's mutex, so that the order of the records is the
// order in the box and nothing is recorded that the box refuses. record must
// not use the box. The message returned is the one that was recorded, or m
// when it was seen before.
func (b *Box) deliver(m event.MessageSent, record func() (event.Record, error)) (event.MessageSent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if fresh, err := b.admits(&m); !fresh {
		return m, err
	}
	rec, err := record()
	sent, err := appended[event.MessageSent](rec, err)
	if err != nil {
		return event.MessageSent{}, err
	}
	b.apply(rec)
	return sent, nil
}

// admits reports whether m is to be added, or why it may not be; it is neither
// when m was seen before. The caller holds the mutex.
func (b *Box) admits(m *event.MessageSent) (fresh bool, err error) {
	if b.seen.has(m.ID) {
		return false, nil
	}
	if b.closed {
		return false, ErrBoxClosed
	}
	if b.limit > 0 && len(b.queue) >= b.limit && !alwaysFits(m) {
		return false, ErrBoxFull
	}
	return true, nil
}

// alwaysFits reports whether the runtime posted m: a notice, a report, or a
// late answer, which is the only note that a sub-agent sends to the leader.
func alwaysFits(m *event.MessageSent) bool {
	switch m.Kind {
	case event.Progress, event.Completion:
		return true
	case event.Note:
		return m.From == event.Runtime || m.To == event.Leader && m.From != event.Person
	default:
		return m.From == event.Runtime
	}
}

// apply is how records change the box, live and on resume. The caller holds
// the mutex.
func (b *Box) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		if !b.seen.has(d.ID) {
			b.add(d, rec.Time)
		}
	case event.MessageDelivered:
		b.remove(d.ID)
	case event.MessageReturned:
		b.remove(d.ID)
	default: // about no message
	}
}

// add puts a message that was not seen before into the queue. The caller holds
// the mutex.
func (b *Box) add(m event.MessageSent, at time.Time) {
	b.seen.add(m.ID)
	wakes := b.wakes == nil || b.wakes(m)
	if wakes {
		b.waking++
	}
	if len(b.queue) == cap(b.queue) { // double, also when large: bursts are short
		b.queue, b.marks = slices.Grow(b.queue, len(b.queue)), slices.Grow(b.marks, len(b.queue))
	}
	b.queue = append(b.queue, m)
	b.marks = append(b.marks, mark{at, wakes})
	b.ring()
}

func (b *Box) remove(id string) {
	i := slices.IndexFunc(b.queue, func(m event.MessageSent) bool { return m.ID == id })
	if i < 0 {
		return
	}
	if b.marks[i].wakes {
		b.waking--
	}
	switch {
	case len(b.queue) == 1: // an empty box holds no memory
		b.queue, b.marks = nil, nil
	case i == 0: // the usual case, without moving a long queue
		b.queue[0] = event.MessageSent{}
		b.queue, b.marks = b.queue[1:], b.marks[1:]
	default:
		b.queue = slices.Delete(b.queue, i, i+1)
		b.marks = slices.Delete(b.marks, i, i+1)
	}
}

// replay applies a record of the log, whatever the box would say to it today.
func (b *Box) replay(rec event.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.apply(rec)
}

// Ring gives news to who waits without a message, for example that the agent
// is to stop.
func (b *Box) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ring()
}

// ring puts the news into the channel. The caller holds the mutex.
func (b *Box) ring() {
	select {
	case b.signal() <- struct{}{}:
	default: // the news is already there
	}
}

// signal returns the channel of news. The caller holds the mutex.
func (b *Box) signal() chan struct{} {
	if b.news == nil {
		b.news = make(chan struct{}, 1)
	}
	return b.news
}

// Drain takes all waiting messages, in order. Who takes them records their
// delivery; until then the log says that they wait.
func (b *Box) Drain() []event.MessageSent {
	b.mu.Lock()
	defer b.mu.Unlock()
	msgs := b.queue
	b.queue, b.marks, b.waking = nil, nil, 0
	return msgs
}

// Peek returns a copy of the waiting messages, in order, and takes none.
func (b *Box) Peek() []event.MessageSent { return b.PeekAfter(0) }

// PeekAfter is [Box.Peek] without the first n messages, for who has seen those.
func (b *Box) PeekAfter(n int) []event.MessageSent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.queue[min(n, len(b.queue)):])
}

// News returns a channel that holds one signal when a message, any message,
// arrived since it was last received from, or somebody rang. It carries no truth: who receives
// looks into the box again.
func (b *Box) News() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.signal()
}

// Waking reports whether at least one waiting message wakes the agent.
func (b *Box) Waking() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waking > 0
}

// Unread returns the number of waiting messages and the time at which the
// oldest of them arrived, which is zero when there is none.
func (b *Box) Unread() (n int, oldest time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return 0, time.Time{}
	}
	return len(b.queue), b.marks[0].at
}

// Close closes the box and returns the messages that nobody took, each once:
// a second call returns none. Put fails with [ErrBoxClosed] from now on.
func (b *Box) Close() []event.MessageSent {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	return b.Drain()
}

// shut closes the box and leaves the waiting messages in it.
func (b *Box) shut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// giveBack takes the oldest message out of the box by way of the record that
// record appends for it; ok is false when none waits.
func (b *Box) giveBack(record func(event.MessageSent) (event.Record, error)) (m event.MessageSent, ok bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return event.MessageSent{}, false, nil
	}
	m = b.queue[0]
	rec, err := record(m)
	if err != nil {
		return event.MessageSent{}, false, err
	}
	b.apply(rec)
	return m, true, nil
}

// Hush lets the messages that wait now no longer count as waking and returns
// their ids; they stay in the box and are drained with the next that wakes.
// record, if not nil, is called first, before another message can come; it must
// not use the box. When it fails, nothing is hushed.
func (b *Box) Hush(record func() error) (ids []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if record != nil {
		if err := record(); err != nil {
			return nil, err
		}
	}
	for i := range b.marks {
		b.marks[i].wakes = false
		ids = append(ids, b.queue[i].ID)
	}
	b.waking = 0
	return ids, nil
}
