package mailbox_test

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
)

// memLog is a log in memory.
type memLog struct {
	mu   sync.Mutex // guards all below
	recs []event.Record
	fail bool // refuse everything
}

var errLog = errors.New("the disk is full")

func (l *memLog) Append(agent string, turn int, d event.Data) (event.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail {
		return event.Record{}, errLog
	}
	rec := event.Record{
		V: event.Version, Seq: int64(len(l.recs) + 1), Time: time.Now().UTC().Round(0),
		Agent: agent, Turn: turn, Data: d,
	}
	l.recs = append(l.recs, rec)
	return rec, nil
}

func (l *memLog) Live(string, int, event.Data) {}

// records returns what was appended so far.
func (l *memLog) records() []event.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.recs)
}

func (l *memLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.recs)
}

func (l *memLog) setFail(fail bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail = fail
}

// reread is rec as a later program reads it from the file.
func reread(t testing.TB, rec event.Record) event.Record {
	t.Helper()
	line, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	var back event.Record
	if err := json.Unmarshal(line, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// dataOf returns the data of all records of one type, in order.
func dataOf[T event.Data](recs []event.Record) []T {
	var all []T
	for _, rec := range recs {
		if d, ok := rec.Data.(T); ok {
			all = append(all, d)
		}
	}
	return all
}
