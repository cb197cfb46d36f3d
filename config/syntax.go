package config

import (
	"errors"
	"fmt"
	"strings"

	yaml "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// maxRepairs bounds how often a text with mistakes is parsed again, and
// maxParsed how many bytes are parsed in all before that stops.
const (
	maxRepairs = 24
	maxParsed  = 2 << 20
)

// maxTokens bounds the words and signs of a text; a block of text is one.
const maxTokens = 50_000

// maxDepth is how deep values may be nested.
const maxDepth = 64

// fault is a mistake in the text itself: at is where the parser stopped.
type fault struct {
	at      position
	message string
	hint    string
}

// parse returns the tree of the text, nil when there is none. It is whole when
// the text had no mistake; else lines with mistakes were repaired or left out,
// so that what follows them is checked too, and what is missing from the tree
// may be there in the file.
func (s *source) parse() (root *node, whole bool) {
	whole = true
	fix := newRepair(s)
	if tokens := lexer.Tokenize(s.text); len(tokens) > maxTokens {
		t := tokens[maxTokens]
		s.add(Problem{Message: fmt.Sprintf("the file is too long: it has more than %d words and signs", maxTokens), Hint: "keep long texts in files of their own, and write them with |"}, position{t.Position.Line, t.Position.Column}, false)
		return nil, false
	}
	for i := range maxRepairs {
		if i > 1 && i*len(s.text) > maxParsed {
			break
		}
		docs, f := parseText(fix.text())
		if f == nil {
			return s.document(docs), whole
		}
		whole = false
		if !fix.apply(*f) {
			return nil, false
		}
	}
	return nil, false
}

// parseText parses a text, once it is known that no recursion can run deep.
func parseText(text string) ([]*ast.DocumentNode, *fault) {
	tokens := lexer.Tokenize(text)
	if f := checkDepth(tokens); f != nil {
		return nil, f
	}
	if f := checkBrackets(tokens); f != nil && tokens.InvalidToken() == nil {
		return nil, f
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file.Docs, nil
	}
	f := &fault{at: position{1, 1}, message: "unknown mistake"}
	if e, ok := errors.AsType[yaml.Error](err); ok {
		f.message = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			f.at = position{t.Position.Line, t.Position.Column}
		}
	}
	return nil, f
}

// document builds the tree of the only document.
func (s *source) document(docs []*ast.DocumentNode) *node {
	var body ast.Node
	for _, doc := range docs {
		if doc.Body == nil {
			continue
		}
		if _, directive := doc.Body.(*ast.DirectiveNode); directive {
			continue
		}
		if body == nil {
			body = doc.Body
			continue
		}
		at := place(doc.Body)
		if doc.Start != nil {
			at = position{doc.Start.Position.Line, doc.Start.Position.Column}
		}
		s.add(Problem{Message: "the file has more than one YAML document; only one is read", Hint: "remove this one, or keep it in a file of its own"}, at, false)
		break
	}
	if body == nil {
		return nil
	}
	return s.build(body)
}

// repair is a text that is changed until it parses; lines keep their numbers.
type repair struct {
	src     *source
	lines   []string
	dropped map[int]bool // lines that were left out
}

func newRepair(s *source) *repair {
	return &repair{src: s, lines: strings.Split(s.text, "\n"), dropped: map[int]bool{}}
}

func (r *repair) text() string { return strings.Join(r.lines, "\n") }

// apply reports a fault and changes the text so that parsing gets beyond it.
// It is false when it cannot.
func (r *repair) apply(f fault) bool {
	i := min(max(f.at.line, 1), len(r.lines)) - 1
	for _, candidate := range []int{i, i - 1} {
		if candidate < 0 || r.dropped[candidate] {
			continue
		}
		if m, ok := diagnose(r.lines[candidate]); ok {
			m.at.line = candidate + 1
			r.report(m)
			r.lines[candidate] = m.repaired
			return true
		}
	}
	if !r.dropped[i] {
		r.report(mistake{fault: r.explain(f, i)})
		if r.drop(i, r.blockEnd(i)) {
			return true
		}
	}
	start := i
	for start > 0 && !startsBlock(r.lines[start]) {
		start--
	}
	return r.drop(start, r.topEnd(i))
}

// report adds the problem for a mistake.
func (r *repair) report(m mistake) {
	r.src.add(Problem{Message: m.message, Hint: m.hint}, m.at, false)
}

// drop empties lines and says whether that changed anything.
func (r *repair) drop(from, to int) bool {
	changed := false
	for i := from; i < to; i++ {
		changed = changed || strings.TrimSpace(r.lines[i]) != ""
		r.lines[i], r.dropped[i] = "", true
	}
	return changed
}

// blockEnd returns the line after those that belong to line i by indentation.
func (r *repair) blockEnd(i int) int {
	own := indentOf(r.lines[i])
	for end := i + 1; end < len(r.lines); end++ {
		if strings.TrimSpace(r.lines[end]) != "" && indentOf(r.lines[end]) <= own {
			return end
		}
	}
	return len(r.lines)
}

// topEnd returns the next line after i that begins a top-level key.
func (r *repair) topEnd(i int) int {
	for end := i + 1; end < len(r.lines); end++ {
		if startsBlock(r.lines[end]) {
			return end
		}
	}
	return len(r.lines)
}

// startsBlock says whether a line begins a top-level key.
func startsBlock(line string) bool {
	return line != "" && !strings.ContainsAny(line[:1], " \t#-]})")
}

// indentOf counts the leading blanks of a line.
func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

// explain puts the words of the parser into ours.
func (r *repair) explain(f fault, i int) fault {
	switch {
	case f.hint != "":
		return f
	case strings.Contains(f.message, "could not find end character"):
		return fault{f.at, "quote opened here is never closed", "close it, or use | for text of several lines"}
	case r.strayIndent(i):
		return fault{position{i + 1, indentOf(r.lines[i]) + 1}, "indentation does not match the lines above", "give the line the same number of spaces as its neighbours"}
	case strings.Contains(f.message, "flow"), strings.Contains(f.message, "sequence end"):
		return fault{f.at, "list or mapping in brackets is not closed, or lacks a comma: " + f.message, "check the brackets"}
	default:
		return fault{f.at, fmt.Sprintf("not valid YAML: %s", clean([]rune(maskSecrets(f.message)))), "put the value in quotes, or check the indentation"}
	}
}

// strayIndent says whether line i is indented unlike all blocks that are open
// above it.
func (r *repair) strayIndent(i int) bool {
	own := indentOf(r.lines[i])
	lowest := own + 1
	for above := i - 1; above >= 0 && own > 0; above-- {
		line := r.lines[above]
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		indent := indentOf(line)
		if indent >= lowest && lowest <= own {
			continue
		}
		lowest = min(lowest, indent)
		for strings.HasPrefix(line[indent:], "- ") {
			indent += 2 + indentOf(line[indent+2:])
			if indent == own {
				return false
			}
		}
		if indent == own {
			return false
		}
		if indent < own && lowest < own {
			return true
		}
	}
	return false
}
