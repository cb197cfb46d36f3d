package tools

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// tempPrefix begins the names of files that are being written; nothing lists
// them.
const tempPrefix = ".troupe-write-"

// maxTemps is how many files that earlier crashes left may be in the way.
const maxTemps = 100

type writeFileArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// writeFile is the tool write_file. Its result is one line, the same in every
// language, with the word created or overwritten:
//
//	created docs/api.md (1234 bytes)
func (w *Workspace) writeFile(ctx context.Context, call Call, in writeFileArgs) (string, error) {
	at, err := w.locateForWriting(in.Path)
	if err != nil {
		return "", err
	}
	done, err := w.writeLocked(ctx, call.Agent, at, in)
	if err != nil {
		return "", err
	}
	call.Artifact(at, int64(len(in.Content)))
	return fmt.Sprintf("%s %s (%d bytes)\n", done, shown(at), len(in.Content)), nil
}

// writeLocked looks at the file that is there and writes in one act.
func (w *Workspace) writeLocked(ctx context.Context, agent, at string, in writeFileArgs) (done string, err error) {
	f := w.folder
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	done = "overwritten"
	mode := fs.FileMode(0o666)
	info, err := f.root.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		done = "created"
	case err != nil:
		return "", w.fileError(in.Path, err)
	default:
		mode = info.Mode().Perm()
		if err := w.checkWritable(in.Path, info); err != nil {
			return "", err
		}
		if err := w.checkSeen(agent, in.Path, at); err != nil {
			return "", err
		}
	}
	if err := f.replace(agent, at, []byte(in.Content), mode, done == "created"); err != nil {
		return "", w.fileError(in.Path, err)
	}
	return done, nil
}

// locateForWriting is [Workspace.locate] for a file to write.
func (w *Workspace) locateForWriting(name string) (string, error) {
	at, err := w.locate(name)
	if err != nil {
		return "", err
	}
	if at == "." || strings.HasSuffix(name, "/") {
		return "", &refusalError{fs.ErrInvalid, w.lang.say("workspace: %q names a folder, not a file",
			"工作区：%q 是文件夹而不是文件", name)}
	}
	allowed := "."
	if w.writeDir != "." {
		if allowed, err = w.locate(w.writeDir); err != nil {
			return "", err
		}
	}
	if allowed != "." && !strings.HasPrefix(at, allowed+"/") {
		return "", &refusalError{ErrOutside, w.lang.say("workspace: %q is not in %s/, the only folder that you may write in",
			"工作区：%q 不在 %s/ 中；你只能在该文件夹中写文件", name, shown(allowed))}
	}
	if slices.ContainsFunc(strings.Split(at, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
		return "", &refusalError{fs.ErrPermission, w.lang.say("workspace: %q is in a .git folder, where nothing is written",
			"工作区：%q 位于 .git 文件夹中，不允许写入", name)}
	}
	return at, nil
}

// checkWritable refuses what is no file that may be written.
func (w *Workspace) checkWritable(name string, info fs.FileInfo) error {
	if err := w.checkRegular(name, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return &refusalError{fs.ErrPermission, w.lang.say("workspace: %q is read-only", "工作区：%q 是只读文件", name)}
	}
	return nil
}

// checkSeen refuses a file that is not as the agent saw it last, if it did.
// The caller holds mu.
func (w *Workspace) checkSeen(agent, name, at string) error {
	old, known := w.folder.known(sight{agent, at})
	if !known {
		return nil
	}
	file, err := w.folder.root.Open(at)
	if err != nil {
		return w.fileError(name, err)
	}
	defer file.Close()
	now, err := versionOf(file)
	if err != nil {
		return w.fileError(name, err)
	}
	if now != old {
		return w.changed(name)
	}
	return nil
}

func (w *Workspace) changed(name string) error {
	return &refusalError{ErrChanged, w.lang.say("workspace: %q changed since you read it; read it again, then write",
		"工作区：%q 在你读取之后已被修改；请重新读取后再写", name)}
}

// replace writes a file in one piece: whoever opens it sees all of the old or
// all of the new content. A file that exists keeps its mode exactly; for a
// created one the process' mask applies. The agent has then seen the new
// content. The caller holds mu.
func (f *folder) replace(agent, at string, content []byte, mode fs.FileMode, created bool) (err error) {
	dir := path.Dir(at)
	if err := f.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, name, err := f.createTemp(dir, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.root.Remove(name))
		}
	}()
	_, err = temp.Write(content)
	if err == nil && !created {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err = f.root.Rename(name, at); err == nil {
		f.seen[sight{agent, at}] = sha256.Sum256(content)
	}
	return err
}

// createTemp makes a new file in a folder.
func (f *folder) createTemp(dir string, mode fs.FileMode) (*os.File, string, error) {
	var err error
	for n := range maxTemps {
		name := path.Join(dir, fmt.Sprintf("%s%d", tempPrefix, n))
		var file *os.File
		if file, err = f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); err == nil {
			return file, name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, "", err
}
