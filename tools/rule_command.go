package tools

import (
	"path"
	"strings"
)

// plainCommands splits a command line into its simple commands, their words
// joined by one space. plain is false when a shell may make more of the line
// than the words say: by expansion, substitution, redirection, grouping,
// escapes or comments. It is on the safe side: what it does not know is not
// plain.
func plainCommands(line string) (commands []string, plain bool) {
	var words []string
	var word strings.Builder
	inWord := false
	flush := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	end := func() {
		if flush(); len(words) > 0 {
			commands = append(commands, strings.Join(words, " "))
		}
		words = nil
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			flush()
		case c == ';' || c == '&' || c == '|' || c == '\n':
			end()
		case c == '\'' || c == '"':
			length := strings.IndexByte(line[i+1:], c)
			if length < 0 {
				return nil, false
			}
			text := line[i : i+length+2]
			if c == '"' && strings.ContainsAny(text, "$`\\") {
				return nil, false
			}
			word.WriteString(text)
			inWord = true
			i += length + 1
		case c == '#' && !inWord, c < ' ', c == 0x7f, strings.IndexByte("$`\\<>(){}!", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end()
	return commands, len(commands) > 0
}

// commandMatches reports whether a pattern that allows matches one simple
// command. " *" at the end of a pattern may be nothing at all.
func commandMatches(pattern, command string) bool {
	pattern = strings.Join(strings.Fields(pattern), " ")
	if head, ok := strings.CutSuffix(pattern, " *"); ok && wildcard(head, command, false) {
		return true
	}
	return wildcard(pattern, command, false)
}

// maxCommand bounds the command lines that patterns are held against, in
// bytes, because a pattern is tried at every word. What is longer is in doubt.
const maxCommand = 16 << 10

// commandHolds reports whether a pattern that denies or asks may be about some
// part of a command line: it is held against the line from every word on, with
// quotes, escapes and folders taken away and everything taken for the end of a
// command that could be one.
func commandHolds(pattern, line string) bool {
	if len(line) > maxCommand {
		return true
	}
	pattern = strings.Join(strings.Fields(foldCase(pattern)), " ")
	line = foldCase(strings.NewReplacer("'", "", `"`, "", "\\\n", "", `\`, "").Replace(line))
	borders := func(r rune) bool { return r < ' ' && r != '\t' || strings.ContainsRune(";&|<>(){}$`#!", r) }
	for part := range strings.FieldsFuncSeq(line, borders) {
		words := strings.Fields(part)
		for i := range words {
			whole := strings.Join(words[i:], " ")
			words[i] = path.Base(words[i])
			if commandMatches(pattern, whole) || commandMatches(pattern, strings.Join(words[i:], " ")) {
				return true
			}
		}
	}
	return false
}

// wildcard reports whether a pattern matches the whole text: * is anything,
// also nothing; with more, ? is one character and a backslash makes the next
// one mean itself. It takes time in proportion to the product of the lengths.
func wildcard(pattern, text string, more bool) bool {
	p, t := []rune(pattern), []rune(text)
	at, from := 0, 0
	star, resume := -1, 0 // the newest *, and what it has taken up to
	for from < len(t) {
		literal, width := false, 1
		if more && at+1 < len(p) && p[at] == '\\' {
			literal, width = true, 2
		}
		switch {
		case at < len(p) && !literal && p[at] == '*':
			star, resume = at, from
			at++
		case at < len(p) && (p[at+width-1] == t[from] || more && !literal && p[at] == '?'):
			at, from = at+width, from+1
		case star >= 0:
			resume++
			at, from = star+1, resume
		default:
			return false
		}
	}
	for at < len(p) && p[at] == '*' {
		at++
	}
	return at == len(p)
}
