package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// headSize is how much of a file is looked at to tell what it is, in bytes.
const headSize = 64 << 10

// DetectFile tells the form of the file at path, as [Detect] does.
func DetectFile(path string) (Format, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("foreign: %w", err)
	}
	defer f.Close()
	head, err := bufio.NewReaderSize(f, headSize).Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("foreign: %w", err)
	}
	return Detect(head), nil
}

// ImportFile reads the transcript at path as [Import] does. For a session of
// Claude Code it finds the files of the sub-agents: those in the folder
// "SESSION/subagents" beside it, and those of the same session beside it. The
// time of a transcript that does not tell any is that of the file.
func ImportFile(path string, o ImportOptions) ([]event.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("foreign: import: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("foreign: import: %w", err)
	}
	if o.Time.IsZero() {
		o.Time = info.ModTime()
	}
	if o.Format == "" {
		if o.Format, err = DetectFile(path); err != nil {
			return nil, err
		}
	}
	sources := []Source{{Name: filepath.Base(path), Reader: f}}
	if o.Format == FormatClaudeCode {
		for _, side := range sideFiles(path) {
			g, err := os.Open(side)
			if err != nil {
				return nil, fmt.Errorf("foreign: import: %w", err)
			}
			defer g.Close()
			sources = append(sources, Source{Name: filepath.Base(side), Reader: g})
		}
	}
	return Import(o, sources...)
}

// sideFiles are the files of the sub-agents of the session at path.
func sideFiles(path string) []string {
	dir, base := filepath.Split(path)
	session := strings.TrimSuffix(base, ".jsonl")
	var found []string
	below := filepath.Join(dir, session, "subagents")
	_ = filepath.WalkDir(below, func(p string, d fs.DirEntry, err error) error { // no folder, no files
		if err == nil && d.Type().IsRegular() && isSideFile(d.Name()) {
			found = append(found, p)
		}
		return nil
	})
	beside, _ := filepath.Glob(filepath.Join(globQuote(dir), "agent-*.jsonl")) // the pattern is good
	for _, p := range beside {
		if filepath.Base(p) != base && isOfSession(p, session) {
			found = append(found, p)
		}
	}
	slices.Sort(found)
	return found
}

func isSideFile(name string) bool {
	return strings.HasPrefix(name, "agent-") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".meta.json"))
}

// isOfSession reports whether the first line of the file at path bears the id
// of the session.
func isOfSession(path, session string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := bufio.NewReaderSize(f, headSize).Peek(headSize) // as much as there is
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return session != "" && bytes.Contains(line, []byte(`"`+session+`"`))
}

// globQuote takes the meaning from the characters of a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}
