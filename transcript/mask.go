package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/internal/appendjson"
)

// Masked stands where the exact value of a secret was. Where a secret was
// found by what it looks like, its kind stands there too: "[masked: JWT]".
const Masked = "[masked]"

// minSecret is the length in bytes from which on a secret is masked; shorter
// ones would hit ordinary words.
const minSecret = 6

// Mask hides secrets in texts: exact values, and after [Mask.WithPatterns] also
// what looks like a secret. A nil Mask hides none. It is safe for use by many
// goroutines.
type Mask struct {
	forms    []string // longest first
	replacer *strings.Replacer
	finder   *shapeFinder // nil: patterns are not looked for
	redact   []*regexp.Regexp
}

// NewMask returns a mask for the given values, such as the keys that were
// loaded. Values shorter than 6 bytes are left out; so should the caller leave
// out placeholders like "ollama", which are words and not secrets. A value is
// also found where it is escaped as in a JSON string or in a URL.
func NewMask(secrets ...string) *Mask {
	m := &Mask{}
	for _, s := range secrets {
		if len(s) >= minSecret {
			m.forms = append(m.forms, forms(validUTF8(s))...)
		}
	}
	slices.SortFunc(m.forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	m.forms = slices.Compact(m.forms)
	pairs := make([]string, 0, 2*len(m.forms))
	for _, f := range m.forms {
		pairs = append(pairs, f, Masked)
	}
	m.replacer = strings.NewReplacer(pairs...)
	return m
}

// WithPatterns returns a mask that also hides what looks like a secret (bearer
// tokens, keys of well-known services, passwords and tokens in URLs, private
// keys), and what one of the expressions matches, which may be none. Matches
// of no length hide nothing.
func (m *Mask) WithPatterns(redact ...*regexp.Regexp) *Mask {
	with := &Mask{finder: finder(), redact: slices.Clone(redact)}
	if m != nil {
		with.forms, with.replacer = m.forms, m.replacer
	}
	return with
}

// forms lists the ways in which s may stand in a text.
func forms(s string) []string {
	html, _ := json.Marshal(s) // a string always has a JSON form
	return []string{
		s,
		unquote(html),
		unquote(appendjson.String(nil, s)),
		strings.ReplaceAll(unquote(appendjson.String(nil, s)), "/", `\/`),
		url.QueryEscape(s),
		url.PathEscape(s),
	}
}

func unquote(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }

// Text returns s with every secret replaced.
func (m *Mask) Text(s string) string {
	if m.finds(s) {
		s = m.replacer.Replace(s)
	}
	if m != nil && m.finder != nil {
		s = replaceSpans(s, m.spans(s, 0))
	}
	return s
}

// finds reports whether the exact value of a secret is in s.
func (m *Mask) finds(s string) bool {
	return m != nil && slices.ContainsFunc(m.forms, func(f string) bool {
		return strings.Contains(s, f)
	})
}

// JSON returns text, which must be valid JSON, with every secret inside its
// strings replaced, so that it stays valid.
func (m *Mask) JSON(text []byte) []byte {
	if m == nil || len(m.forms) == 0 && m.finder == nil {
		return text
	}
	var out []byte
	rest := text
	for {
		i := bytes.IndexByte(rest, '"')
		if i < 0 {
			return append(out, rest...)
		}
		n := stringEnd(rest[i:])
		out = append(out, rest[:i]...)
		out = append(out, m.quoted(rest[i:i+n])...)
		rest = rest[i+n:]
	}
}

// quoted masks one JSON string, quotes included.
func (m *Mask) quoted(text []byte) []byte {
	var s string
	if bytes.IndexByte(text, '\\') < 0 {
		s = strings.Trim(string(text), `"`)
	} else if json.Unmarshal(text, &s) != nil {
		return text
	}
	masked := m.Text(s)
	if masked == s {
		return text
	}
	return appendjson.String(nil, masked)
}

// stringEnd returns the length of the JSON string that text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
