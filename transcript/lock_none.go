//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package transcript

import "os"

// openLock opens the file at path. There is no lock on this system: it is up
// to the user not to write one log from two processes.
func openLock(path string, _ *os.File) (f *os.File, held bool, err error) {
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	return f, false, err
}

func closeLock(f *os.File) error { return f.Close() }

// writing reports false: it cannot be known on this system.
func writing(string) bool { return false }
