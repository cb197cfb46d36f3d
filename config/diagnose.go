package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mistake is a fault that is recognized, and the line without it.
type mistake struct {
	fault
	repaired string
}

var (
	wideColon  = pattern(`^(\s*(?:- +)*[^\s:：#'"\[{][^:：#]*?)\s*：[ \t]*`)
	tightColon = pattern(`^(\s*(?:- +)*["']?[A-Za-z_][A-Za-z0-9_-]*["']?):([^\s/].*)$`)
	plainValue = pattern(`^(\s*(?:- +)*[^\s:#'"][^:#]*?:\s+)([^\s'"|>\[{&*!#].*?)(\s+#.*|\s*)$`)
)

// diagnose recognizes what people get wrong in a line that does not parse.
func diagnose(line string) (mistake, bool) {
	blank := line[:indentOf(line)]
	if tab := strings.IndexByte(blank, '\t'); tab >= 0 {
		return mistake{
			fault{position{0, tab + 1}, "tab used for indentation; use spaces", "YAML allows only spaces there"},
			strings.ReplaceAll(blank, "\t", "  ") + line[len(blank):],
		}, true
	}
	if m := wideColon().FindStringSubmatch(line); m != nil {
		return mistake{
			fault{position{0, utf8.RuneCountInString(m[1]) + 1}, `full-width colon "：" used; YAML needs ":"`, "write \": \" with a space after it"},
			m[1] + ": " + line[len(m[0]):],
		}, true
	}
	if m := tightColon().FindStringSubmatch(line); m != nil {
		return mistake{
			fault{position{0, utf8.RuneCountInString(m[1]) + 1}, "missing space after \":\" in " + quoteShort(strings.TrimSpace(line)), "write \": \" with a space after it"},
			m[1] + ": " + m[2],
		}, true
	}
	if m := plainValue().FindStringSubmatch(line); m != nil && strings.Contains(m[2], ": ") {
		inner := strings.Index(m[2], ": ")
		return mistake{
			fault{position{0, utf8.RuneCountInString(m[1]+m[2][:inner]) + 1}, `": " inside an unquoted value; put the value in quotes or use |`, fmt.Sprintf("%s'…'", clean([]rune(strings.TrimLeft(m[1], " "))))},
			m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'" + m[3],
		}, true
	}
	return mistake{}, false
}
