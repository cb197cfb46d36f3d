package transcript

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// newLogName is the pattern for files that are to become a log.
const newLogName = FileName + ".new-*"

// putFile makes the file target, or replaces it, with what fill writes: all of
// it or none. It is written under another name first, one of the pattern of
// [os.CreateTemp], in the same folder. With force it is on the disk before it
// has its name, and its name before putFile returns.
func putFile(target, pattern string, force bool, fill func(io.Writer) error) error {
	dir := filepath.Dir(target)
	f, err := os.CreateTemp(dir, pattern) // has mode 0600
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil && force {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if !force {
		return nil
	}
	return syncDir(dir)
}
