package tools

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// editBytes is the size of the largest file that edit_file edits.
const editBytes = 16 << 20

type editFileArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty"`
}

// editFile is the tool edit_file. Its result is one line, the same in every
// language:
//
//	edited docs/api.md (1 replacements, 1234 bytes)
func (w *Workspace) editFile(ctx context.Context, call Call, in editFileArgs) (string, error) {
	at, err := w.locateForWriting(in.Path)
	if err != nil {
		return "", err
	}
	edited, count, err := w.editLocked(ctx, call.Agent, at, in)
	if err != nil {
		return "", err
	}
	call.Artifact(at, int64(len(edited)))
	return fmt.Sprintf("edited %s (%d replacements, %d bytes)\n", shown(at), count, len(edited)), nil
}

// editLocked reads, edits and writes in one act.
func (w *Workspace) editLocked(ctx context.Context, agent, at string, in editFileArgs) (edited string, count int, err error) {
	w.folder.mu.Lock()
	defer w.folder.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	data, mode, err := w.readForEdit(agent, in.Path, at)
	if err != nil {
		return "", 0, err
	}
	if edited, count, err = w.edit(in, string(data)); err != nil {
		return "", 0, err
	}
	if err := w.folder.replace(agent, at, []byte(edited), mode, false); err != nil {
		return "", 0, w.fileError(in.Path, err)
	}
	return edited, count, nil
}

// readForEdit returns the content and mode of a file that the agent has read
// and nobody has changed since. The caller holds mu.
func (w *Workspace) readForEdit(agent, name, at string) ([]byte, fs.FileMode, error) {
	info, err := w.folder.root.Stat(at)
	if err != nil {
		return nil, 0, w.fileError(name, err)
	}
	if err := w.checkWritable(name, info); err != nil {
		return nil, 0, err
	}
	old, known := w.folder.known(sight{agent, at})
	if !known {
		return nil, 0, &refusalError{ErrUnread, w.lang.say("workspace: you have not read %q; read it with read_file, then edit",
			"工作区：你还没有读取 %q；请先用 read_file 读取再修改", name)}
	}
	data, err := w.folder.readAll(at, editBytes)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, 0, w.fileError(name, errors.New(w.lang.say("too large to edit (over 16 MiB)", "文件过大，无法修改（超过 16 MiB）")))
	case err != nil:
		return nil, 0, w.fileError(name, err)
	case sha256.Sum256(data) != old:
		return nil, 0, w.changed(name)
	}
	return data, info.Mode().Perm(), nil
}

// edit replaces the old text by the new one and counts the replacements.
func (w *Workspace) edit(in editFileArgs, content string) (string, int, error) {
	refuse := func(en, zh string, args ...any) (string, int, error) {
		return "", 0, &refusalError{fs.ErrInvalid, w.lang.say(en, zh, append([]any{in.Path}, args...)...)}
	}
	if in.Old == "" {
		return refuse("workspace: %q: old is empty; give the exact text to replace, or write the file with write_file",
			"工作区：%q：old 为空；请给出要替换的原文，或用 write_file 写整个文件")
	}
	if in.Old == in.New {
		return refuse("workspace: %q: old and new are the same; nothing was changed", "工作区：%q：old 与 new 相同；没有修改")
	}
	places := firstPlaces(content, in.Old)
	count := max(strings.Count(content, in.Old), len(places))
	switch {
	case count == 0 && strings.Contains(content, "\r\n") && strings.Contains(in.Old, "\n"):
		return refuse("workspace: %q: the old text was not found; lines of this file end with \\r\\n",
			"工作区：%q：找不到 old 的原文；该文件的行以 \\r\\n 结尾")
	case count == 0:
		return refuse("workspace: %q: the old text was not found; it must be exactly as in the file, with white space and line breaks",
			"工作区：%q：找不到 old 的原文；必须与文件内容完全一致，包括空白和换行")
	case count > 1 && !in.All:
		return refuse("workspace: %q: the old text is there %d times, on lines %s; add text around it to make it unique, or set all",
			"工作区：%q：old 的原文出现了 %d 次，位于第 %s 行；请加上前后文使其唯一，或设置 all", count, lineNumbers(content, places))
	case in.All:
		return strings.ReplaceAll(content, in.Old, in.New), strings.Count(content, in.Old), nil
	}
	return strings.Replace(content, in.Old, in.New, 1), 1, nil
}

// mostPlaces is how many places the error for several matches names.
const mostPlaces = 10

// firstPlaces returns where a text begins in the content, also where it
// overlaps itself: mostPlaces of them, and one more to tell that there are more.
func firstPlaces(content, text string) []int {
	var places []int
	for from := 0; len(places) <= mostPlaces; {
		i := strings.Index(content[from:], text)
		if i < 0 {
			break
		}
		places = append(places, from+i)
		from += i + 1
	}
	return places
}

// lineNumbers lists the lines of places.
func lineNumbers(content string, places []int) string {
	var numbers []string
	for _, place := range places[:min(len(places), mostPlaces)] {
		numbers = append(numbers, strconv.Itoa(1+strings.Count(content[:place], "\n")))
	}
	if len(places) > mostPlaces {
		numbers = append(numbers, "…")
	}
	return strings.Join(numbers, ", ")
}
