package transcript

import (
	"fmt"
	"io"

	"github.com/troupe-go/troupe/event"
)

// file is what the log needs of its file; tests put faults between.
type file interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// write appends the line of rec to the file. When that fails, it takes off
// what was written of the line, and the log takes no more records. The lock is
// held.
func (l *Log) write(rec event.Record) error {
	line, err := rec.AppendJSON(l.buf[:0])
	if err != nil {
		return fmt.Errorf("transcript: append: %w", err)
	}
	line = append(seal(line), '\n')
	if cap(line) <= spareLine {
		l.buf = line
	}
	if len(line) > maxLine {
		return fmt.Errorf("transcript: append: %s: %w", rec.Type(), ErrTooLarge)
	}
	n, err := l.file.WriteAt(line, l.size)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.fail("write", err)
		// Should this fail as well, the rest of the line stays: readers take
		// it for a torn line, and Open drops it.
		_ = l.file.Truncate(l.size)
		return l.err
	}
	l.size += int64(len(line))
	return nil
}

// force returns when the record seq is on the disk. One caller does the work
// for all that wait, without the lock, so that appending goes on. The lock is
// held, and given away meanwhile.
func (l *Log) force(seq int64) error {
	for l.durable < seq {
		switch {
		case l.syncing:
			l.synced.Wait()
		case l.unsure:
			return l.err
		default:
			// Also when a later record could not be written, and when Close
			// has begun, which waits for it.
			l.forceAll()
		}
	}
	return nil
}

// forceAll forces all that is written now. The lock is held, and given away
// meanwhile.
func (l *Log) forceAll() {
	upTo := l.tail.last
	l.syncing = true
	l.mu.Unlock()
	err := l.file.Sync()
	l.mu.Lock()
	l.syncing = false
	if err == nil {
		l.durable = max(l.durable, upTo)
	} else {
		// The kernel may have thrown the pages away: a second try could
		// succeed without having written them.
		l.unsure = true
		l.fail("sync", err)
	}
	l.synced.Broadcast()
}

// fail makes err the reason why nothing can be appended any more, unless there
// is one. The lock is held.
func (l *Log) fail(op string, err error) { l.failAt(op, l.path, err) }

// failAt is fail for a file beside the log.
func (l *Log) failAt(op, path string, err error) {
	if l.err == nil {
		l.err = writeError(op, path, err)
	}
}
