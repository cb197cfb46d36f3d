package transcript

import "github.com/troupe-go/troupe/event"

// File is the log's view of its file, for tests that put faults between.
type File = file

// WithFile lets wrap stand between the log and its file.
func (o Options) WithFile(wrap func(File) File) Options {
	o.wrap = wrap
	return o
}

// RingSize is how many live records a reader may fall behind.
const RingSize = ringSize

// InMemory is the number of records that are in memory.
func (l *Log) InMemory() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail.inMemory()
}

// TailKeeps is how many of n records of that size stay in memory.
func TailKeeps(n int, size int64, keep int) int {
	var t tail
	for i := range int64(n) {
		t.add(event.Record{Seq: i + 1}, i*size, size)
		t.shrink(keep)
	}
	return t.inMemory()
}

func (t *tail) inMemory() int {
	n := 0
	for _, p := range t.pages {
		n += len(p.recs)
	}
	return n
}

// Line is the line of rec in a file.
func Line(rec event.Record) ([]byte, error) {
	line, err := rec.AppendJSON(nil)
	return append(seal(line), '\n'), err
}

// FindWords lists the words in a text, in lower case, by number and end, as
// the masks look for their anchors: a word that was found is followed by skip
// bytes in which none begins.
func FindWords(words []string, text string, skip int) [][2]int {
	var found [][2]int
	newAnchors(words).scan(text, func(word, end int) int {
		found = append(found, [2]int{word, end})
		return min(len(text), end+skip)
	})
	return found
}
