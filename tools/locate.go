package tools

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a path.
const (
	maxLinks     = 40   // symbolic links that it may lead through
	maxPathBytes = 4096 // as on Linux
)

// locate turns a path that a model wrote into the path of the file itself:
// relative to the workspace, with slashes, clean and without symbolic links.
// The file need not exist. The path is opened through the root all the same,
// so a link that someone puts in the way later still leads nowhere outside.
func (w *Workspace) locate(name string) (string, error) {
	rel, err := w.relative(name)
	if err != nil {
		return "", err
	}
	todo := strings.Split(rel, "/")
	var done []string
	missing := false // what is in done does not exist, so nothing below it is a link
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", w.linkOutside(name)
			}
			done, missing = done[:len(done)-1], false
			continue
		}
		done = append(done, part)
		if missing {
			continue
		}
		target, err := w.linkTarget(path.Join(done...))
		if errors.Is(err, fs.ErrNotExist) {
			missing = true
			continue
		}
		if err != nil {
			return "", w.fileError(name, err)
		}
		if target == "" {
			continue
		}
		if links++; links > maxLinks {
			return "", w.fileError(name, errors.New("too many symbolic links"))
		}
		if filepath.IsAbs(target) {
			inside, ok := w.folder.inside(target)
			if !ok {
				return "", w.linkOutside(name)
			}
			target, done = inside, nil
		} else {
			done = done[:len(done)-1]
		}
		todo = append(strings.Split(filepath.ToSlash(target), "/"), todo...)
	}
	return path.Join(".", path.Join(done...)), nil
}

// linkTarget returns where a symbolic link points to, "" for anything else.
func (w *Workspace) linkTarget(at string) (string, error) {
	info, err := w.folder.root.Lstat(at)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", err
	}
	return w.folder.root.Readlink(at)
}

// relative checks the words of a path and makes it relative to the workspace.
func (w *Workspace) relative(name string) (string, error) {
	switch {
	case name == "":
		return "", &refusalError{fs.ErrInvalid, w.lang.say("workspace: the path is empty", "工作区：路径为空")}
	case strings.ContainsRune(name, 0):
		return "", &refusalError{fs.ErrInvalid, w.lang.say("workspace: the path has a NUL in it", "工作区：路径中含有 NUL")}
	case len(name) > maxPathBytes:
		return "", &refusalError{fs.ErrInvalid, w.lang.say("workspace: the path is longer than %d bytes", "工作区：路径长于 %d 字节", maxPathBytes)}
	}
	if filepath.IsAbs(name) {
		rel, ok := w.folder.inside(name)
		if !ok {
			return "", w.outside(name)
		}
		return rel, nil
	}
	rel := filepath.Clean(name)
	if !filepath.IsLocal(rel) {
		return "", w.outside(name)
	}
	return filepath.ToSlash(rel), nil
}

// inside makes an absolute path relative to the folder, if it points into it.
func (f *folder) inside(abs string) (string, bool) {
	for _, dir := range f.dirs {
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

func (w *Workspace) outside(name string) error {
	return &refusalError{ErrOutside, w.lang.say(
		"workspace: %s is outside the workspace; use a path relative to it, such as src/main.go",
		"工作区：%s 在工作区之外；请使用相对于工作区的路径，例如 src/main.go", strconv.Quote(name))}
}

func (w *Workspace) linkOutside(name string) error {
	return &refusalError{ErrOutside, w.lang.say(
		"workspace: %s leads outside the workspace through a symbolic link",
		"工作区：%s 经由符号链接指向工作区之外", strconv.Quote(name))}
}

// fileError tells what the file system said of a path that a model wrote.
func (w *Workspace) fileError(name string, err error) error {
	quoted := strconv.Quote(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &refusalError{fs.ErrNotExist, w.lang.say("workspace: %s does not exist; list_dir shows what does",
			"工作区：%s 不存在；可用 list_dir 查看有哪些文件", quoted)}
	case errors.Is(err, fs.ErrPermission):
		return &refusalError{fs.ErrPermission, w.lang.say("workspace: %s: permission denied",
			"工作区：%s：没有权限", quoted)}
	}
	return &refusalError{bare(err), w.lang.say("workspace: %s: %v", "工作区：%s：%v", quoted, bare(err))}
}

// shown is a path as results show it: as it is, or as a Go string literal if
// it has runes that would break a line or be lost.
func shown(name string) string {
	odd := func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
	}
	if strings.HasPrefix(name, `"`) || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}
