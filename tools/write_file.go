package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

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
