package transcript

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/troupe-go/troupe/event"
)

// chunk is what a reader takes in one go: neighbouring records in memory, or a
// stretch of the file that holds them.
type chunk struct {
	recs []event.Record

	inFile     bool
	start, end int64 // the stretch of the file
	first      int64 // seq of the first record of the stretch
	after      int64 // only records after this seq are wanted,
	limit      int64 // and none after this one
}

// empty reports whether there is nothing in it.
func (c chunk) empty() bool { return len(c.recs) == 0 && !c.inFile }

// upTo leaves out the records after the seq limit, if they are in memory.
func (c chunk) upTo(limit int64) chunk {
	if n := len(c.recs); n > 0 && c.recs[n-1].Seq > limit {
		c.recs = c.recs[:limit-c.recs[0].Seq+1]
	}
	return c
}

// records yields the records; path is the file. An error is yielded last.
func (c chunk) records(path string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for _, rec := range c.recs {
			if !yield(rec, nil) {
				return
			}
		}
		if c.inFile {
			c.read(path, yield)
		}
	}
}

// read yields the records of the stretch of the file. The file is opened anew,
// so that reading goes on when the log is closed meanwhile.
func (c chunk) read(path string, yield func(event.Record, error) bool) {
	f, err := os.Open(path)
	if err != nil {
		yield(event.Record{}, fmt.Errorf("transcript: read: %w", err))
		return
	}
	defer f.Close()
	in := newLines(f, c.start, c.end, c.first)
	for in.line < c.limit {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF) && in.off == c.end:
			return
		case errors.Is(err, io.EOF):
			yield(event.Record{}, in.failure(path, errShorter))
			return
		case err != nil:
			yield(event.Record{}, in.failure(path, err))
			return
		case in.line <= c.after:
			continue
		}
		rec, err := decodeRecord(line, in.line)
		if err != nil {
			yield(event.Record{}, damageError(path, in.line, err))
			return
		}
		if !yield(rec, nil) {
			return
		}
	}
}
