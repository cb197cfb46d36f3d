//go:build !windows

package transcript

import (
	"errors"
	"os"
)

// syncDir forces the entries of the folder dir to the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
