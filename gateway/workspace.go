package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Workspace is the folder below which clients may have agents work.
type Workspace struct {
	root *os.Root
	dir  string // its path without symbolic links
}

// maxPath bounds a path that a client names, in bytes.
const maxPath = 4096

// OpenWorkspace opens the folder dir. Close it.
func OpenWorkspace(dir string) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("gateway: workspace: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("gateway: workspace: %w", err)
	}
	return &Workspace{root: root, dir: dir}, nil
}

// Close lets go of the folder.
func (w *Workspace) Close() error { return w.root.Close() }

// Dir turns the folder that a client names into its path on this machine, without
// symbolic links. A leading slash means the workspace itself, and so does an empty
// path. It fails with [StatusForbidden] for a path that leaves the workspace, also
// by a link, with [StatusNotFound] when there is no such folder, and with
// [StatusBad] for what is no path.
//
// Who then works there holds the folder open, as the workspace tools do, since
// links can change.
func (w *Workspace) Dir(path string) (string, error) {
	if len(path) > maxPath || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return "", NewError(StatusBad, "the work folder is no path")
	}
	rel := filepath.FromSlash(strings.TrimLeft(path, "/"))
	if rel == "" {
		rel = "."
	}
	outside := NewError(StatusForbidden, "the work folder %q is outside the workspace", path).WithHint("name a folder in the workspace of the server")
	if !filepath.IsLocal(rel) {
		return "", outside
	}
	info, err := w.root.Stat(rel)
	missing := NewError(StatusNotFound, "there is no folder %q in the workspace", path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return "", missing
	case err != nil:
		return "", outside // that, or a link that leads out or nowhere
	}
	resolved, err := filepath.EvalSymlinks(filepath.Join(w.dir, rel))
	if err != nil {
		return "", missing
	}
	if below, err := filepath.Rel(w.dir, resolved); err != nil || !filepath.IsLocal(below) {
		return "", outside
	}
	return resolved, nil
}
