package transcript

import (
	"context"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Records yields the records with Seq > after, in order, up to the one that is
// the newest when the loop begins. It works on a closed log too. An error,
// which can only come from reading the file, is yielded last.
func (l *Log) Records(after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		at, end := max(after, 0), l.Len()
		for at < end {
			l.mu.Lock()
			c := l.tail.take(at, end)
			l.mu.Unlock()
			for rec, err := range c.records(l.path) {
				if !yield(rec, err) || err != nil {
					return
				}
				at = rec.Seq
			}
		}
	}
}

// Follow yields the records with Seq > after and waits for new ones. Live
// records that are handed over after the loop began come between them, where
// they belong. A reader that lags misses those that are not among the newest
// 1024, and those between records that have to be read back from the file; it
// never misses a record. It ends without error when the log is closed and all was
// yielded, and with the cause of ctx when that ends. Breaking off the loop
// leaves nothing behind.
func (l *Log) Follow(ctx context.Context, after int64) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		c := l.join(max(after, 0))
		defer l.leave()
		for ctx.Err() == nil {
			next, news := l.next(&c)
			if next.empty() {
				if news == nil {
					return
				}
				select {
				case <-ctx.Done():
				case <-news:
				}
				continue
			}
			for rec, err := range next.records(l.path) {
				if ctx.Err() != nil {
					break
				}
				if !yield(rec, err) || err != nil {
					return
				}
				c.after = max(c.after, rec.Seq)
			}
		}
		yield(event.Record{}, context.Cause(ctx))
	}
}

// cursor is where a follower stands.
type cursor struct {
	after int64 // seq of the last record it got
	live  int64 // number of the next live record that it may get
}

// join makes a cursor that gets no live record of the past.
func (l *Log) join(after int64) cursor {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers++
	return cursor{after: after, live: l.live.count}
}

func (l *Log) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers--
}

// next returns what a follower gets next. When that is nothing, news is closed
// as soon as there is more, and is nil when there never will be.
func (l *Log) next(c *cursor) (next chunk, news <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.live = l.live.skip(c.live, c.after)
	if recs := l.live.take(c.live, c.after); len(recs) > 0 {
		c.live += int64(len(recs))
		return chunk{recs: recs}, nil
	}
	if c.after < l.tail.last {
		next := l.tail.take(c.after, l.tail.last)
		if c.live < l.live.count {
			next = next.upTo(l.live.at(c.live).after)
		}
		return next, nil
	}
	if l.closed {
		return chunk{}, nil
	}
	if l.news == nil {
		l.news = make(chan struct{})
	}
	return chunk{}, l.news
}
