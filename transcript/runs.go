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
	StatusDamaged     = "damaged" // its first or its last line is no record, or it cannot be read
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
// it reads the header and the end. A log that is damaged or cannot be read is
// listed as such; one without any record is left out, and so are other files. A dir that does not
// exist has no runs.
func Runs(dir string) ([]Run, error) {
	return runsIf(dir, func(string) bool { return true })
}

// runsIf lists the runs whose log is at a path for which wanted holds.
func runsIf(dir string, wanted func(path string) bool) ([]Run, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("transcript: runs: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		path := filepath.Join(dir, e.Name(), FileName)
		if !wanted(path) {
			continue
		}
		run, err := readRun(path)
		switch {
		case err == nil:
			runs = append(runs, run)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, ErrEmpty):
		default:
			run.ID, run.Status = e.Name(), StatusDamaged
			runs = append(runs, run)
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
	lines, err := lastLines(f)
	if err != nil {
		return fmt.Errorf("transcript: runs: %w", err)
	}
	r.Status = StatusInterrupted
	for i, line := range slices.Backward(lines) {
		newest := i == len(lines)-1
		if !newest && !isRunRecord(line) {
			continue
		}
		rec, err := unseal(line)
		if newest {
			if err != nil {
				r.Status = StatusDamaged
				return nil
			}
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

const (
	firstWindow = 64 << 10 // bytes of the end of a log that are looked at first
	lastWindow  = 4 << 20  // and at last: hardly anything follows the end of a run
)

// lastLines returns the last lines of f that are whole or lack only their
// newline, as far back as it takes to tell the state of the run.
func lastLines(f *os.File) ([][]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	for window := int64(firstWindow); ; window *= 8 {
		start := max(0, info.Size()-window)
		lines, err := linesFrom(f, start, info.Size())
		if err != nil || start == 0 || slices.ContainsFunc(lines, isRunRecord) ||
			window >= lastWindow && len(lines) > 0 || window > 2*maxLine {
			return lines, err
		}
	}
}

// linesFrom returns the lines of f between start and end. What the first one
// was cut from is left out, and so is a torn last line.
func linesFrom(f *os.File, start, end int64) ([][]byte, error) {
	buf := make([]byte, end-start)
	n, err := f.ReadAt(buf, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	lines := bytes.Split(buf[:n], []byte("\n"))
	if start > 0 {
		lines = lines[1:]
	}
	if n := len(lines); n > 0 {
		if _, err := unseal(lines[n-1]); err != nil {
			lines = lines[:n-1]
		}
	}
	return lines, nil
}

// isRunRecord reports whether line looks like a record of the run itself.
func isRunRecord(line []byte) bool {
	return bytes.Contains(line, []byte(`"type":"run.`))
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
	default:
		return "", false
	}
}
