package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// errSharing is what Windows says when another has the file open in a way that
// excludes ours.
const errSharing = syscall.Errno(32)

// openLock opens the file at path so that nobody else can open it for
// writing; held says that another has done so.
func openLock(path string, _ *os.File) (f *os.File, held bool, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, false, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE,
		syscall.FILE_SHARE_READ, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	return os.NewFile(uintptr(h), path), false, nil
}

func closeLock(f *os.File) error { return f.Close() }

// writing reports whether a process has the log at path open for writing.
func writing(path string) bool {
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), lockName), os.O_WRONLY, 0)
	if err != nil {
		return errors.Is(err, errSharing)
	}
	_ = f.Close() // nothing was written
	return false
}

// syncDir does nothing: Windows cannot force a folder to the disk.
func syncDir(string) error { return nil }
