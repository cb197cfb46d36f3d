//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tools

import (
	"errors"
	"os"
	"syscall"
)

// renamesOpen says that a file is renamed while it is open: its lock is held until
// it has its own name.
const renamesOpen = true

// holdTemp locks a new file, so that others see that somebody writes it. It is false
// when another took it for one that was left before.
func (f *folder) holdTemp(file *os.File, name string) bool {
	err := flock(file)
	return !errors.Is(err, syscall.EWOULDBLOCK) && f.isNamed(file, name)
}

// clearTemp removes a file that nobody writes any more, and reports whether it did.
func (f *folder) clearTemp(name string) bool {
	if info, err := f.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return flock(file) == nil && f.isNamed(file, name) && f.root.Remove(name) == nil
}

// flock locks a file, unless somebody else has it locked. A file system without
// locks is an error of its own.
func flock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
