package config

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"
)

// maxAge is the longest time that a run can be told to be kept.
const maxAge = 100 * 365 * 24 * time.Hour

// ageForm is the form of an age in a schema: days, then smaller units.
const ageForm = `^([0-9]+d)?([0-9]+(\.[0-9]+)?(ms|s|m|h))*$`

// age is a time above zero such as 30d.
func age() kind[time.Duration] {
	return parsed(wantAge, schema{"type": "string", "minLength": 1, "pattern": ageForm}, ParseAge)
}

// ParseAge reads a time such as 30d, 12h or 1d12h: days of 24 hours, then what
// [time.ParseDuration] reads. It reports false for all else, for what is not
// above zero, and for more than 100 years.
func ParseAge(s string) (time.Duration, bool) {
	var total time.Duration
	if days, rest, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return 0, false
		}
		total, s = time.Duration(n)*24*time.Hour, rest
		if s == "" {
			return total, 0 < total && total <= maxAge
		}
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	total += d
	return total, err == nil && 0 < total && total <= maxAge
}

// expression is a regular expression that matches no empty text.
func expression() kind[string] {
	const want = "a regular expression"
	return kind[string]{want: want, schema: schema{"type": "string", "minLength": 1, "format": "regex"}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, want)
		if !ok {
			return "", false
		}
		re, err := regexp.Compile(s)
		switch {
		case err != nil:
			hint := ""
			if bad, is := errors.AsType[*syntax.Error](err); is {
				hint = bad.Code.String()
			}
			r.wrong(v, want, hint)
			return "", false
		case re.MatchString(""):
			r.wrong(v, "an expression that does not match empty text", "")
			return "", false
		}
		return s, true
	}}
}
