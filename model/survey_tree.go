package model

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tree is what is known of the working folder.
type tree struct {
	entries []listed
	// missing counts the entries that were not listed; they come last.
	missing int
	// failure says why the listing broke off; empty if it did not.
	failure string

	files, folders, links, others int
	bytes                         int64
}

// whole reports whether everything was listed.
func (t *tree) whole() bool { return t.missing == 0 && t.failure == "" }

// newTree measures entries, in the order of list_dir.
func newTree(entries []listed, missing int, failure string) *tree {
	t := &tree{entries: entries, missing: missing, failure: failure}
	for _, e := range entries {
		switch e.kind {
		case 'd':
			t.folders++
		case 'f':
			t.files++
			t.bytes += e.size
		case 'l':
			t.links++
		case 'o':
			t.others++
		}
	}
	return t
}

// where returns the entries that fit.
func (t *tree) where(fits func(listed) bool) []listed {
	var list []listed
	for _, e := range t.entries {
		if fits(e) {
			list = append(list, e)
		}
	}
	return list
}

// filesWhere returns the files that fit.
func (t *tree) filesWhere(fits func(listed) bool) []listed {
	return t.where(func(e listed) bool { return e.kind == 'f' && fits(e) })
}

// foldersWhere returns the folders that fit.
func (t *tree) foldersWhere(fits func(listed) bool) []listed {
	return t.where(func(e listed) bool { return e.kind == 'd' && fits(e) })
}

// below counts the files in a folder and in those below it.
func (t *tree) below(folder string) (files int, bytes int64) {
	for _, e := range t.entries {
		if e.kind == 'f' && strings.HasPrefix(e.path, folder+"/") {
			files++
			bytes += e.size
		}
	}
	return files, bytes
}

// emptyFolders returns the folders with nothing in them. What is in the last
// one is unknown if the listing ends with it.
func (t *tree) emptyFolders() []listed {
	var list []listed
	for i, e := range t.entries {
		switch {
		case e.kind != 'd' || e.unread():
		case i == len(t.entries)-1:
			if t.whole() {
				list = append(list, e)
			}
		case !strings.HasPrefix(t.entries[i+1].path, e.path+"/"):
			list = append(list, e)
		}
	}
	return list
}

// largest returns the n largest files that are not empty.
func (t *tree) largest(n int) []listed {
	list := t.filesWhere(func(e listed) bool { return e.size > 0 })
	slices.SortStableFunc(list, func(a, b listed) int { return cmp.Compare(b.size, a.size) })
	return list[:min(n, len(list))]
}

// readmes returns the READMEs, those nearest to the top first, README.md
// before others.
func (t *tree) readmes() []listed {
	list := t.filesWhere(isReadme)
	slices.SortStableFunc(list, func(a, b listed) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")),
			cmp.Compare(len(a.path), len(b.path)),
		)
	})
	return list
}

func isReadme(e listed) bool {
	name := strings.ToLower(path.Base(e.path))
	tail, ok := strings.CutPrefix(name, "readme")
	return e.kind == 'f' && ok && (tail == "" || strings.ContainsAny(tail[:1], "._-"))
}

// endingSum is the files of one ending.
type endingSum struct {
	ending string // with its dot, in lower case; empty for files without one
	files  int
	bytes  int64
}

// kinds groups the files by ending, the most frequent first.
func (t *tree) kinds() []endingSum {
	byEnding := make(map[string]*endingSum)
	var list []*endingSum
	for _, e := range t.filesWhere(func(listed) bool { return true }) {
		ending := endingOf(e.path)
		k := byEnding[ending]
		if k == nil {
			k = &endingSum{ending: ending}
			byEnding[ending] = k
			list = append(list, k)
		}
		k.files++
		k.bytes += e.size
	}
	slices.SortFunc(list, func(a, b *endingSum) int {
		return cmp.Or(cmp.Compare(b.files, a.files), cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.ending, b.ending))
	})
	out := make([]endingSum, len(list))
	for i, k := range list {
		out[i] = *k
	}
	return out
}

// maxEnding bounds what counts as an ending, in bytes.
const maxEnding = 12

// endingOf is the ending of a file's name, in lower case with its dot; empty
// for a name without one, or with one that no program would give.
func endingOf(name string) string {
	base := path.Base(name)
	ending := strings.ToLower(path.Ext(base))
	odd := func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '+'
	}
	if len(ending) < 2 || len(ending) == len(base) || len(ending) > maxEnding || strings.ContainsFunc(ending[1:], odd) {
		return ""
	}
	return ending
}
