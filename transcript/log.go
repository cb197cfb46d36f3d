package transcript

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Log is the log of one run. It is safe for use by many goroutines. It
// implements [event.Appender] and [event.Source].
type Log struct {
	opts    Options
	path    string // empty in memory
	file    file   // nil in memory
	lock    io.Closer
	dropped int

	mu        sync.Mutex    // guards all fields below
	tail      tail          // the records
	live      ring          // the newest live records
	followers int           // readers in Follow
	news      chan struct{} // closed when there is something new; nil while nobody waits
	closed    bool
	err       error  // why nothing can be appended any more
	size      int64  // bytes of the file, up to the end of the last record
	buf       []byte // the line being written
	durable   int64  // seq up to which the file was forced to the disk
	syncing   bool   // somebody forces the file, without the lock
	unsure    bool   // forcing failed once, so it is not known what is on the disk
	synced    sync.Cond
}

var (
	_ event.Appender = (*Log)(nil)
	_ event.Source   = (*Log)(nil)
)

// NewMemory returns an empty log that keeps all its records in memory.
func NewMemory(o Options) *Log {
	o.Sync = SyncOff
	o, _ = o.withDefaults() // fails for a sync mode only
	return newLog(o)
}

func newLog(o Options) *Log {
	l := &Log{opts: o}
	l.synced.L = &l.mu
	return l
}

// Append writes d as the next record, in one write, and returns the record as
// every reader will see it: secrets masked, text that is not UTF-8 repaired,
// slices copied, long tool results cut (see [Options.MaxResult]). Depending on
// [Options.Sync] it returns only when the record is on the disk; appends of
// others go on meanwhile.
//
// It fails for live types and for data that has no JSON form; then nothing was
// appended and the log goes on. It fails with [ErrClosed] after Close, and
// with a [*WriteError] when the file cannot be written; every later call then
// fails with the same error.
func (l *Log) Append(agent string, turn int, d event.Data) (event.Record, error) {
	d, err := enter(l.opts.Mask, d)
	if err != nil {
		return event.Record{}, err
	}
	if d.Type().Live() {
		return event.Record{}, fmt.Errorf("transcript: append: records of type %s are live only", d.Type())
	}
	if result, ok := d.(event.ToolFinished); ok && l.file != nil && len(result.Result) > l.opts.MaxResult {
		if d, err = l.setAside(result); err != nil {
			return event.Record{}, err
		}
	}
	rec := event.Record{V: event.Version, Agent: validUTF8(agent), Turn: turn, Data: d}

	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.add(&rec); err != nil {
		return event.Record{}, err
	}
	if l.file != nil && l.opts.Sync.forces(d.Type()) {
		if err := l.force(rec.Seq); err != nil {
			return event.Record{}, err
		}
	}
	return rec, nil
}

// add completes rec and makes it the newest record. The lock is held.
func (l *Log) add(rec *event.Record) error {
	switch {
	case l.err != nil:
		return l.err
	case l.closed:
		return fmt.Errorf("transcript: append: %w", ErrClosed)
	}
	rec.Seq = l.tail.last + 1
	rec.Time = l.time()
	start := l.size
	if l.file != nil {
		if err := l.write(*rec); err != nil {
			return err
		}
	}
	l.tail.add(*rec, start, l.size-start)
	if l.file != nil {
		l.tail.shrink(l.opts.TailRecords)
	}
	l.announce()
	return nil
}

// Live hands d to the followers that stand at the end of the log, without
// storing it. It does nothing for types that are not live, and after Close.
func (l *Log) Live(agent string, turn int, d event.Data) {
	if !l.followed() {
		return
	}
	d, err := enter(l.opts.Mask, d)
	if err != nil || !d.Type().Live() {
		return
	}
	rec := event.Record{V: event.Version, Agent: validUTF8(agent), Turn: turn, Data: d}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	rec.Time = l.time()
	l.live.add(rec, l.tail.last)
	l.announce()
}

// followed reports whether somebody reads along.
func (l *Log) followed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.followers > 0
}

// time is now, in UTC and without the monotonic reading, as it is read back.
func (l *Log) time() time.Time { return l.opts.Now().UTC() }

// announce wakes all readers that wait. The lock is held.
func (l *Log) announce() {
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// Len is the number of records, which is the seq of the newest.
func (l *Log) Len() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail.last
}

// Path is the file of the log; empty for a log in memory.
func (l *Log) Path() string { return l.path }

// Dropped is the number of bytes of a torn last line that [Open] took off the
// file; 0 when the file ended well.
func (l *Log) Dropped() int { return l.dropped }

// Close forces the file to the disk and releases it. Followers get what they
// have not read yet and then end. Reading goes on to work, appending does not.
// When the log had failed, Close returns that failure. Further calls return
// what the first one did, without doing anything.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.err
	}
	l.closed = true
	defer l.announce()
	if l.file == nil {
		return nil
	}
	for l.syncing {
		l.synced.Wait()
	}
	if l.durable < l.tail.last && !l.unsure {
		l.forceAll()
	}
	if err := l.file.Close(); err != nil {
		l.fail("close", err)
	}
	if err := l.lock.Close(); err != nil {
		l.fail("close", err)
	}
	return l.err
}
