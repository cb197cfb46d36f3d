package tools

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Errors of the workspace tools.
var (
	// ErrOutside is in the error for a path that leads out of the workspace,
	// or, when writing, out of the only folder that may be written in.
	ErrOutside = errors.New("tools: outside the workspace")
	// ErrChanged is in the error for a file that is not as the agent read it.
	ErrChanged = errors.New("tools: the file changed since it was read")
	// ErrUnread is in the error for an edit of a file that the agent has not
	// read.
	ErrUnread = errors.New("tools: the file was not read")
)

// WorkspaceOptions say how agents may use a [Workspace].
type WorkspaceOptions struct {
	// WriteDir is the only folder in which files are written, relative to the
	// workspace; empty is the whole workspace. It need not exist yet.
	WriteDir string
	// MayRead reports whether search_files may look into a file, whose path is
	// relative to the workspace and without links; nil means every file.
	MayRead func(path string) bool
	// Lang is the language of descriptions and sentences: "zh" is Chinese,
	// anything else English.
	Lang string
}

// Workspace is a folder that agents work in. Its tools reach nothing outside
// it: not through "..", not through an absolute path (one that points into the
// workspace is fine), and not through a symbolic link. Files in a .git folder
// are never written, because Git runs programs that such files name.
//
// A workspace is safe for use by many agents at once. Roles that write in
// different folders share one with [Workspace.WithWriteDir]: only then do they
// notice each other's changes without a gap.
type Workspace struct {
	folder   *folder
	writeDir string // as in the options, cleaned, with slashes; "." is all
	lang     lang
	mayRead  func(path string) bool
}

// folder is what the workspaces of one run share.
type folder struct {
	root *os.Root
	dirs []string // the absolute paths of the folder: as given, and without links

	// mu guards the maps, and makes looking at a file and writing it one act.
	mu       sync.Mutex
	seen     map[sight]version
	recalled map[sight]time.Time // of an earlier process, not looked up yet
}

// sight is a file that an agent has seen.
type sight struct{ agent, path string }

// version is the digest of the content that it had then. Neither size nor time
// is needed: a file with the same bytes is the same file.
type version [sha256.Size]byte

// NewWorkspace opens a folder, which must exist.
func NewWorkspace(dir string, opts WorkspaceOptions) (*Workspace, error) {
	writeDir, err := cleanWriteDir(opts.WriteDir)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("tools: workspace %q: %w", dir, err)
	}
	plain, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("tools: workspace %q: %w", dir, bare(err))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("tools: workspace %q: %w", dir, bare(err))
	}
	mayRead := opts.MayRead
	if mayRead == nil {
		mayRead = func(string) bool { return true }
	}
	return &Workspace{
		folder: &folder{
			root: root, dirs: []string{abs, plain}, seen: map[sight]version{}, recalled: map[sight]time.Time{},
		},
		writeDir: writeDir,
		lang:     lang(opts.Lang),
		mayRead:  mayRead,
	}, nil
}

// WithWriteDir returns a workspace on the same folder whose files are written
// only in dir, by the rules of [WorkspaceOptions]. What agents have read is
// shared. Closing either closes both.
func (w *Workspace) WithWriteDir(dir string) (*Workspace, error) {
	writeDir, err := cleanWriteDir(dir)
	if err != nil {
		return nil, err
	}
	return &Workspace{folder: w.folder, writeDir: writeDir, lang: w.lang, mayRead: w.mayRead}, nil
}

// Dir is the absolute path of the folder.
func (w *Workspace) Dir() string { return w.folder.dirs[0] }

// Close closes the folder; calls after it are errors.
func (w *Workspace) Close() error {
	return w.folder.root.Close()
}

// Tools returns the workspace tools in the order of [WorkspaceNames]. Those of
// a step that read or write one file start in the order of the calls.
func (w *Workspace) Tools() []Tool {
	path := About(PathSubject, "path")
	list := []Tool{
		builtin("read_file", w.lang, w.readFile, path, Pure, Ordered()),
		builtin("list_dir", w.lang, w.listDir, path, Pure),
		builtin("search_files", w.lang, w.searchFiles, path, Pure),
		builtin("write_file", w.lang, w.writeFile, path, Idempotent, Ordered(), Writes()),
		builtin("edit_file", w.lang, w.editFile, path, Once, Ordered(), Writes()),
	}
	for i, t := range list {
		list[i] = placed{t, w}
	}
	return list
}

// cleanWriteDir checks the folder to write in.
func cleanWriteDir(dir string) (string, error) {
	if dir == "" {
		return ".", nil
	}
	if !filepath.IsLocal(dir) {
		return "", fmt.Errorf("tools: the folder to write in, %q, is not inside the workspace: %w", dir, ErrOutside)
	}
	return filepath.ToSlash(filepath.Clean(dir)), nil
}

// remember notes the content of a file as the agent has seen it.
func (f *folder) remember(agent, path string, v version) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[sight{agent, path}] = v
}

// bare is the cause in an error of the file system, without the operation and
// the path of this machine.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// refusalError is an error in words for a model, of a kind that a program can
// match.
type refusalError struct {
	kind error
	text string
}

func (r *refusalError) Error() string { return r.text }

func (r *refusalError) Unwrap() error { return r.kind }
