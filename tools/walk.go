package tools

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// SkippedDirs returns the names of the folders that list_dir, when recursive,
// and search_files do not go into: version control, installed packages and
// caches. They are read when a call asks for one of them itself.
func SkippedDirs() []string {
	return []string{
		".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "__pycache__", ".venv", ".tox",
		".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle", ".terraform", ".next", ".cache",
	}
}

// entry is one thing in a folder.
type entry struct {
	path string // relative to the folder that the walk began in, with slashes
	mode fs.FileMode
	size int64
	note string // why a folder was not read
}

// walk visits what is in a folder in the order of the names, byte by byte,
// each folder before what is in it; deep goes into the folders. It does not
// follow links. It stops when visit returns false.
func (f *folder) walk(dir string, deep bool, visit func(entry) bool) error {
	children, err := f.readDir(dir)
	if err != nil {
		return err
	}
	f.visitAll(dir, "", children, deep, visit)
	return nil
}

func (f *folder) visitAll(dir, prefix string, children []fs.DirEntry, deep bool, visit func(entry) bool) bool {
	for _, child := range children {
		if strings.HasPrefix(child.Name(), tempPrefix) {
			continue
		}
		at := path.Join(dir, child.Name())
		info, err := f.root.Lstat(at)
		if err != nil {
			continue // gone since the folder was read
		}
		e := entry{path: prefix + child.Name(), mode: info.Mode(), size: info.Size()}
		var below []fs.DirEntry
		if deep && info.IsDir() {
			if slices.Contains(SkippedDirs(), child.Name()) {
				e.note = "skipped"
			} else if below, err = f.readDir(at); err != nil {
				e.note = "unreadable: " + bare(err).Error()
			}
		}
		if !visit(e) || !f.visitAll(at, e.path+"/", below, deep, visit) {
			return false
		}
	}
	return true
}

// readDir returns what is in a folder, sorted by name.
func (f *folder) readDir(dir string) ([]fs.DirEntry, error) {
	file, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	children, err := file.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(children, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return children, nil
}
