package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Masked stands where a secret was.
const Masked = "[masked]"

// minSecret is the length in bytes from which on a secret is masked; shorter
// ones would hit ordinary words.
const minSecret = 6

// Mask hides the exact values of secrets in texts. A nil Mask hides none. It
// is safe for use by many goroutines.
type Mask struct {
	forms    []string // longest first
	replacer *strings.Replacer
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

// forms lists the ways in which s may stand in a text.
func forms(s string) []string {
	html, _ := json.Marshal(s) // a string always has a JSON form
	return []string{
		s,
		unquote(html),
		unquote(quote(s)),
		strings.ReplaceAll(unquote(quote(s)), "/", `\/`),
		url.QueryEscape(s),
		url.PathEscape(s),
	}
}

// quote returns s as a JSON string without escaping HTML.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has a JSON form
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func unquote(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }

// Text returns s with every secret replaced by [Masked].
func (m *Mask) Text(s string) string {
	if !m.finds(s) {
		return s
	}
	return m.replacer.Replace(s)
}

// finds reports whether there is a secret in s.
func (m *Mask) finds(s string) bool {
	return m != nil && slices.ContainsFunc(m.forms, func(f string) bool {
		return strings.Contains(s, f)
	})
}

// JSON returns text, which must be valid JSON, with every secret inside its
// strings replaced, so that it stays valid.
func (m *Mask) JSON(text []byte) []byte {
	if m == nil || len(m.forms) == 0 {
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
	if json.Unmarshal(text, &s) != nil || !m.finds(s) {
		return text
	}
	return quote(m.Text(s))
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
