package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of search_files.
const (
	searchLines    = 200      // matching lines shown when no limit is given
	maxSearchLines = 5000     // matching lines shown at most
	searchBytes    = 1 << 20  // larger files are skipped
	searchOneBytes = 64 << 20 // unless the call asks for this file alone
	matchRunes     = 300      // runes shown of a line
)

type searchFilesArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path,omitempty"`
	Glob       string `json:"glob,omitempty"`
	Limit      int    `json:"limit,omitempty"`
	Offset     int    `json:"offset,omitempty"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
}

// searchFiles is the tool search_files. Its result is a header line and one
// line for each matching line, the same in every language, with paths relative
// to the workspace, written as list_dir writes them, and files in the order of
// list_dir:
//
//	2 matches in 1 files; skipped 1 binary, 1 over 1 MiB, 1 unreadable, 1 not permitted
//	src/main.go:12: func main() {
//
// Of a line at most 300 runes are shown, from its beginning or, if the match
// is further on, from the match, with "…" for what is missing. If there are
// more matches, the last line is the one of [more].
func (w *Workspace) searchFiles(ctx context.Context, _ Call, in searchFilesArgs) (string, error) {
	s, err := w.newSearch(in)
	if err != nil {
		return "", err
	}
	name := in.Path
	if name == "" {
		name = "."
	}
	at, err := w.locate(name)
	if err != nil {
		return "", err
	}
	info, err := w.folder.root.Stat(at)
	if err != nil {
		return "", w.fileError(name, err)
	}
	if info.IsDir() {
		err = w.folder.walk(at, true, func(e entry) bool {
			if file := path.Join(at, e.path); e.mode.IsRegular() && s.glob.match(e.path) {
				if !w.mayRead(file) {
					s.forbidden++
					return ctx.Err() == nil
				}
				s.file(w.folder, file, e.size, searchBytes)
			} else if strings.HasPrefix(e.note, "unreadable") {
				s.unreadable++
			}
			return ctx.Err() == nil
		})
	} else if err = w.checkRegular(name, info); err == nil {
		s.file(w.folder, at, info.Size(), searchOneBytes)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", w.fileError(name, err)
	case s.found.past():
		return "", w.lang.pastEnd(s.found.page.offset, s.found.n)
	}
	return s.header() + s.found.text(), nil
}

// search is one search under way.
type search struct {
	pattern *regexp.Regexp
	glob    glob

	found                     listing
	files                     int
	binary, large, unreadable int
	forbidden                 int
}

// newSearch checks the arguments that no schema can check.
func (w *Workspace) newSearch(in searchFilesArgs) (*search, error) {
	wrong := func(argument, found, want string) error {
		return &ArgumentError{Argument: argument, Found: found, Want: want}
	}
	if in.Pattern == "" {
		return nil, wrong("pattern", `""`, w.lang.say("a regular expression", "一个正则表达式"))
	}
	pattern, err := regexp.Compile(in.Pattern)
	if err == nil && in.IgnoreCase {
		pattern, err = regexp.Compile("(?i)" + in.Pattern)
	}
	if err != nil {
		return nil, wrong("pattern", excerpt(in.Pattern), w.lang.say("a Go regular expression (%v); escape with \\ to search for the characters themselves",
			"Go 正则表达式（%v）；若要按字面查找，请用 \\ 转义", err))
	}
	g, err := newGlob(in.Glob)
	if err != nil {
		return nil, wrong("glob", excerpt(in.Glob), w.lang.say("a pattern such as *.go or docs/**/*.{md,txt}",
			"形如 *.go 或 docs/**/*.{md,txt} 的模式"))
	}
	return &search{pattern: pattern, glob: g, found: listing{page: newPage(in.Offset, in.Limit, searchLines, maxSearchLines)}}, nil
}

var errTooLarge = errors.New("too large")

// file searches one file of at most most bytes.
func (s *search) file(f *folder, at string, size, most int64) {
	if size > most {
		s.large++
		return
	}
	data, err := f.readAll(at, most)
	switch {
	case errors.Is(err, errTooLarge):
		s.large++
		return
	case err != nil:
		s.unreadable++
		return
	case isBinary(data):
		s.binary++
		return
	}
	before := s.found.n
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if match := s.pattern.FindStringIndex(line); match != nil {
			s.found.add(func() string { return fmt.Sprintf("%s:%d: %s", shown(at), number, around(line, match[0])) })
		}
	}
	if s.found.n > before {
		s.files++
	}
}

// readAll reads a file of at most most bytes.
func (f *folder) readAll(at string, most int64) ([]byte, error) {
	file, err := f.root.Open(at)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, errTooLarge
	}
	return data, err
}

// around is the part of a line to show for a match at a byte of it.
func around(line string, match int) string {
	if utf8.RuneCountInString(line[:match]) < matchRunes {
		return cut(line, matchRunes)
	}
	return "…" + cut(line[match:], matchRunes)
}

// header is the first line of the result.
func (s *search) header() string {
	header := fmt.Sprintf("%d matches in %d files", s.found.n, s.files)
	var skipped []string
	for _, kind := range []struct {
		count int
		word  string
	}{{s.binary, "binary"}, {s.large, "over 1 MiB"}, {s.unreadable, "unreadable"}, {s.forbidden, "not permitted"}} {
		if kind.count > 0 {
			skipped = append(skipped, fmt.Sprintf("%d %s", kind.count, kind.word))
		}
	}
	if len(skipped) > 0 {
		header += "; skipped " + strings.Join(skipped, ", ")
	}
	return header + "\n"
}
