package transcript

import (
	"slices"
	"strings"
)

// plainKeys are the names of parameters that end in "key" and hold a secret;
// other such names are mostly those of keys in a table.
var plainKeys = []string{
	"key", "apikey", "api_key", "api-key", "x-api-key", "accesskey", "access_key", "access-key", "secretkey", "secret_key",
	"secret-key", "authkey", "auth_key", "appkey", "app_key", "clientkey", "client_key", "subscription-key",
}

// openTokens are parts of names of parameters that end in "token" and mark a
// place in a list.
var openTokens = []string{"page", "next", "continu", "sync", "start", "marker"}

// queried are the values of parameters in a URL or a form; each anchor is the
// end of a name and an equals sign.
func queried(anchors ...string) []shape {
	shapes := make([]shape, len(anchors))
	for i, anchor := range anchors {
		shapes[i] = shape{"parameter of a URL", anchor, findParameter}
	}
	return shapes
}

// findParameter finds the value of a parameter whose name ends in s[at:end].
func findParameter(s string, at, end int) (from, to int) {
	const most, least, leastKey = 40, 4, 8 // bytes
	start := at
	for start > 0 && at-start < most && (isAlnum(s[start-1]) || strings.IndexByte("_.-", s[start-1]) >= 0) {
		start--
	}
	if start == 0 || strings.IndexByte("?&;#", s[start-1]) < 0 {
		return 0, 0
	}
	name := strings.ToLower(s[start : end-1])
	to = inQuery.run(s, end)
	value := s[end:to]
	named := func(part string) bool { return strings.Contains(name, part) }
	switch {
	case len(value) < least, isPlaceholder(value):
		return 0, 0
	case strings.HasSuffix(name, "key"):
		if len(value) < leastKey || !slices.Contains(plainKeys, name) || !looksRandom(value) {
			return 0, 0
		}
	case strings.HasSuffix(name, "token") && slices.ContainsFunc(openTokens, named):
		return 0, 0
	}
	return end, to
}

// isPlaceholder reports whether a value only shows where one belongs, as
// YOUR_TOKEN does.
func isPlaceholder(value string) bool {
	return value == strings.ToUpper(value) && !strings.ContainsAny(value, "0123456789")
}

// findUserinfo finds the password of a URL, or the name if that is a token.
func findUserinfo(s string, _, end int) (from, to int) {
	const leastName = 16
	stop := end
	for stop < len(s) && s[stop] > ' ' && s[stop] < 0x7f && strings.IndexByte(`/?#"'<>`+"`"+`()[]{}|\,;`, s[stop]) < 0 {
		stop++
	}
	at := strings.LastIndexByte(s[end:stop], '@')
	if at < 0 || strings.HasPrefix(s[end+at:], "@sha256:") {
		return 0, 0
	}
	name, password, _ := strings.Cut(s[end:end+at], ":")
	switch {
	case password == "" && len(name) >= leastName && looksRandom(name):
		return end, end + len(name)
	case password == "", password[0] == '$' && !looksRandom(password), strings.Trim(password, "*") == "":
		return 0, 0
	}
	return end + at - len(password), end + at
}

// Bounds on private keys, in bytes.
const (
	pemMost  = 16 << 10 // from the first mark to the last
	pemLabel = 64       // of a label
	pemLine  = 40       // every line of a key but the last is longer
	pemLast  = 12       // the last may be shorter, but no word is meant
)

// findPEM finds a block with a private key. One that ends too early is taken
// as far as its lines go.
func findPEM(s string, at, end int) (from, to int) {
	label, _, ok := strings.Cut(s[end:min(len(s), end+pemLabel)], "-----")
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return 0, 0
	}
	start := end + len(label) + len("-----")
	body := s[start:min(len(s), start+pemMost)]
	if inner, _, ok := strings.Cut(body, "-----END "+label+"-----"); ok {
		if !hasKeyLine(inner) {
			return 0, 0
		}
		return at, start + len(inner) + len("-----END "+label+"-----")
	}
	to = start + keyLines(body)
	if to == start {
		return 0, 0
	}
	return at, to
}

// keyLines is the length of the lines of a key that body begins with, behind
// what stands in the head of a block. Escaped lines are left to the view that
// undoes escapes.
func keyLines(body string) int {
	const head, headLine = 4, 256 // lines, and bytes of one
	body, _, _ = strings.Cut(body, `\`)
	n, to, seen := 0, 0, false
	for line := range strings.Lines(body) {
		switch is := hasKeyLine(line[:min(len(line), headLine)]); {
		case is:
			seen = true
		case seen:
			last := base64s.run(line, 0)
			if last >= pemLast || strings.TrimSpace(line[last:]) == "" {
				to += last
			}
			return to
		case n > head:
			return 0
		}
		n++
		to += len(line)
	}
	if !seen {
		return 0
	}
	return to
}

// hasKeyLine reports whether a run of base64 in s is as long as a line of a
// key.
func hasKeyLine(s string) bool {
	for i := 0; i < len(s); i++ {
		to := base64s.run(s, i)
		if to-i >= pemLine && looksRandom(s[i:to]) {
			return true
		}
		i = to
	}
	return false
}
