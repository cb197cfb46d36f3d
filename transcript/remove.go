package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// ownFile matches the names of the files that this package puts beside a log,
// and ownResult those in the folder FilesName. Nothing else is removed: a log
// may have been copied into a folder of somebody's work.
var (
	ownFile   = regexp.MustCompile(`^log\.(torn|jsonl\.damaged(-[0-9]+)?|jsonl\.new-[0-9]+)$`)
	ownResult = regexp.MustCompile(`^([0-9a-f]{32}\.txt|new-[0-9]+)$`)
)

// Remove deletes the log in the folder dir with all that this package wrote
// beside it, and the folder itself if nothing else is in it. It fails with
// [ErrLocked] while the log is being written.
func Remove(dir string) error {
	path := filepath.Join(dir, FileName)
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("transcript: remove: %w", err)
	}
	lock, err := lockLog(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	files := filepath.Join(dir, FilesName)
	err = errors.Join(
		removeMatching(files, ownResult), removeEmpty(files),
		removeMatching(dir, ownFile),
		os.Remove(path), // late, so that a removal that was cut short can be done again
		lock.Close(),
		os.Remove(filepath.Join(dir, lockName)), removeEmpty(dir),
	)
	if err != nil {
		return fmt.Errorf("transcript: remove: %w", err)
	}
	return nil
}

// removeMatching deletes the files of dir with such names; a folder that is
// not there has none.
func removeMatching(dir string, names *regexp.Regexp) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	for _, e := range entries {
		if names.MatchString(e.Name()) && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// removeEmpty deletes the folder dir, if it is there, unless something is in
// it.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && len(entries) > 0:
		return nil
	case err != nil:
		return err
	}
	return os.Remove(dir)
}

// Old lists the runs in dir of which nothing was logged since the time before,
// the newest first; it looks into no other log. Those that are being written
// are not among them.
func Old(dir string, before time.Time) ([]Run, error) {
	untouched := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.ModTime().Before(before)
	}
	runs, err := runsIf(dir, untouched)
	if err != nil {
		return nil, err
	}
	var old []Run
	for _, run := range runs {
		if run.Updated.Before(before) && !writing(run.Path) {
			old = append(old, run)
		}
	}
	return old, nil
}
