package config

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled at its first use: most
// programs use few of them, and all would pay when they start.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
