package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// shownRuns is how many runs an error of Find lists.
const shownRuns = 5

// Find returns the run that ref names. ref is the beginning of a run id, in
// any case of letters; "last" for the newest run in dir, "last~1" for the one
// before it, and so on; or a path to a log file or to the folder of a run. A
// run in dir goes before a path, unless the path has a separator or ends in
// ".jsonl".
//
// It fails with [ErrAmbiguous], listing the runs that match, or with
// [ErrNoRun], listing the newest ones.
func Find(dir, ref string) (Run, error) {
	if isPath(ref) {
		return findPath(ref)
	}
	runs, err := Runs(dir)
	if err != nil {
		return Run{}, err
	}
	if n, ok := age(ref); ok {
		if n >= len(runs) {
			return Run{}, unknownRun(dir, ref, runs)
		}
		return runs[n], nil
	}
	var found []Run
	for _, r := range runs {
		if strings.EqualFold(r.ID, ref) {
			return r, nil
		}
		if ref != "" && len(r.ID) > len(ref) && strings.EqualFold(r.ID[:len(ref)], ref) {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if run, err := findPath(ref); err == nil {
			return run, nil
		}
		return Run{}, unknownRun(dir, ref, runs)
	}
	return Run{}, fmt.Errorf("transcript: run %q: %w begins so:%s", ref, ErrAmbiguous, listRuns(found))
}

// isPath reports whether ref cannot be anything but a path.
func isPath(ref string) bool {
	return ref == "." || ref == ".." || strings.HasSuffix(ref, ".jsonl") ||
		strings.ContainsRune(ref, '/') || strings.ContainsRune(ref, filepath.Separator)
}

// age reads "last" and "last~N" as the number of newer runs.
func age(ref string) (n int, ok bool) {
	if ref == "last" {
		return 0, true
	}
	digits, ok := strings.CutPrefix(ref, "last~")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// findPath looks at the log that path names, or the folder that path names
// has.
func findPath(path string) (Run, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, fmt.Errorf("transcript: run %q: %w: nothing is at that path", path, ErrNoRun)
	}
	if err != nil {
		return Run{}, fmt.Errorf("transcript: run %q: %w", path, err)
	}
	if info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	run, err := readRun(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, fmt.Errorf("transcript: run %q: %w: the folder has no %s", filepath.Dir(path), ErrNoRun, FileName)
	}
	return run, err
}

func unknownRun(dir, ref string, runs []Run) error {
	if len(runs) == 0 {
		return fmt.Errorf("transcript: run %q: %w: there are none in %s", ref, ErrNoRun, dir)
	}
	return fmt.Errorf("transcript: run %q: %w; the newest in %s:%s", ref, ErrNoRun, dir, listRuns(runs))
}

// listRuns names the first of the runs, with their tasks, each on a line.
func listRuns(runs []Run) string {
	var b strings.Builder
	for i, r := range runs {
		if i == shownRuns {
			fmt.Fprintf(&b, "\n  and %d more", len(runs)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", r.ID, shorten(r.Task))
	}
	return b.String()
}

// shorten cuts a task down to the beginning of its first line.
func shorten(task string) string {
	const most = 30
	task, _, more := strings.Cut(task, "\n")
	if runes := []rune(task); len(runes) > most {
		task, more = string(runes[:most]), true
	}
	if more {
		task += "…"
	}
	return task
}
