package tools

import (
	"crypto/sha256"
	"io"
	"time"
)

// Recall notes that an agent knew a file as it was at a time, before this
// workspace was opened: it had read or written it in a run that is resumed. A
// path that leads nowhere is left out. Whether somebody wrote the file after
// that time is looked up when the agent wants to write, and then it has to read
// the file again.
func (w *Workspace) Recall(agent, path string, at time.Time) {
	file, err := w.locate(path)
	if err != nil {
		return
	}
	w.folder.mu.Lock()
	defer w.folder.mu.Unlock()
	w.folder.recalled[sight{agent, file}] = at
}

// known returns the version that an agent has seen of a file, if it has seen
// any. It is none of any content when a file that is recalled was written
// since. The caller holds mu.
func (f *folder) known(s sight) (version, bool) {
	if v, ok := f.seen[s]; ok {
		return v, true
	}
	at, ok := f.recalled[s]
	if !ok {
		return version{}, false
	}
	delete(f.recalled, s)
	v, err := f.versionBefore(s.path, at)
	if err != nil {
		return version{}, false
	}
	f.seen[s] = v
	return v, true
}

// versionBefore is the version of a file that was not written after a time.
func (f *folder) versionBefore(path string, at time.Time) (version, error) {
	file, err := f.root.Open(path)
	if err != nil {
		return version{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.ModTime().After(at) {
		return version{}, err
	}
	return versionOf(file)
}

// versionOf is the version of what a file holds.
func versionOf(file io.Reader) (version, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return version{}, err
	}
	return version(hash.Sum(nil)), nil
}
