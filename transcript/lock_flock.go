//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package transcript

import (
	"errors"
	"os"
	"syscall"
)

// openLock opens the file at path and locks it; held says that another has
// the lock. Then it locks the log itself, so that readers can see that it is
// being written (see writing). They try that lock for an instant only, and
// never the one at path, so that no reader makes a writer fail.
func openLock(path string, log *os.File) (f *os.File, held bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, true, f.Close()
	}
	if err == nil {
		err = flock(log, syscall.LOCK_EX)
	}
	if err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, false, nil
}

// closeLock unlocks and closes f. Unlocking comes first: a child that is just
// being started may still have a copy of the open file.
func closeLock(f *os.File) error {
	return errors.Join(flock(f, syscall.LOCK_UN), f.Close())
}

// writing reports whether a process has the log at path open for writing.
func writing(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	err = flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if err == nil {
		_ = flock(f, syscall.LOCK_UN) // Close does it too
	}
	return errors.Is(err, syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
