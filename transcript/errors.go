package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// Errors that callers branch on. They come wrapped with the place they are
// about.
var (
	// ErrExists says that the folder already has a log.
	ErrExists = errors.New("the folder already has a log")
	// ErrLocked says that another writer, of this process or another, has the
	// log open.
	ErrLocked = errors.New("the log is being written")
	// ErrClosed says that the log was closed.
	ErrClosed = errors.New("the log is closed")
	// ErrEmpty says that a file has no whole record, so not even a header.
	ErrEmpty = errors.New("the log has no records")
	// ErrNewer says that a later version of the program wrote the log. It can be
	// read, as far as it is understood, but not written.
	ErrNewer = errors.New("a later version of troupe wrote this log; only that one can go on with it")
	// ErrTooLarge says that a record is longer than 64 MiB as a line. It was
	// not appended; the log goes on.
	ErrTooLarge = errors.New("the record is longer than 64 MiB")
	// ErrNoRun says that no run has the name that was asked for.
	ErrNoRun = errors.New("no such run")
	// ErrAmbiguous says that more than one run has the name that was asked for.
	ErrAmbiguous = errors.New("more than one run")
)

// WriteError says that the log could not be written. What had been appended
// before stays readable; the log takes no more records.
type WriteError struct {
	// Op is what was tried: "write", "sync" or "close". After "sync" and
	// "close" the newest records may or may not be on the disk.
	Op string
	// Path is the file.
	Path string
	// Hint is what to do next, with the command.
	Hint string
	// Err is the cause, as the operating system names it.
	Err error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("transcript: %s %s: %v (%s)", e.Op, e.Path, e.Err, e.Hint)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

func writeError(op, path string, err error) *WriteError {
	hint := "check the disk"
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // without the operation and the path, which stand before it
	}
	if errors.Is(err, syscall.ENOSPC) {
		hint = "free some space"
	}
	hint += "; to see what was logged: troupe replay " + filepath.Dir(path)
	return &WriteError{Op: op, Path: path, Err: err, Hint: hint}
}

// DamageError says that a line of a log is no record, or not the one that
// belongs there. The lines before it are whole.
type DamageError struct {
	// Path is the file.
	Path string
	// Line is the number of the bad line, from 1; it is the number of the
	// record that should stand there.
	Line int64
	// Hint is what to do next, with the command.
	Hint string
	// Err says what is wrong with the line.
	Err error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("transcript: %s:%d: %v (%s)", e.Path, e.Line, e.Err, e.Hint)
}

// Unwrap returns what is wrong with the line.
func (e *DamageError) Unwrap() error { return e.Err }

func damageError(path string, line int64, err error) *DamageError {
	const doubt = "is it the log of a run?"
	hint := "to save what is whole: troupe runs repair " + filepath.Dir(path)
	switch {
	case filepath.Base(path) != FileName: // which is not what a repair of the folder is about
		hint = doubt
	case line == 1:
		hint = doubt + " " + hint
	}
	return &DamageError{Path: path, Line: line, Hint: hint, Err: err}
}
