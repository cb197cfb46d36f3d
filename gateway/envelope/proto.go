package envelope

import (
	"cmp"
	"strconv"
	"strings"
)

// The version that this program knows, as numbers.
const (
	ourMajor = 1
	ourMinor = 0
)

// version reads "major.minor" without signs and leading zeros.
func version(text string) (major, minor int, ok bool) {
	first, second, ok := strings.Cut(text, ".")
	if !ok {
		return 0, 0, false
	}
	major, err1 := strconv.Atoi(first)
	minor, err2 := strconv.Atoi(second)
	plain := err1 == nil && err2 == nil && strconv.Itoa(major) == first && strconv.Itoa(minor) == second
	return major, minor, plain && major >= 0 && minor >= 0
}

// readProto looks at the version that the value raw names. The remark says
// that it is unknown, or newer than ours; nil for one that is ours or older.
func readProto(raw, field string, at int) *Remark {
	r := Remark{Reason: UnknownProto, Field: field, Offset: at, Found: shown(raw)}
	if raw[0] != '"' {
		return &r
	}
	major, minor, ok := version(unquote(raw))
	switch {
	case !ok || major != ourMajor:
		return &r
	case cmp.Compare(minor, ourMinor) > 0:
		r.Reason = MinorVersion
		return &r
	}
	return nil
}
