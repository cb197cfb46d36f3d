package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/troupe-go/troupe/event"
)

// poll is how often a file is looked at that is followed.
const poll = 100 * time.Millisecond

// ReadOptions tune [ReadFile].
type ReadOptions struct {
	// After leaves out the records up to this seq; 0 leaves out none.
	After int64
	// Follow waits for more at the end of the file instead of ending there.
	Follow bool
	// Torn is called at the end when a torn last line of so many bytes was left
	// out; nil is not. A follower never calls it.
	Torn func(bytes int64)
}

// ReadFile yields the records of the log file at path, which another process
// may be writing. It takes no lock and needs little memory beside one line,
// however large the file is. A torn last line is left out or, when following,
// waited for. An error is yielded last: a [*DamageError] for a line that is no
// record, the cause of ctx when that ends. Without an error a follower never
// ends by itself: the caller breaks off at the record that it takes for the
// end.
func ReadFile(ctx context.Context, path string, o ReadOptions) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(event.Record{}, fmt.Errorf("transcript: read: %w", err))
			return
		}
		defer f.Close()
		in := newFileLines(f)
		for ctx.Err() == nil {
			line, err := in.next()
			n := in.line
			switch {
			case errors.Is(err, io.EOF) && o.Follow:
				if err := in.await(ctx, f); err != nil {
					yield(event.Record{}, in.failure(path, err))
					return
				}
				continue
			case errors.Is(err, io.EOF):
				if rec, err := decodeRecord(line, n+1); err != nil {
					o.tellTorn(f, in.off)
				} else if rec.Seq > o.After {
					yield(rec, nil)
				}
				return
			case err != nil:
				yield(event.Record{}, in.failure(path, err))
				return
			case n <= o.After:
				continue
			}
			rec, err := decodeRecord(line, n)
			if err != nil {
				yield(event.Record{}, damageError(path, n, err))
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
		yield(event.Record{}, context.Cause(ctx))
	}
}

// tellTorn calls Torn if anything stands behind the last whole line of f, which
// ends at off.
func (o ReadOptions) tellTorn(f *os.File, off int64) {
	info, err := f.Stat()
	if o.Torn != nil && err == nil && info.Size() > off {
		o.Torn(info.Size() - off)
	}
}

// await waits a little and then reads on behind the last whole line of f.
func (l *lines) await(ctx context.Context, f *os.File) error {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil // the caller looks at ctx itself
	case <-timer.C:
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < l.off {
		return errShorter
	}
	l.again()
	return nil
}

// Header returns what the log file at path begins with, and its record. It
// fails with [ErrEmpty] when there is no whole record yet, and with a
// [*DamageError] when the first is no header.
func Header(path string) (event.RunStarted, event.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return event.RunStarted{}, event.Record{}, fmt.Errorf("transcript: read: %w", err)
	}
	defer f.Close()
	return header(f, path)
}

func header(f *os.File, path string) (event.RunStarted, event.Record, error) {
	in := newFileLines(f)
	line, err := in.next()
	switch {
	case errors.Is(err, io.EOF):
		rec, err := decodeRecord(line, 1)
		if err != nil {
			return event.RunStarted{}, event.Record{}, fmt.Errorf("transcript: %s: %w", path, ErrEmpty)
		}
		return asHeader(rec, path)
	case err != nil:
		return event.RunStarted{}, event.Record{}, in.failure(path, err)
	}
	rec, err := decodeRecord(line, 1)
	if err != nil {
		return event.RunStarted{}, event.Record{}, damageError(path, 1, err)
	}
	return asHeader(rec, path)
}

func asHeader(rec event.Record, path string) (event.RunStarted, event.Record, error) {
	h, ok := rec.Data.(event.RunStarted)
	if !ok {
		err := fmt.Errorf("a record of type %s stands where the header belongs", rec.Type())
		return h, rec, damageError(path, 1, err)
	}
	return h, rec, nil
}
