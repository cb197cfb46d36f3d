package tools

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// tempPrefix begins the names of files that are being written; nothing lists
// them.
const tempPrefix = ".troupe-write-"

// maxTemps is how many files that are being written, or that earlier crashes left,
// may be in the way.
const maxTemps = 100

// replace writes a file in one piece: whoever opens it sees all of the old or
// all of the new content. A file that exists keeps its mode exactly; for a
// created one the process' mask applies. The agent has then seen the new
// content. The caller holds mu.
func (f *folder) replace(agent, at string, content []byte, mode fs.FileMode, created bool) (err error) {
	dir := path.Dir(at)
	if err := f.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, name, err := f.createTemp(dir, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.root.Remove(name))
		}
	}()
	_, err = temp.Write(content)
	if err == nil && !created {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err == nil && renamesOpen {
		err = f.root.Rename(name, at)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil && !renamesOpen {
		err = f.root.Rename(name, at)
	}
	if err == nil {
		f.seen[sight{agent, at}] = sha256.Sum256(content)
	}
	return err
}

// createTemp makes a new file in a folder, and removes those that processes left
// there which ended while they wrote.
func (f *folder) createTemp(dir string, mode fs.FileMode) (*os.File, string, error) {
	err := fs.ErrExist
	for n := 0; n < maxTemps && errors.Is(err, fs.ErrExist); n++ {
		name := tempName(dir, n)
		var file *os.File
		if file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); errors.Is(err, fs.ErrExist) && f.clearTemp(name) {
			file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		}
		if err != nil {
			continue
		}
		if !f.holdTemp(file, name) {
			_ = file.Close() // nothing was written
			err = fs.ErrExist
			continue
		}
		for n++; n < maxTemps && f.clearTemp(tempName(dir, n)); {
			n++
		}
		return file, name, nil
	}
	return nil, "", err
}

func tempName(dir string, n int) string { return path.Join(dir, fmt.Sprintf("%s%d", tempPrefix, n)) }

// isNamed reports whether a file that was opened still has a name.
func (f *folder) isNamed(file *os.File, name string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := f.root.Lstat(name)
	return err == nil && os.SameFile(opened, named)
}
