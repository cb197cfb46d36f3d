package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/troupe-go/troupe/event"
)

const (
	maxLine    = 64 << 20 // bytes of a line, its newline included
	readBuffer = 64 << 10
	spareLine  = 1 << 20 // a buffer that one huge line blew up is not kept
)

var (
	errLongLine = errors.New("the line is longer than 64 MiB")
	errShorter  = errors.New("the file is shorter than it was")
)

// lines reads a log line by line, and knows where it stands.
type lines struct {
	src  io.ReaderAt
	end  int64 // reads stop here
	br   *bufio.Reader
	long []byte // a line that is longer than the buffer of br

	line int64 // number of the last whole line that next returned, from 1
	off  int64 // where the line after it begins
}

// newLines reads src from start to end; the line there is number first.
func newLines(src io.ReaderAt, start, end, first int64) *lines {
	l := &lines{src: src, end: end, line: first - 1, off: start}
	l.br = bufio.NewReaderSize(nil, readBuffer)
	l.again()
	return l
}

func newFileLines(src io.ReaderAt) *lines { return newLines(src, 0, math.MaxInt64, 1) }

// again goes back to the end of the last whole line, to read on when the file
// has grown.
func (l *lines) again() {
	l.br.Reset(io.NewSectionReader(l.src, l.off, l.end-l.off))
}

// next returns the next line without its newline; it is good until the next
// call. At the end it returns io.EOF with the bytes that no newline ends.
func (l *lines) next() ([]byte, error) {
	if cap(l.long) > spareLine {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		part, err := l.br.ReadSlice('\n')
		if len(l.long)+len(part) > maxLine {
			return nil, l.tooLong()
		}
		if err == nil && len(l.long) == 0 {
			return l.whole(part), nil
		}
		l.long = append(l.long, part...)
		switch {
		case err == nil:
			return l.whole(l.long), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return l.long, err
		}
	}
}

// tooLong is io.EOF when the long line is the last and no newline ends it, as
// a crash may leave it.
func (l *lines) tooLong() error {
	r := tailOf(l.src, l.off)
	buf := make([]byte, readBuffer)
	for {
		n, err := r.Read(buf)
		switch {
		case bytes.IndexByte(buf[:n], '\n') >= 0:
			return errLongLine
		case err != nil:
			return err
		}
	}
}

// failure says that the line behind the last whole one cannot be had.
func (l *lines) failure(path string, err error) error {
	if errors.Is(err, errLongLine) || errors.Is(err, errShorter) {
		return damageError(path, l.line+1, err)
	}
	return fmt.Errorf("transcript: read: %w", err)
}

func (l *lines) whole(line []byte) []byte {
	l.line++
	l.off += int64(len(line))
	return line[:len(line)-1]
}

// decodeRecord reads the record of line number n.
func decodeRecord(line []byte, n int64) (event.Record, error) {
	rec, err := unseal(line)
	if err != nil {
		return event.Record{}, err
	}
	if rec.Seq != n {
		return event.Record{}, fmt.Errorf("record %d stands where record %d belongs", rec.Seq, n)
	}
	return rec, nil
}

// tailOf reads src from the offset from on.
func tailOf(src io.ReaderAt, from int64) io.Reader {
	return io.NewSectionReader(src, from, math.MaxInt64-from)
}
