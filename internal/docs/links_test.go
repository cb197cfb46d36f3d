package docs_test

import (
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var (
	// target is what follows the text of a link or an image: (PATH), or
	// ": PATH" where a reference is defined.
	target    = regexp.MustCompile(`\](?:\(\s*<?([^()\s<>]+)>?(?:\s+"[^"]*")?\s*\)|:\s+(\S+))`)
	scheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	inlined   = regexp.MustCompile("`[^`]*`")
	codeFence = regexp.MustCompile("^\\s*(```|~~~)")
)

// brokenLinks finds the relative links of a document that lead nowhere: one
// line each. Code is no link, and other sites are not asked.
func brokenLinks(fsys fs.FS, name, document string) (faults []string) {
	fence := ""
	n := 0
	for line := range strings.Lines(document) {
		n++
		if m := codeFence.FindStringSubmatch(line); m != nil && (fence == "" || fence == m[1]) {
			if fence != "" {
				m[1] = ""
			}
			fence = m[1]
			continue
		}
		if fence != "" {
			continue
		}
		for _, m := range target.FindAllStringSubmatch(inlined.ReplaceAllString(line, ""), -1) {
			link := m[1] + m[2]
			if scheme.MatchString(link) || strings.HasPrefix(link, "#") {
				continue
			}
			if !leadsToFile(fsys, path.Dir(name), link) {
				faults = append(faults, fmt.Sprintf("%s:%d: the link leads nowhere: %s", name, n, link))
			}
		}
	}
	return faults
}

// leadsToFile reports whether link, seen from dir, is a file or folder of fsys.
func leadsToFile(fsys fs.FS, dir, link string) bool {
	file, _, _ := strings.Cut(link, "#")
	file, err := url.PathUnescape(file)
	if err != nil || path.IsAbs(file) {
		return false
	}
	_, err = fs.Stat(fsys, path.Join(dir, file))
	return err == nil
}
