package main

import (
	"slices"
	"strings"
)

// packages are those of ours. Their errors begin with their names, which say
// nothing to people who use the program.
var packages = []string{
	"agent", "client", "config", "envelope", "event", "foreign", "gateway", "leader", "mailbox", "model", "prompts", "render",
	"repair", "replay", "session", "streams", "studio", "tools", "transcript",
}

// unpackaged is the text of an error for people: without the names of packages
// with which it, and each error in it, begins.
func unpackaged(err error) string {
	text, at := err.Error(), 0
	for _, cause := range causes(err) {
		said, plain := cause.Error(), unpackaged(cause)
		if i := strings.Index(text[at:], said); i >= 0 {
			text, at = text[:at+i]+plain+text[at+i+len(said):], at+i+len(plain)
		}
	}
	if name, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(packages, name) {
		return rest
	}
	return text
}

// causes are the errors that err wraps.
func causes(err error) []error {
	switch e := err.(type) { //nolint:errorlint // what this one wraps, not what is in that
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}
