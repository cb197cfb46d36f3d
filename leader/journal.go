package leader

import (
	"sync"

	"github.com/troupe-go/troupe/event"
)

// journal is the log as the parts of a run see it: what is appended is folded
// into the roster at once, and whoever watches is told.
type journal struct {
	event.Appender
	roster *roster

	mu   sync.Mutex // guards news
	news chan struct{}
}

func (j *journal) Append(agent string, turn int, d event.Data) (event.Record, error) {
	rec, err := j.Appender.Append(agent, turn, d)
	if err != nil {
		return rec, err
	}
	j.roster.apply(rec)
	j.tell()
	return rec, nil
}

// watch returns a channel that is closed at the next record. Take it before
// looking at what the record may change.
func (j *journal) watch() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.news == nil {
		j.news = make(chan struct{})
	}
	return j.news
}

// tell wakes all who watch.
func (j *journal) tell() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.news != nil {
		close(j.news)
		j.news = nil
	}
}
