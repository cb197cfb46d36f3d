package prompts

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.md roles/*.md
var files embed.FS

// templates holds the templates by language, parsed at the first use and named
// without language and extension: leader.en.md is "leader" of "en".
var templates = map[string]func() *template.Template{
	"zh": sync.OnceValue(func() *template.Template { return template.Must(parse(files, "zh")) }),
	"en": sync.OnceValue(func() *template.Template { return template.Must(parse(files, "en")) }),
}

func parse(fsys fs.FS, lang string) (*template.Template, error) {
	ending := "." + lang + ".md"
	paths, err := fs.Glob(fsys, "*"+ending)
	if err != nil {
		return nil, err
	}
	set := template.New(lang).Option("missingkey=error").Funcs(template.FuncMap{
		"line":  line,
		"first": first,
		"join":  strings.Join,
	})
	for _, path := range paths {
		text, err := fs.ReadFile(fsys, path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(path, ending)
		if _, err := set.New(name).Parse(strings.TrimSpace(string(text))); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func render(lang, name string, data any) (string, error) {
	set, ok := templates[lang]
	if !ok {
		return "", fmt.Errorf(`prompts: no language %q, only "en" and "zh"`, lang)
	}
	var b strings.Builder
	if err := set().ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompts: %w", err)
	}
	return strings.Clone(b.String()), nil
}

// line puts a text on one line, for use in a list.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// first is the first line of a text.
func first(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}
