package tools

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"
)

// Bounds of read_file.
const (
	readLines    = 2000      // lines shown when no limit is given
	maxReadLines = 100_000   // lines shown at most
	readBytes    = 64 << 10  // bytes shown at most; the first line is always shown
	lineBytes    = 16 << 10  // bytes shown of one line
	sniffBytes   = 8000      // bytes looked at to tell binary from text
	chunkBytes   = 256 << 10 // bytes between two looks at ctx
)

type readFileArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// readFile is the tool read_file. Its result is a header line, the same in
// every language, and then the lines as they are in the file:
//
//	src/main.go (1234 bytes, lines 1-40 of 40)
//	notes.txt (7 bytes, lines 1-1 of 1, no final newline)
//	empty.txt (0 bytes, empty)
//	logo.png (5120 bytes, binary, image/png)
//
// If there are more lines, the last line is the one of [more]; offset counts
// the lines before the first one shown.
func (w *Workspace) readFile(ctx context.Context, call Call, in readFileArgs) (string, error) {
	at, err := w.locate(in.Path)
	if err != nil {
		return "", err
	}
	file, err := w.openFile(in.Path, at)
	if err != nil {
		return "", err
	}
	defer file.Close()

	view := newView(newPage(in.Offset, in.Limit, readLines, maxReadLines))
	if err := view.read(ctx, file); err != nil {
		return "", w.fileError(in.Path, err)
	}
	w.folder.remember(call.Agent, at, view.version())
	if !view.binary() && view.page.offset > 0 && view.page.offset >= view.lines {
		return "", w.lang.pastEnd(view.page.offset, view.lines)
	}
	return view.text(at), nil
}

// openFile opens a regular file for reading.
func (w *Workspace) openFile(name, at string) (*os.File, error) {
	info, err := w.folder.root.Stat(at)
	if err != nil {
		return nil, w.fileError(name, err)
	}
	if err := w.checkRegular(name, info); err != nil {
		return nil, err
	}
	file, err := w.folder.root.Open(at)
	if err != nil {
		return nil, w.fileError(name, err)
	}
	return file, nil
}

// checkRegular refuses what is no ordinary file.
func (w *Workspace) checkRegular(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &refusalError{fs.ErrInvalid, w.lang.say("workspace: %q is a folder; use list_dir",
			"工作区：%q 是文件夹；请用 list_dir", name)}
	case !info.Mode().IsRegular():
		return &refusalError{fs.ErrInvalid, w.lang.say("workspace: %q is no ordinary file",
			"工作区：%q 不是普通文件", name)}
	}
	return nil
}

// view reads a file once and keeps the lines of a page.
type view struct {
	page  page
	hash  hash.Hash
	size  int64
	head  []byte // the first bytes, at most sniffBytes
	lines int    // in the whole file
	kept  strings.Builder
	count int  // lines kept
	full  bool // no more lines may be kept
	ended bool // the last byte was a newline
}

func newView(p page) *view {
	return &view{page: p, hash: sha256.New()}
}

// read reads all of r.
func (v *view) read(ctx context.Context, r io.Reader) error {
	in := bufio.NewReaderSize(r, chunkBytes)
	var line []byte // the beginning of the line under way
	length := 0     // bytes of it
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := in.ReadSlice('\n')
		v.take(part)
		length += len(part)
		if room := lineBytes + utf8.UTFMax - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if length > 0 {
			v.keep(line, length)
			line, length = line[:0], 0
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take counts bytes of the file.
func (v *view) take(part []byte) {
	v.hash.Write(part)
	v.size += int64(len(part))
	v.head = append(v.head, part[:min(len(part), sniffBytes-len(v.head))]...)
	if len(part) > 0 {
		v.ended = part[len(part)-1] == '\n'
	}
}

// keep takes the beginning of a line of length bytes, if the page shows it.
// The bound leaves room for the newline.
func (v *view) keep(line []byte, length int) {
	v.lines++
	from, past := v.page.offset, v.page.offset+v.page.limit
	if v.full || v.lines <= from || v.lines > past {
		return
	}
	if v.count > 0 && v.kept.Len()+min(length, lineBytes) > readBytes {
		v.full = true
		return
	}
	v.count++
	if length <= lineBytes+1 {
		v.kept.Write(line)
		return
	}
	end := lineBytes
	for end > lineBytes-utf8.UTFMax && !utf8.RuneStart(line[end]) {
		end--
	}
	v.kept.Write(line[:end])
	if v.ended {
		length--
	}
	fmt.Fprintf(&v.kept, "… [line cut, %d more bytes; search_files finds text in it]\n", length-end)
}

func (v *view) version() version { return version(v.hash.Sum(nil)) }

func (v *view) binary() bool { return isBinary(v.head) }

// text is the result of read_file.
func (v *view) text(at string) string {
	header := fmt.Sprintf("%s (%d bytes, ", shown(at), v.size)
	switch {
	case v.size == 0:
		return header + "empty)\n"
	case v.binary():
		return header + "binary, " + http.DetectContentType(v.head) + ")\n"
	}
	first := v.page.offset + 1
	last := v.page.offset + v.count
	header += fmt.Sprintf("lines %d-%d of %d", first, last, v.lines)
	body, bad := replaceInvalid(v.kept.String())
	if bad > 0 {
		header += fmt.Sprintf(", %d bytes are not UTF-8 and shown as U+FFFD", bad)
	}
	if last == v.lines && !v.ended {
		header += ", no final newline"
	}
	if last < v.lines {
		body += more(v.lines-last, last)
	}
	return header + ")\n" + body
}

// isBinary tells binary from text by a NUL among the first bytes.
func isBinary(head []byte) bool {
	return strings.IndexByte(string(head[:min(len(head), sniffBytes)]), 0) >= 0
}
