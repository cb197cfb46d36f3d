package tools

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/internal/nearest"
)

// SubjectKind says what the calls of a tool are about, and so how a pattern of
// a permission rule is read.
type SubjectKind string

// The kinds of subjects.
const (
	// NoSubject tools are named by rules without a pattern.
	NoSubject SubjectKind = ""
	// PathSubject is a file or folder of the workspace.
	PathSubject SubjectKind = "path"
	// CommandSubject is a command line of a shell.
	CommandSubject SubjectKind = "command"
	// TextSubject is any other argument.
	TextSubject SubjectKind = "text"
)

// Subject is what one call is about: all ways to say it, the truest first. A
// path is said as it is reached, and as the call wrote it if that is another.
type Subject []string

// Rule is one rule of permissions: a tool, or a tool with a pattern for what
// its calls are about.
//
//	write_file
//	write_file(sub_agent_results/**)
//	run_command(go test *)
//
// Rules are read so that what is in doubt is refused or asked for, never
// allowed. A path pattern knows *, ?, [a-z], {a,b} and ** for any folders. One
// that denies or asks also holds below a folder that it matches, in any folder
// if it has no slash, and in any case of the letters; one that allows has to
// match the whole path as it is written. Rules for write_file hold for
// edit_file too, and those for read_file that deny or ask hold for
// search_files.
//
// A command pattern knows * for anything; " *" at its end may be nothing at
// all. One that denies or asks looks for its command everywhere in the command
// line; one that allows has to match each command of the line, which must be
// plain (see [Policy.Decide]). In a pattern for any other text, * is anything
// and ? one character.
type Rule struct {
	// Tool is the name of the tool.
	Tool string
	// Pattern is empty for all calls.
	Pattern string

	kind  SubjectKind
	paths []string // the pattern with its braces written out
}

// String is the rule as it is written in a team file.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// RuleError says what is wrong with a rule.
type RuleError struct {
	// Rule is the text, At the byte in it where the mistake begins.
	Rule string
	At   int
	// Reason is what is wrong, Hint a way out; Hint may be empty.
	Reason, Hint string
}

// Error names the rule, the reason and the hint.
func (e *RuleError) Error() string {
	text := fmt.Sprintf("tools: rule %q: %s", e.Rule, e.Reason)
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// ParseRule reads a rule about one of the known tools. The error is a
// [*RuleError].
func ParseRule(text string, known []Spec) (Rule, error) {
	fail := func(at int, reason, hint string) (Rule, error) {
		return Rule{}, &RuleError{Rule: text, At: at, Reason: reason, Hint: hint}
	}
	name, rest, parens := strings.Cut(text, "(")
	start := len(name) + 1
	pattern, closed := strings.CutSuffix(rest, ")")
	switch {
	case !validName(name):
		return fail(0, "a rule begins with the name of a tool", "write TOOL or TOOL(PATTERN)")
	case parens && !closed:
		return fail(len(text), "the bracket is not closed", "write TOOL(PATTERN)")
	case parens && strings.TrimSpace(pattern) == "":
		return fail(start, "there is no pattern in the brackets", "write "+name+" alone for all its calls")
	case slices.Contains(LeaderNames(), name), slices.Contains(PeerNames(), name), slices.Contains(RemoteNames(), name):
		return fail(0, "communication tools need no permission", "remove the rule")
	}
	at := slices.IndexFunc(known, func(s Spec) bool { return s.Name == name })
	if at < 0 {
		return fail(0, fmt.Sprintf("there is no tool %q", name), meantTool(name, known))
	}
	r := Rule{Tool: name, Pattern: pattern, kind: known[at].Subject}
	if !parens {
		return r, nil
	}
	switch r.kind {
	case PathSubject:
		if at, reason, hint := r.readPaths(); reason != "" {
			return fail(start+at, reason, hint)
		}
	case CommandSubject, TextSubject:
	case NoSubject:
		return fail(start-1, "rules for "+name+" have no pattern", "write "+name+" alone for all its calls")
	}
	return r, nil
}

// meantTool names the tool that was probably meant, or else all.
func meantTool(name string, known []Spec) string {
	var names []string
	for _, s := range known {
		names = append(names, s.Name)
	}
	if near := nearest.Of(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "tools: " + strings.Join(names, ", ")
}

// readPaths prepares the pattern for paths. A reason says what is wrong with
// it, and at which byte of it.
func (r *Rule) readPaths() (at int, reason, hint string) {
	pattern := r.Pattern
	for i := range pattern {
		if strings.HasPrefix(pattern[i:], "..") && (i == 0 || pattern[i-1] == '/') && (i+2 == len(pattern) || pattern[i+2] == '/') {
			return i, "a path in the workspace has no ..", ""
		}
	}
	if at := badGlob(pattern); at >= 0 {
		return at, "the pattern is not closed", `escape it with \ to mean the character itself`
	}
	r.paths = expandBraces(pattern, maxGlobs+1)
	if len(r.paths) > maxGlobs {
		return strings.IndexByte(pattern, '{'), fmt.Sprintf("the braces make more than %d patterns", maxGlobs), "write several rules"
	}
	for i, p := range r.paths {
		anchored := strings.HasPrefix(p, "/") || strings.HasPrefix(p, "./")
		p = strings.Trim(path.Clean("/"+p), "/")
		for segment := range strings.SplitSeq(p, "/") {
			if _, err := path.Match(segment, ""); err != nil {
				return 0, "the pattern is malformed", `escape brackets with \ to mean the characters themselves`
			}
		}
		switch {
		case p == "":
			p = "." // the workspace itself
		case anchored && !strings.Contains(p, "/"):
			p = "/" + p
		}
		r.paths[i] = p
	}
	return 0, "", ""
}

// badGlob is the byte of a pattern at which something begins that has no end,
// or -1.
func badGlob(pattern string) int {
	brace := -1
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i == len(pattern) {
				return i - 1
			}
		case '[':
			end := classEnd(pattern[i:])
			if end < 0 {
				return i
			}
			i += end
		case '{':
			if brace >= 0 { // one in another
				return i
			}
			brace = i
		case '}':
			brace = -1
		}
	}
	return brace
}

// covers reports whether the rule is about the calls of a tool; refusing is
// that it denies or asks.
func (r Rule) covers(tool string, refusing bool) bool {
	return r.Tool == tool ||
		r.Tool == "write_file" && tool == "edit_file" ||
		r.Tool == "read_file" && tool == "search_files" && refusing
}

// refuses reports whether a rule that denies or asks holds for a subject.
func (r Rule) refuses(s Subject) bool {
	if r.Pattern == "" {
		return true
	}
	return slices.ContainsFunc(s, func(name string) bool {
		switch r.kind {
		case PathSubject:
			return slices.ContainsFunc(r.paths, func(p string) bool {
				return reaches(p, name) || reaches(foldCase(p), foldCase(name)) // folded, [X-c] is another class
			})
		case CommandSubject:
			return commandHolds(r.Pattern, name)
		case TextSubject:
			return wildcard(foldCase(r.Pattern), foldCase(name), true)
		case NoSubject:
		}
		return false
	})
}

// foldCase makes equal what a file system may take for equal.
func foldCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// reaches reports whether a pattern matches a path or a folder that it is in.
func reaches(pattern, name string) bool {
	anywhere := !strings.Contains(pattern, "/")
	want := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	parts := strings.Split(name, "/")
	for i := range parts {
		if anywhere {
			if ok, err := path.Match(pattern, parts[i]); err == nil && ok {
				return true
			}
			continue
		}
		if matchSegments(want, parts[:i+1]) {
			return true
		}
	}
	return pattern == "."
}

// allows reports whether a rule that allows holds for one of the names of a
// subject.
func (r Rule) allows(name string) bool {
	if r.Pattern == "" {
		return true
	}
	switch r.kind {
	case PathSubject:
		return slices.ContainsFunc(r.paths, func(p string) bool {
			return matchSegments(strings.Split(strings.TrimPrefix(p, "/"), "/"), strings.Split(name, "/"))
		})
	case CommandSubject:
		return commandMatches(r.Pattern, name)
	case TextSubject:
		return wildcard(r.Pattern, name, true)
	case NoSubject:
	}
	return false
}

// Exact is the rule that allows the call again: for the same file, the same
// command or the same text, or for a tool without such a thing all its calls.
// ok is false if no rule can say it: a command that is not plain cannot be
// allowed for another time.
func Exact(spec Spec, s Subject) (r Rule, ok bool) {
	r = Rule{Tool: spec.Name, kind: spec.Subject}
	if spec.Subject == NoSubject {
		return r, true
	}
	if len(s) == 0 {
		return Rule{}, false
	}
	switch name := s[0]; spec.Subject {
	case PathSubject:
		r.Pattern = pathEscapes.Replace(name)
		r.paths = []string{r.Pattern}
	case CommandSubject:
		commands, plain := plainCommands(name)
		if !plain || len(commands) != 1 || strings.Contains(name, "*") {
			return Rule{}, false
		}
		r.Pattern = commands[0]
	case TextSubject:
		r.Pattern = textEscapes.Replace(name)
	case NoSubject:
	}
	if strings.TrimSpace(r.Pattern) == "" {
		return Rule{}, false
	}
	return r, true
}

var (
	pathEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`)
	textEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`)
)
