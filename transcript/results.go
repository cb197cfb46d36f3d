package transcript

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// FilesName is the folder beside the log that has what is too long for it.
const FilesName = "files"

// DefaultMaxResult is the length in bytes up to which the result of a tool
// stands in its record as a whole.
const DefaultMaxResult = 256 << 10

// setAside puts a result that is too long for the log into a file of its own,
// on the disk before the record that names it. What the record keeps, the
// beginning and the end, is what everybody reads from then on, the model too.
func (l *Log) setAside(d event.ToolFinished) (event.ToolFinished, error) {
	most := l.opts.MaxResult
	name := path.Join(FilesName, fmt.Sprintf("%.16x.txt", sha256.Sum256([]byte(d.Result))))
	if err := l.writeBeside(name, d.Result); err != nil {
		return d, err
	}
	head := runeStart(d.Result, most/4*3)
	tail := runeStart(d.Result, len(d.Result)-most/4)
	d.File, d.Bytes = name, int64(len(d.Result))
	d.Result = d.Result[:head] + "\n" + l.opts.Omitted(tail-head, name) + "\n" + d.Result[tail:]
	return d, nil
}

// omitted is the note in the place of what a record does not have.
func omitted(bytes int, file string) string {
	return fmt.Sprintf("[%d bytes are left out here; the whole result is in %s beside the log]", bytes, file)
}

// runeStart is the index of the character of s that has the byte i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// writeBeside makes a file with the text, all of it or none. Its name tells
// its content, so one that is there already is the same.
func (l *Log) writeBeside(name, text string) error {
	target := filepath.Join(filepath.Dir(l.path), filepath.FromSlash(name))
	if info, err := os.Stat(target); err == nil && info.Size() == int64(len(text)) {
		return nil
	}
	err := os.Mkdir(filepath.Dir(target), 0o700)
	if made := err == nil; made && l.opts.Sync != SyncOff {
		err = syncDir(filepath.Dir(l.path))
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = putFile(target, "new-*", l.opts.Sync != SyncOff, func(f io.Writer) error {
			_, err := io.WriteString(f, text)
			return err
		})
	}
	if err == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failAt("write", target, err)
	return l.err
}
