package transcript

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// RunRecords yields those records of the log file at path that are about the
// run as a whole: its header, its ends, and each time that it was resumed. Of
// all others it only looks at the bytes, so it takes much less time than reading
// the log, and does not notice damage there. A torn last line is left out. An
// error is yielded last.
func RunRecords(path string) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(event.Record{}, fmt.Errorf("transcript: read: %w", err))
			return
		}
		defer f.Close()
		in := newFileLines(f)
		for {
			line, err := in.next()
			end := errors.Is(err, io.EOF)
			if err != nil && !end {
				yield(event.Record{}, in.failure(path, err))
				return
			}
			if isRunRecord(line) {
				rec, err := unseal(line)
				switch {
				case err != nil && end:
					return
				case err != nil:
					yield(event.Record{}, damageError(path, in.line, err))
					return
				case strings.HasPrefix(string(rec.Type()), "run.") && !yield(rec, nil):
					return
				}
			}
			if end {
				return
			}
		}
	}
}
