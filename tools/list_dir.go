package tools

import (
	"context"
	"fmt"
	"io/fs"
	"path"
)

// Bounds of list_dir.
const (
	listEntries    = 1000   // entries shown when no limit is given
	maxListEntries = 20_000 // entries shown at most
)

type listDirArgs struct {
	Path      string `json:"path,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Offset    int    `json:"offset,omitempty"`
	Limit     int    `json:"limit,omitempty"`
}

// listDir is the tool list_dir. Its result has one line for each entry, the
// same in every language, fields apart by two spaces, sorted by name, a folder
// before what is in it, paths relative to the folder asked for:
//
//	d  docs/
//	f  1234  docs/api.md
//	d  node_modules/  skipped
//	d  secret/  unreadable: permission denied
//	l  latest -> target
//	o  socket
//
// d is a folder, f a file with its size in bytes, l a symbolic link, which is
// not followed, o anything else. A path with control characters, with bytes
// that are not UTF-8 or with a quote at its beginning is a Go string literal.
// If there are more entries, the last line is the one of [more]. An empty
// folder gives "(empty)".
func (w *Workspace) listDir(ctx context.Context, _ Call, in listDirArgs) (string, error) {
	name := in.Path
	if name == "" {
		name = "."
	}
	at, err := w.locate(name)
	if err != nil {
		return "", err
	}
	if err := w.checkDir(name, at); err != nil {
		return "", err
	}
	list := listing{page: newPage(in.Offset, in.Limit, listEntries, maxListEntries)}
	err = w.folder.walk(at, in.Recursive, func(e entry) bool {
		list.add(func() string { return w.folder.line(at, e) })
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", w.fileError(name, err)
	}
	switch {
	case list.past():
		return "", w.lang.pastEnd(list.page.offset, list.n)
	case list.n == 0:
		return "(empty)\n", nil
	}
	return list.text(), nil
}

// checkDir refuses what is no folder.
func (w *Workspace) checkDir(name, at string) error {
	info, err := w.folder.root.Stat(at)
	if err != nil {
		return w.fileError(name, err)
	}
	if !info.IsDir() {
		return &refusalError{fs.ErrInvalid, w.lang.say("workspace: %q is no folder; use read_file",
			"工作区：%q 不是文件夹；请用 read_file", name)}
	}
	return nil
}

// line is an entry as list_dir shows it.
func (f *folder) line(dir string, e entry) string {
	switch {
	case e.mode.IsDir() && e.note != "":
		return "d  " + shown(e.path+"/") + "  " + e.note
	case e.mode.IsDir():
		return "d  " + shown(e.path+"/")
	case e.mode.IsRegular():
		return fmt.Sprintf("f  %d  %s", e.size, shown(e.path))
	case e.mode&fs.ModeSymlink != 0:
		target, err := f.root.Readlink(path.Join(dir, e.path))
		if err != nil {
			target = "?"
		}
		return "l  " + shown(e.path) + " -> " + shown(target)
	}
	return "o  " + shown(e.path)
}
