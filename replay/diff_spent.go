package replay

import (
	"time"

	"github.com/troupe-go/troupe/event"
)

// spending adds up what records cost. The zero value is empty.
type spending struct {
	Spent
	first, last time.Time
}

func (s *spending) add(rec event.Record) {
	if s.first.IsZero() {
		s.first = rec.Time
	}
	s.last = rec.Time
	switch d := rec.Data.(type) {
	case event.ModelReplied:
		s.call(d.Usage, d.Cost)
	case event.ModelFailed:
		s.call(d.Usage, d.Cost)
	case event.ToolFinished:
		s.Tools++
	default: // costs nothing
	}
}

func (s *spending) call(u event.Usage, c *event.Cost) {
	s.Steps++
	s.Usage, s.Cost = s.Usage.Add(u), s.Cost.Add(c)
}

// total is the sum, with the time from the first record to the last.
func (s *spending) total() Spent {
	sum := s.Spent
	if sum.Cost != nil && sum.Cost.Currency == "" { // of two currencies
		sum.Cost = nil
	}
	sum.DurationMS = s.last.Sub(s.first).Milliseconds()
	return sum
}
