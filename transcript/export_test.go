package transcript

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
	n := 0
	for _, p := range l.tail.pages {
		n += len(p.recs)
	}
	return n
}
