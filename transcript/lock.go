package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lockName is the file beside the log whose lock the writer holds. It has the
// writer's process id, for the error of those who come second. It stays when
// the writer is gone: removing it would let two writers lock two files.
const lockName = "log.lock"

// writeLock is a lock held. The operating system lets go of it when the
// process dies.
type writeLock struct{ file *os.File }

// lockLog locks the log in the file f for writing, or fails with ErrLocked.
func lockLog(f *os.File) (*writeLock, error) {
	path := filepath.Join(filepath.Dir(f.Name()), lockName)
	file, held, err := openLock(path, f)
	switch {
	case err != nil:
		return nil, fmt.Errorf("transcript: lock %s: %w", path, err)
	case held:
		return nil, fmt.Errorf("transcript: %s: %w%s", f.Name(), ErrLocked, holder(path))
	}
	pid := []byte(strconv.Itoa(os.Getpid()) + "\n")
	if err := file.Truncate(0); err == nil {
		// Only a help for people; the lock holds without it.
		_, _ = file.WriteAt(pid, 0)
	}
	return &writeLock{file: file}, nil
}

// Close lets go of the lock.
func (w *writeLock) Close() error {
	_ = w.file.Truncate(0) // only a help for people
	return closeLock(w.file)
}

// holder names the process that holds the lock at path, if it is known.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" by process %d", pid)
}
