package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/replay/foreign"
)

// choices are the values of the flags that take one of a few, and of the settings
// that stand for them, by the flag's name: it means the same in all commands.
var choices = map[string][]string{
	"color":         {"auto", "always", "never"},
	"events":        {"sdk", "page"},
	"format":        {exportMarkdown, exportJSON, exportHTML},
	"from-format":   {"auto", string(foreign.FormatTroupe), string(foreign.FormatOpenAI), string(foreign.FormatClaudeCode)},
	"lang":          {"auto", "zh", "en"},
	"log-level":     {"debug", "info", "warn", "error", "off"},
	"output-format": {formText, formJSON, formJSONL},
	"protocol":      speakerNames(),
	"schema":        {"v1", "v2"},
	"sync":          {"normal", "always", "off"},
	"view":          {"auto", "bubbles", "lines"},
}

// oneOf refuses a value that is none of the flag's; empty is the default.
func (a *app) oneOf(flag, value string) error {
	wanted := choices[flag]
	if value == "" || slices.Contains(wanted, value) {
		return nil
	}
	return usageError(fmt.Sprintf(a.words.badValue, flag, value, strings.Join(wanted, ", ")), "")
}
