package transcript

import "unicode/utf8"

// validUTF8 replaces each byte of s that is not part of UTF-8 text by U+FFFD,
// which is what a JSON encoder does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
