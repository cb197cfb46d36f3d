package model

import (
	"io/fs"
	"regexp"
	"slices"
	"text/template"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Script is what a scripted model says; the package documentation has the
// format. It does not change, and one script serves any number of clients.
type Script struct {
	// Name is the script's own name, or the name of its file.
	Name string

	roles map[string][]*entry
}

// LoadScript reads and checks the script file at path in fsys. The error has
// all mistakes, each with its place in the JSON and what is wanted there.
func LoadScript(fsys fs.FS, path string) (*Script, error) {
	text, err := fs.ReadFile(fsys, path)
	if err != nil {
		return nil, scriptError(path, err)
	}
	return ParseScript(path, text)
}

// Roles lists the keys of the script's roles, sorted.
func (s *Script) Roles() []string {
	keys := make([]string, 0, len(s.roles))
	for key := range s.roles {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// entry is one thing to say, checked and ready to play.
type entry struct {
	path   string // its place in the file, for errors
	number int    // the reply it fits, for entries without conditions
	when   *conditions

	text, reasoning *template.Template
	calls           []callTemplate
	finish          event.Finish
	usage           *event.Usage
	pacing          pacing
	fault           *fault
}

// conditions say when an entry fits; what is nil or empty always holds.
type conditions struct {
	number    *numbers
	last, any *regexp.Regexp
	fresh     *regexp.Regexp
	kind      event.Kind
	from      string
	tool      string
}

// numbers is a range of reply numbers, both ends included.
type numbers struct{ from, to int }

func (n numbers) has(number int) bool { return n.from <= number && number <= n.to }

// callTemplate is a tool call to make.
type callTemplate struct {
	tool string
	args func(*ScriptView) (string, error)
}

// pacing says in which pieces a reply comes.
type pacing struct {
	delay time.Duration // before the first piece
	chunk int           // characters in a piece; 0 is all at once
	pace  time.Duration // between pieces
}

// fault is what goes wrong with a reply.
type fault struct {
	times      int // how many plays of one reply it spoils; negative is all
	status     int
	retryAfter time.Duration
	message    string
	stopAfter  int // characters of text before the stream stops; negative is none
	empty      bool
}
