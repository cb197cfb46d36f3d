package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// files reads what a team file names; base is the folder that the file's own
// name puts before their paths.
type files struct {
	fsys fs.FS
	base string
}

// name returns how problems name a file.
func (f files) name(rel string) string { return filepath.Join(f.base, filepath.FromSlash(rel)) }

// open returns the content of a file, at most one byte more than may be read.
func (f files) open(rel string) ([]byte, error) {
	if f.fsys == nil {
		return nil, fs.ErrNotExist
	}
	file, err := f.fsys.Open(rel)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	return data, errors.Join(err, file.Close())
}

// readDir returns the entries of a folder in order.
func (f files) readDir(rel string) ([]fs.DirEntry, error) {
	if f.fsys == nil {
		return nil, fs.ErrNotExist
	}
	return fs.ReadDir(f.fsys, rel)
}

// relative checks that a path stays in the folder of the team file, and
// returns it in its shortest form.
func (r *reader) relative(v value, p string) (string, bool) {
	clean := path.Clean(p)
	switch {
	case strings.Contains(p, `\`):
		r.problem(v, v.path+": found a path with \\, wanted one with /", "")
	case path.IsAbs(p), filepath.IsAbs(p), !fs.ValidPath(clean):
		r.problem(v, fmt.Sprintf("%s: path %s leads out of the folder of the team file", v.path, quoteShort(v.raw)), "name something in or below that folder")
	default:
		return clean, true
	}
	return "", false
}

// readFile returns the text of a file that a value names.
func (r *reader) readFile(v value, p string) (*source, bool) {
	rel, ok := r.relative(v, p)
	if !ok {
		return nil, false
	}
	r.files[rel] = true
	data, err := r.disk.open(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.problem(v, fmt.Sprintf("%s: file %s does not exist", v.path, quoteShort(v.raw)), r.nearFile(rel))
		return nil, false
	case err != nil:
		r.problem(v, fmt.Sprintf("%s: file %s cannot be read", v.path, quoteShort(v.raw)), "check that it is a file and may be read")
		return nil, false
	}
	return newSource(r.disk.name(rel), data, r.rep)
}

// nearFile suggests a file of the same folder.
func (r *reader) nearFile(rel string) string {
	entries, err := r.disk.readDir(path.Dir(rel))
	if err != nil {
		return "paths start from the folder of the team file"
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, path.Join(path.Dir(rel), e.Name()))
	}
	return cmp.Or(didYouMean(rel, names), "paths start from the folder of the team file")
}

// contextFile is a file for every agent.
func contextFile() kind[ContextFile] {
	k := text()
	return kind[ContextFile]{want: k.want, schema: k.schema, read: func(r *reader, v value) (ContextFile, bool) {
		p, ok := k.read(r, v)
		if !ok {
			return ContextFile{}, false
		}
		src, ok := r.readFile(v, p)
		if !ok {
			return ContextFile{}, false
		}
		return ContextFile{Path: path.Clean(p), Text: src.text}, true
	}}
}

// namesFile says whether a prompt is the name of a file: one word that ends in
// .md or .txt.
func namesFile(s string) bool {
	return !strings.ContainsAny(s, " \t\n") && (strings.HasSuffix(s, ".md") || strings.HasSuffix(s, ".txt"))
}

// prompt is a text for a model, or a file with one.
func prompt() kind[string] {
	return kind[string]{want: "text or a file", schema: schema{"type": "string", "minLength": 1}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, "text or a .md or .txt file")
		if !ok {
			return "", false
		}
		if !namesFile(s) {
			return r.expand(v, s, paramsOnly)
		}
		src, ok := r.readFile(v, s)
		if !ok {
			return "", false
		}
		if strings.TrimSpace(src.text) == "" {
			r.problem(v, fmt.Sprintf("%s: file %s is empty", v.path, quoteShort(s)), "")
			return "", false
		}
		return r.bodyText(src, 1, src.text)
	}}
}

// bodyText expands text that is whole lines of a file, from a line on.
func (r *reader) bodyText(src *source, line int, s string) (string, bool) {
	n := &node{kind: textNode, src: src, pos: position{line, 1}, raw: s, body: true}
	out, ok := r.expand(value{node: n, path: "prompt"}, s, paramsOnly)
	return strings.TrimSpace(out), ok
}

// workDir is a folder in the folder of the run.
func workDir() kind[string] {
	k := text()
	read := k.read
	k.read = func(r *reader, v value) (string, bool) {
		p, ok := read(r, v)
		if !ok {
			return "", false
		}
		clean := path.Clean(p)
		if strings.Contains(p, `\`) || path.IsAbs(p) || filepath.IsAbs(p) || !fs.ValidPath(clean) {
			r.problem(v, fmt.Sprintf("%s: %s leads out of the folder of the run", v.path, quoteShort(v.raw)), "name a folder in it, with /")
			return "", false
		}
		return clean, true
	}
	return k
}
