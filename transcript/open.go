package transcript

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// tornName is the file beside the log that keeps the torn lines it had.
const tornName = "log.torn"

// Create makes a new log in the folder dir, which it makes too (mode 0700; the
// file has 0600), and locks it until Close. It fails with [ErrExists] when the
// folder has a log already.
func Create(dir string, o Options) (*Log, error) {
	l, err := newFileLog(dir, o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("transcript: create: %w", err)
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("transcript: create %s: %w", l.path, ErrExists)
	}
	if err != nil {
		return nil, fmt.Errorf("transcript: create: %w", err)
	}
	if err := l.hold(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if l.opts.Sync != SyncOff {
		if err := syncDir(dir); err != nil {
			return nil, errors.Join(writeError("sync", l.path, err), f.Close(), l.lock.Close())
		}
	}
	return l, nil
}

// Open opens the log in the folder dir to go on writing it, and locks it until
// Close. It fails with [ErrLocked] when another writer has it, and with a
// [*DamageError] when a line is no record.
//
// Only a last line that no newline ends may be bad, which is what a crash
// leaves: it is cut off and kept in the file log.torn beside the log, and
// [Log.Dropped] tells how long it was.
func Open(dir string, o Options) (*Log, error) {
	return OpenEach(dir, o, func(event.Record) error { return nil })
}

// OpenEach is [Open] that hands each record of the log to each on the way, in
// order. An error of each ends it and is returned as it is.
func OpenEach(dir string, o Options, each func(event.Record) error) (*Log, error) {
	l, err := newFileLog(dir, o)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("transcript: open: %w", err)
	}
	if err := l.hold(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := l.recover(f, each); err != nil {
		return nil, errors.Join(err, f.Close(), l.lock.Close())
	}
	return l, nil
}

func newFileLog(dir string, o Options) (*Log, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("transcript: %w", err)
	}
	l := newLog(o)
	l.path = filepath.Join(dir, FileName)
	return l, nil
}

// hold locks the log and takes f as its file.
func (l *Log) hold(f *os.File) error {
	lock, err := lockLog(f)
	if err != nil {
		return err
	}
	l.lock, l.file = lock, f
	if l.opts.wrap != nil {
		l.file = l.opts.wrap(f)
	}
	return nil
}

// recover reads the whole file f and makes it end with a whole line.
func (l *Log) recover(f *os.File, each func(event.Record) error) error {
	in := newFileLines(f)
	for {
		start := in.off
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return l.mend(f, in, line, each)
		}
		if err != nil {
			return in.failure(l.path, err)
		}
		rec, err := decodeRecord(line, in.line)
		if err != nil {
			return damageError(l.path, in.line, err)
		}
		if rec.V > event.Version {
			return fmt.Errorf("transcript: %s:%d: %w", l.path, in.line, ErrNewer)
		}
		if err := each(rec); err != nil {
			return err
		}
		l.load(rec, in.off-start)
	}
}

// load takes in a record that stands in the file as a line of size bytes.
func (l *Log) load(rec event.Record, size int64) {
	l.tail.add(rec, l.size, size)
	l.tail.shrink(l.opts.TailRecords)
	l.size += size
	l.durable = rec.Seq
}

// mend deals with what stands behind the last newline of f: rest, unless it is
// very long. A record that lacks nothing but its newline gets one; all else
// goes to the file of torn lines.
func (l *Log) mend(f *os.File, in *lines, rest []byte, each func(event.Record) error) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("transcript: open: %w", err)
	}
	torn := info.Size() - in.off
	if torn == 0 {
		return nil
	}
	if rec, err := decodeRecord(rest, in.line+1); err == nil {
		if _, err := l.file.WriteAt([]byte("\n"), info.Size()); err != nil {
			return writeError("write", l.path, err)
		}
		l.load(rec, torn+1)
		return each(rec)
	}
	if err := l.keepTorn(f, in.off); err != nil {
		return fmt.Errorf("transcript: open: keep the torn last line: %w", err)
	}
	if err := l.file.Truncate(in.off); err != nil {
		return writeError("write", l.path, err)
	}
	l.dropped = int(torn)
	return nil
}

// keepTorn appends what f has from the offset from on to the file of torn
// lines.
func (l *Log) keepTorn(f *os.File, from int64) error {
	path := filepath.Join(filepath.Dir(l.path), tornName)
	kept, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(kept, io.MultiReader(tailOf(f, from), strings.NewReader("\n")))
	if l.opts.Sync != SyncOff {
		err = errors.Join(err, kept.Sync())
	}
	return errors.Join(err, kept.Close())
}
