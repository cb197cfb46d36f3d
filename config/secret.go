package config

import (
	"strings"
	"unicode"
)

// masked stands for text that must not be shown.
const masked = "••••"

var (
	// keyedSecret finds the value of a key or parameter whose name says that
	// it is secret; references to variables are no secrets.
	keyedSecret = pattern(`(?i)((?:^|[^a-z])(?:[a-z0-9_-]*[_-])?(?:api-?_?key|key|token|secret|password|passwd|authorization)["']?\s*[:=：]\s*)([^\s$][^\n]*)`)
	// knownSecret finds keys by the marks that their makers give them.
	knownSecret = pattern(`(?i)(?:\b(?:sk|pk|rk|ark|ghp|gho|github_pat|glpat|hf|xox[a-z])[-_]|\bAKIA|\bAIza|\beyJ|\bBearer\s+)[A-Za-z0-9._~+/=-]{8,}`)
	// longRun finds words that are long enough to be a key.
	longRun = pattern(`[A-Za-z0-9+/=_]{20,}`)
	// userInfo finds a name and password in an address.
	userInfo = pattern(`(://)[^/@\s]+@`)
)

// maskSecrets replaces what looks like a key, and what a name calls one.
func maskSecrets(s string) string {
	return maskKeys(keyedSecret().ReplaceAllString(s, "${1}"+masked))
}

// maskKeys replaces what looks like a key by itself.
func maskKeys(s string) string {
	s = knownSecret().ReplaceAllString(s, masked)
	s = userInfo().ReplaceAllString(s, "${1}"+masked+"@")
	return longRun().ReplaceAllStringFunc(s, func(run string) string {
		if looksRandom(run) {
			return masked
		}
		return run
	})
}

// looksLikeKey says whether a value is more likely a key than a name.
func looksLikeKey(s string) bool {
	return maskSecrets(s) != s
}

// looksRandom says whether a long word mixes digits with letters as no name
// does: either in both cases, or in hexadecimal.
func looksRandom(s string) bool {
	digits := strings.ContainsFunc(s, unicode.IsDigit)
	upper := strings.ContainsFunc(s, unicode.IsUpper)
	lower := strings.ContainsFunc(s, unicode.IsLower)
	hex := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.Is(unicode.Hex_Digit, r) })
	return digits && (upper && lower || (upper || lower) && hex && len(s) >= 32)
}
