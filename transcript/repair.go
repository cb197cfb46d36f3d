package transcript

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/troupe-go/troupe/event"
)

// damagedName is the file beside the log that keeps it as it was before a
// repair; later ones get a number.
const damagedName = FileName + ".damaged"

// CodeRecordLost is the code of the warning that a repair puts in the place of
// a record that could not be saved, so that all others keep their numbers.
const CodeRecordLost = "record_lost"

// Repaired tells what [Repair] did.
type Repaired struct {
	// Path is the log; Damaged the file that has it as it was, empty when there
	// was nothing to repair.
	Path, Damaged string
	// Kept is how many records were kept.
	Kept int64
	// Dropped are the lines that were not kept, in order.
	Dropped []DroppedLine
	// Lost are the numbers of the records that were lost, in order; a warning
	// with [CodeRecordLost] stands in the place of each, or a header without a
	// team in that of the first.
	Lost []int64
}

// DroppedLine is a line that a repair did not keep.
type DroppedLine struct {
	// Line counts from 1.
	Line int64
	// Seq is the number of the record, 0 when it cannot be read.
	Seq int64
	// Err says what is wrong with it.
	Err error
}

// Repair saves what is whole of the damaged log in the folder dir: as many
// records as can be kept in order, with their numbers. The log as it was is
// kept beside it. A log in which nothing is wrong, or nothing but a torn last
// line, which [Open] deals with, is left alone.
//
// It fails with [ErrLocked] while the log is being written, and with
// [ErrEmpty] when no record is whole.
func Repair(dir string) (done Repaired, err error) {
	l, err := newFileLog(dir, Options{})
	if err != nil {
		return Repaired{}, err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return Repaired{}, fmt.Errorf("transcript: repair: %w", err)
	}
	if err := l.hold(f); err != nil {
		return Repaired{}, errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, f.Close(), l.lock.Close()) }()
	r := &repair{path: l.path, file: f, done: Repaired{Path: l.path}}
	if err := r.survey(); err != nil {
		return Repaired{}, err
	}
	if len(r.done.Dropped) == 0 && len(r.done.Lost) == 0 {
		return r.done, nil
	}
	if r.torn != nil {
		r.done.Dropped = append(r.done.Dropped, *r.torn)
	}
	if err := r.rewrite(); err != nil {
		return Repaired{}, fmt.Errorf("transcript: repair: %w", err)
	}
	return r.done, nil
}

// repair is one repair under way.
type repair struct {
	path string
	file *os.File
	keep []int64      // for each line, the number of its record if that is kept, else 0
	torn *DroppedLine // what stands behind the last newline
	done Repaired
}

// maxLost bounds the records that a repair takes for lost: a number that is
// further ahead is itself what is damaged.
const maxLost = 1 << 20

var (
	errOrder  = errors.New("the record is not in the order of the others")
	errNumber = errors.New("the number of the record cannot be right")
)

// survey reads the log and decides which lines are kept.
func (r *repair) survey() error {
	in := newFileLines(r.file)
	var bad []DroppedLine
	for {
		line, err := in.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return in.failure(r.path, err)
		}
		end := err != nil
		rec, err := unseal(line)
		n := int64(len(r.keep)) + 1
		if end && err != nil { // the end, or a torn last line
			if len(line) > 0 {
				r.torn = &DroppedLine{Line: n, Err: err}
			}
			break
		}
		switch _, head := rec.Data.(event.RunStarted); {
		case err == nil && (rec.Seq < 1 || rec.Seq > n+maxLost):
			err = errNumber
		case err == nil && rec.Seq == 1 && !head:
			err = fmt.Errorf("a record of type %s stands where the header belongs", rec.Type())
		}
		if err != nil {
			bad = append(bad, DroppedLine{Line: n, Seq: rec.Seq, Err: err})
			rec.Seq = 0
		}
		r.keep = append(r.keep, rec.Seq)
		if end {
			break
		}
	}
	seqs := longestRise(r.keep)
	if len(seqs) == 0 {
		return fmt.Errorf("transcript: repair %s: %w", r.path, ErrEmpty)
	}
	r.plan(seqs, bad)
	return nil
}

// plan notes what is kept, dropped and lost. Seqs are the numbers that are
// kept, in order.
func (r *repair) plan(seqs []int64, bad []DroppedLine) {
	last := int64(0)
	for i, seq := range r.keep {
		line := int64(i) + 1
		switch {
		case seq != 0 && len(seqs) > 0 && seq == seqs[0]:
			for lost := last + 1; lost < seq; lost++ {
				r.done.Lost = append(r.done.Lost, lost)
			}
			last, seqs = seq, seqs[1:]
			r.done.Kept++
		case seq != 0:
			r.done.Dropped = append(r.done.Dropped, DroppedLine{Line: line, Seq: seq, Err: errOrder})
			r.keep[i] = 0
		default:
			r.done.Dropped = append(r.done.Dropped, bad[0])
			bad = bad[1:]
		}
	}
}

// longestRise returns the longest rising sequence that is left of list when
// some of it is taken out; zeros are not looked at. Of several as long it
// takes the one that ends lowest.
func longestRise(list []int64) []int64 {
	var ends []int // by length: the index of the lowest end of a sequence so long
	before := make([]int, len(list))
	for i, v := range list {
		if v == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(ends, v, func(i int, v int64) int { return cmp.Compare(list[i], v) })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		}
		ends[at] = i
	}
	if len(ends) == 0 {
		return nil
	}
	rise := make([]int64, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; n >= 0; n, i = n-1, before[i] {
		rise[n] = list[i]
	}
	return rise
}

// rewrite puts a copy of the log aside and then the kept lines in its place.
func (r *repair) rewrite() error {
	aside, err := r.putAside()
	if err != nil {
		return err
	}
	r.done.Damaged = aside
	return putFile(r.path, newLogName, true, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, readBuffer)
		return errors.Join(r.writeKept(w), w.Flush())
	})
}

// putAside copies the log as it is to a new file and returns its path.
func (r *repair) putAside() (path string, err error) {
	var f *os.File
	for n := 1; f == nil; n++ {
		path = filepath.Join(filepath.Dir(r.path), damagedName)
		if n > 1 {
			path += "-" + strconv.Itoa(n)
		}
		f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err = io.Copy(f, tailOf(r.file, 0))
	return path, errors.Join(err, f.Sync(), f.Close())
}

// writeKept writes the kept lines as they are, and what stands for the lost
// records between them.
func (r *repair) writeKept(w io.Writer) error {
	in := newFileLines(r.file)
	lost := r.done.Lost
	for _, seq := range r.keep {
		line, err := in.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if seq == 0 {
			continue
		}
		if len(lost) > 0 && lost[0] < seq {
			rec, err := unseal(line)
			if err != nil {
				return err
			}
			for ; len(lost) > 0 && lost[0] < seq; lost = lost[1:] {
				if err := r.writeLost(w, lost[0], rec.Time); err != nil {
					return err
				}
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// writeLost writes what stands for a lost record, with the time of the next
// one that was kept.
func (r *repair) writeLost(w io.Writer, seq int64, at time.Time) error {
	text := fmt.Sprintf("record %d was damaged and is lost; the log as it was is in %s", seq, filepath.Base(r.done.Damaged))
	rec := event.Record{V: event.Version, Seq: seq, Time: at, Data: event.Warning{Code: CodeRecordLost, Text: text}}
	if seq == 1 {
		rec.Data = event.RunStarted{RunID: filepath.Base(filepath.Dir(r.path)), Program: CodeRecordLost}
	}
	line, err := rec.AppendJSON(nil)
	if err != nil {
		return err
	}
	_, err = w.Write(append(seal(line), '\n'))
	return err
}
