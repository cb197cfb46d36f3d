package transcript

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/event"
)

// Save makes a log of records that are there already, such as the beginning of
// another run, in the folder dir, which it makes too: all of it or none. They
// stand in it with the numbers and times that they have, which must count from
// 1, and nothing is masked. It fails with [ErrExists] when the folder has a log
// already, and with the error that the records bring.
func Save(dir string, records iter.Seq2[event.Record, error]) error {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("transcript: save %s: %w", path, ErrExists), err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("transcript: save: %w", err)
	}
	err := putFile(path, newLogName, true, func(f io.Writer) error { return writeRecords(f, records) })
	if err != nil {
		return fmt.Errorf("transcript: save: %w", err)
	}
	return syncDir(filepath.Dir(dir))
}

// writeRecords writes records as the lines of a log.
func writeRecords(f io.Writer, records iter.Seq2[event.Record, error]) error {
	w := bufio.NewWriterSize(f, readBuffer)
	last := int64(0)
	for rec, err := range records {
		if err != nil {
			return err
		}
		if last++; rec.Seq != last {
			return fmt.Errorf("record %d where %d is due", rec.Seq, last)
		}
		line, err := rec.AppendJSON(nil)
		if err != nil {
			return err
		}
		if line = append(seal(line), '\n'); len(line) > maxLine {
			return fmt.Errorf("record %d: %w", rec.Seq, ErrTooLarge)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	if last == 0 {
		return ErrEmpty
	}
	return w.Flush()
}
