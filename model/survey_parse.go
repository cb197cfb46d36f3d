package model

import (
	"strconv"
	"strings"
)

// moreLine is the last line of a result that has more than it shows.
var moreLine = pattern(`^… (\d+) more; go on with offset=(\d+)$`)

// unshown is what a page of a result leaves out: count items, from offset on.
type unshown struct{ count, offset int }

// parseMore reads the line that tells of more.
func parseMore(line string) (r unshown, ok bool) {
	m := moreLine().FindStringSubmatch(line)
	if m == nil {
		return unshown{}, false
	}
	return unshown{atoi(m[1]), atoi(m[2])}, true
}

// atoi reads digits that a pattern found.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // one too long for an int counts as none
	return n
}

// listed is one line of list_dir.
type listed struct {
	kind  byte   // 'd', 'f', 'l' or 'o'
	path  string // as the file system has it, a folder without its last slash
	shown string // as list_dir shows it
	size  int64  // of a file
	note  string // of a folder: "skipped", or "unreadable: " and why
}

// unread reports whether the folder's entries are unknown, for it was not gone into.
func (e listed) unread() bool { return e.note != "" }

// parseListing reads a result of list_dir. Lines that it does not know are
// left out.
func parseListing(text string) (entries []listed, left unshown) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if r, ok := parseMore(line); ok {
			left = r
		} else if e, ok := parseEntry(line); ok {
			entries = append(entries, e)
		}
	}
	return entries, left
}

func parseEntry(line string) (e listed, ok bool) {
	if len(line) < 4 || line[1:3] != "  " {
		return listed{}, false
	}
	e.kind, line = line[0], line[3:]
	switch e.kind {
	case 'd':
		e.shown, e.note = cutFolder(line)
	case 'f':
		size, name, found := strings.Cut(line, "  ")
		n, err := strconv.ParseInt(size, 10, 64)
		if !found || err != nil {
			return listed{}, false
		}
		e.shown, e.size = name, n
	case 'l':
		e.shown, _, _ = strings.Cut(line, " -> ")
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			e.shown = quoted
		}
	case 'o':
		e.shown = line
	default:
		return listed{}, false
	}
	e.path = strings.TrimSuffix(realPath(e.shown), "/")
	return e, e.path != ""
}

// cutFolder parts the name of a folder, with its slash, from the note behind.
// A name cannot end a line without the slash, so the last one tells.
func cutFolder(line string) (name, note string) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		return quoted, strings.TrimPrefix(line[len(quoted):], "  ")
	}
	if strings.HasSuffix(line, "/") {
		return line, ""
	}
	i := strings.LastIndex(line, "/  ")
	if i < 0 {
		return line, ""
	}
	return line[:i+1], line[i+3:]
}

// realPath turns a path as the tools show it into the path itself: odd ones
// are shown as Go string literals. Bytes that are not UTF-8 become what JSON makes
// of them, so that a call is found again by its path.
func realPath(shown string) string {
	path := shown
	if name, err := strconv.Unquote(shown); err == nil && strings.HasPrefix(shown, `"`) {
		path = name
	}
	return string([]rune(path))
}

var (
	searchHeader = pattern(`^(\d+) matches in (\d+) files(?:; skipped (.*))?$`)
	skippedCount = pattern(`(\d+) (binary|over 1 MiB|unreadable)`)
	hitPlace     = pattern(`^(.+?):(\d+): (.*)$`)
	hitTail      = pattern(`^:(\d+): (.*)$`)
)

// searched is a result of search_files.
type searched struct {
	lines, files              int // that match, in all
	binary, large, unreadable int // files left out
	hits                      []hit
	left                      unshown
}

// hit is one matching line.
type hit struct {
	path string // as search_files shows it
	line string
	text string
}

// parseSearch reads a result of search_files; ok is false if it is none.
func parseSearch(text string) (f searched, ok bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !ok {
			if ok = f.header(line); !ok {
				return searched{}, false
			}
			continue
		}
		if r, more := parseMore(line); more {
			f.left = r
		} else if h, is := parseHit(line); is {
			f.hits = append(f.hits, h)
		}
	}
	return f, ok
}

func (f *searched) header(line string) bool {
	m := searchHeader().FindStringSubmatch(line)
	if m == nil {
		return false
	}
	f.lines, f.files = atoi(m[1]), atoi(m[2])
	for _, s := range skippedCount().FindAllStringSubmatch(m[3], -1) {
		switch s[2] {
		case "binary":
			f.binary = atoi(s[1])
		case "unreadable":
			f.unreadable = atoi(s[1])
		default:
			f.large = atoi(s[1])
		}
	}
	return true
}

// parseHit reads one matching line.
func parseHit(line string) (hit, bool) {
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		if m := hitTail().FindStringSubmatch(line[len(quoted):]); m != nil {
			return hit{quoted, m[1], m[2]}, true
		}
	}
	m := hitPlace().FindStringSubmatch(line)
	if m == nil {
		return hit{}, false
	}
	return hit{m[1], m[2], m[3]}, true
}

var (
	fileHeader = pattern(`^(.*) \((\d+) bytes, (.*)\)$`)
	lineRange  = pattern(`^lines (\d+)-(\d+) of (\d+)`)
)

// fileText is a result of read_file.
type fileText struct {
	size  int
	kind  string // "empty", or "binary, " and its type, or the range of lines
	last  int    // the last line shown
	lines int    // in the file
	body  string
}

// parseFile reads a result of read_file; ok is false if it is none.
func parseFile(result string) (f fileText, ok bool) {
	header, body, _ := strings.Cut(result, "\n")
	m := fileHeader().FindStringSubmatch(header)
	if m == nil {
		return fileText{}, false
	}
	f.size, f.kind = atoi(m[2]), m[3]
	if r := lineRange().FindStringSubmatch(f.kind); r != nil {
		f.last, f.lines, f.body = atoi(r[2]), atoi(r[3]), body
	}
	if f.last < f.lines { // the line that tells of more
		cut := strings.LastIndexByte(strings.TrimSuffix(body, "\n"), '\n')
		f.body = body[:cut+1]
	}
	return f, true
}
