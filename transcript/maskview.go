package transcript

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Records yields the records with secrets masked once more, in all of their
// texts: also in the calls that a model made, which the log has as they were.
// It is for what people see and for what leaves the machine. Errors are passed
// on.
func (m *Mask) Records(records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		var line []byte
		for rec, err := range records {
			if err == nil {
				rec, line, err = m.record(rec, line[:0])
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// record masks one record. It returns the buffer, which holds its JSON form.
func (m *Mask) record(rec event.Record, buf []byte) (event.Record, []byte, error) {
	line, err := rec.AppendJSON(buf)
	if err != nil {
		return event.Record{}, line, fmt.Errorf("transcript: mask: %w", err)
	}
	masked := m.JSON(line)
	if bytes.Equal(masked, line) {
		return rec, line, nil
	}
	var out event.Record
	if err := out.UnmarshalJSON(masked); err != nil {
		return event.Record{}, line, fmt.Errorf("transcript: mask: %w", err)
	}
	return out, line, nil
}
