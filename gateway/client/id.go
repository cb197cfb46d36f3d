package client

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// newID makes an id that nobody guesses.
func newID(prefix string) string { return prefix + strings.ToLower(rand.Text()) }

// newTrace makes a trace id.
func newTrace() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// isTrace reports whether a client's trace id is one: 32 hex digits, not all zero.
func isTrace(s string) bool {
	if len(s) != 32 || strings.Trim(s, "0") == "" {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
