package appendjson

import "unicode/utf8"

// escapes has how a byte below 0x80 is written in a JSON string when it does not
// stand for itself.
var escapes = func() (table [utf8.RuneSelf]string) {
	const hex = "0123456789abcdef"
	for c := range ' ' {
		table[c] = `\u00` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1]
	}
	table['\b'], table['\f'], table['\n'], table['\r'], table['\t'] = `\b`, `\f`, `\n`, `\r`, `\t`
	table['"'], table['\\'] = `\"`, `\\`
	return table
}()

// plain has the bytes that stand for themselves in valid UTF-8. 0xE2 is the
// first byte of two separators that JavaScript does not take as they are.
var plain = func() (table [256]bool) {
	for c := range table {
		table[c] = c != 0xE2 && (c >= utf8.RuneSelf || escapes[c] == "")
	}
	return table
}()

// String appends s as a JSON string. Each byte that is not UTF-8 becomes U+FFFD.
func String(dst []byte, s string) []byte {
	valid := utf8.ValidString(s)
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] && (valid || c < utf8.RuneSelf) {
			i++
			continue
		}
		escape, size := escapeRune(s[i:])
		if escape != "" {
			dst = append(append(dst, s[from:i]...), escape...)
			from = i + size
		}
		i += size
	}
	return append(append(dst, s[from:]...), '"')
}

// escapeRune is how the first rune of s is written, empty if as it is, and how
// many bytes of s it has.
func escapeRune(s string) (escape string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r < utf8.RuneSelf:
		escape = escapes[r]
	case r == utf8.RuneError && size == 1:
		escape = `\ufffd`
	case r == '\u2028':
		escape = `\u2028`
	case r == '\u2029':
		escape = `\u2029`
	}
	return escape, size
}
