package transcript

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/troupe-go/troupe/event"
)

// The states of a run, as far as its log tells, for [Run.Status].
const (
	StatusRunning     = "running"     // a process writes it now
	StatusInterrupted = "interrupted" // it has no end, and nobody writes it
	StatusSuspended   = "suspended"   // it waits for a person
	StatusFinished    = "finished"
	StatusFailed      = "failed"
	StatusDamaged     = "damaged" // its first or its last line is no record
)

// Run is what one can tell of a run without reading the whole log.
type Run struct {
	ID      string    // from the header; the name of the folder when there is none
	Dir     string    // the folder
	Path    string    // the log file
	Started time.Time // when it began
	Updated time.Time // when its newest record was appended
	Team    string    // the name of the team
	Task    string    // what the person asked for at first
	Status  string    // one of the constants above
	Records int64     // the number of records
}

// Runs lists the runs whose folders are in dir, the newest first. Of each log
// it reads the header and the end. A damaged log is listed as such; a log
// without any record is left out, and so are other files. A dir that does not
// exist has no runs.
func Runs(dir string) ([]Run, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("transcript: runs: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		run, err := readRun(filepath.Join(dir, e.Name(), FileName))
		switch {
		case err == nil:
			runs = append(runs, run)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, ErrEmpty):
		default:
			return nil, err
		}
	}
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	return runs, nil
}

// readRun looks at the log file at path.
func readRun(path string) (Run, error) {
	run := Run{Dir: filepath.Dir(path), Path: path}
	f, err := os.Open(path)
	if err != nil {
		return run, fmt.Errorf("transcript: runs: %w", err)
	}
	defer f.Close()
	head, rec, err := header(f, path)
	if _, damaged := errors.AsType[*DamageError](err); damaged {
		run.ID, run.Status = filepath.Base(run.Dir), StatusDamaged
		if info, err := f.Stat(); err == nil {
			run.Started, run.Updated = info.ModTime().UTC(), info.ModTime().UTC()
		}
		return run, nil
	}
	if err != nil {
		return run, err
	}
	run.ID, run.Team, run.Task = head.RunID, head.TeamName, head.Task
	run.Started, run.Updated, run.Records = rec.Time, rec.Time, rec.Seq
	return run, run.readEnd(f)
}

// readEnd fills in what the end of the log tells.
func (r *Run) readEnd(f *os.File) error {
	lines, rest, err := lastLines(f)
	if err != nil {
		return fmt.Errorf("transcript: runs: %w", err)
	}
	var last event.Record
	if last.UnmarshalJSON(rest) == nil {
		lines = append(lines, rest) // it lacks nothing but its newline
	}
	r.Status = StatusInterrupted
	for i, line := range slices.Backward(lines) {
		var rec event.Record
		newest := i == len(lines)-1
		err := rec.UnmarshalJSON(line)
		switch {
		case err != nil && newest:
			r.Status = StatusDamaged
			return nil
		case err != nil:
			continue
		case newest:
			r.Updated, r.Records = rec.Time, rec.Seq
		}
		if status, ok := statusOf(rec.Data); ok {
			r.Status = status
			break
		}
	}
	if r.Status == StatusInterrupted && writing(r.Path) {
		r.Status = StatusRunning
	}
	return nil
}

// endWindow is how much of the end of a log is read: what follows the end of
// a run is less.
const endWindow = 64 << 10

// lastLines returns the last lines of f, at least one if there is any, and the
// rest that no newline ends.
func lastLines(f *os.File) (lines [][]byte, rest []byte, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	for window := int64(endWindow); ; window *= 8 {
		start := max(0, size-window)
		buf := make([]byte, size-start)
		n, err := f.ReadAt(buf, start)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		lines = bytes.Split(buf[:n], []byte("\n"))
		if start > 0 {
			lines = lines[1:] // it began somewhere before
		}
		if len(lines) >= 2 || start == 0 || window > 2*maxLine {
			n := max(0, len(lines)-1)
			return lines[:n], bytes.Join(lines[n:], nil), nil
		}
	}
}

// statusOf returns the state of a run whose newest record about the run is d.
func statusOf(d event.Data) (status string, ok bool) {
	switch d.(type) {
	case event.RunStarted, event.RunResumed:
		return StatusInterrupted, true
	case event.RunSuspended:
		return StatusSuspended, true
	case event.RunFinished:
		return StatusFinished, true
	case event.RunFailed:
		return StatusFailed, true
	}
	return "", false
}
