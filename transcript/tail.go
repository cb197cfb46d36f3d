package transcript

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/event"
)

const (
	pageRecords = 128      // a page is full with this many records,
	pageBytes   = 1 << 20  // or with this many bytes of lines
	tailBytes   = 32 << 20 // lines whose records stay in memory, at most, beside the newest page
)

// page is a run of neighbouring records. Its place in the file is kept for
// ever, its records only while they are among the newest.
type page struct {
	first int64          // seq of its first record
	start int64          // where its first line begins in the file
	size  int64          // bytes of its lines
	recs  []event.Record // nil when dropped from memory; otherwise only ever appended to
}

// tail is the list of pages: an index of the whole log, and its newest
// records. Pages before dropped are in the file only.
type tail struct {
	pages   []page
	dropped int
	last    int64 // seq of the newest record, 0 when there is none
	bytes   int64 // bytes of the lines whose records are in memory
}

// add appends rec, whose line of size bytes begins at start.
func (t *tail) add(rec event.Record, start, size int64) {
	n := len(t.pages)
	if n == 0 || len(t.pages[n-1].recs) >= pageRecords || t.pages[n-1].size >= pageBytes {
		next := page{first: rec.Seq, start: start}
		if n > 0 {
			next.recs = make([]event.Record, 0, len(t.pages[n-1].recs))
		}
		t.pages = append(t.pages, next)
		n++
	}
	p := &t.pages[n-1]
	p.recs = append(p.recs, rec)
	p.size += size
	t.bytes += size
	t.last = rec.Seq
}

// shrink drops the oldest pages while keep records stay in memory, and drops
// more while those in memory are too large. The newest page always stays.
func (t *tail) shrink(keep int) {
	for t.dropped < len(t.pages)-1 {
		enough := t.last-t.pages[t.dropped+1].first+1 >= int64(keep)
		if !enough && t.bytes <= tailBytes {
			return
		}
		p := &t.pages[t.dropped]
		t.bytes -= p.size
		p.recs = nil
		t.dropped++
	}
}

// take returns the records after the seq after, as far as they are in one
// place, none beyond limit. There must be one: after < limit <= t.last.
func (t *tail) take(after, limit int64) chunk {
	i, found := slices.BinarySearchFunc(t.pages, after+1, func(p page, seq int64) int {
		return cmp.Compare(p.first, seq)
	})
	if !found {
		i--
	}
	p := t.pages[i]
	if i >= t.dropped {
		to := min(int64(len(p.recs)), limit-p.first+1)
		return chunk{recs: p.recs[after-p.first+1 : to]}
	}
	return chunk{
		inFile: true, start: p.start, end: t.pages[t.dropped].start,
		first: p.first, after: after, limit: limit,
	}
}
