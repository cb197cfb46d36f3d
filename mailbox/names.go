package mailbox

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/troupe-go/troupe/event"
)

// maxNameRunes is the longest display name.
const maxNameRunes = 64

// ValidName reports, with a [*FormatError] for the field "name", why name
// cannot be a display name: 1 to 64 runes of valid UTF-8, without control,
// format, private-use and separator runes but single spaces inside, without
// '<', '>', '&' and quotes, not beginning with '/', '!' or '?', and without the
// word 向 between spaces. Reserved names are valid; see [ReservedName].
func ValidName(name string) error {
	if reason := nameFault(name); reason != "" {
		return &FormatError{"name", reason}
	}
	return nil
}

// nameFault says what keeps name from being a display name; empty when nothing
// does.
func nameFault(name string) string {
	if name == "" {
		return "is empty"
	}
	if reason := encodingFault(name); reason != "" {
		return reason
	}
	switch {
	case utf8.RuneCountInString(name) > maxNameRunes:
		return fmt.Sprintf("is longer than %d runes", maxNameRunes)
	case strings.IndexByte("/!?", name[0]) >= 0:
		return fmt.Sprintf("begins with %q", name[:1])
	case name[0] == ' ' || name[len(name)-1] == ' ':
		return "begins or ends with a space"
	case strings.Contains(name, "  "):
		return "holds two spaces in a row"
	case strings.Contains(name, oldTarget):
		return "holds the word 向 between spaces, which older headers put before the receiver"
	}
	for _, r := range name {
		if strings.ContainsRune(`<>&"'`, r) || r != ' ' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Z) {
			return fmt.Sprintf("holds %#U, which a name may not", r)
		}
	}
	return ""
}

// Fold maps all spellings of a name to one: compatibility forms (full-width
// letters, ligatures), case, invisible runes and the amount of white space make
// no difference. Two names are the same if and only if their folds are equal.
// Any string may be folded; folding twice changes nothing more.
func Fold(name string) string {
	if isASCII(name) { // the same, without the tables
		return strings.Join(strings.Fields(strings.ToLower(name)), " ")
	}
	seen := strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, name)
	folded := cases.Fold().String(norm.NFD.String(seen))
	folded = cases.Fold().String(norm.NFKC.String(folded))
	return strings.Join(strings.Fields(norm.NFKC.String(folded)), " ")
}

// isASCII reports whether s holds only ASCII characters that can be seen, and
// white space.
func isASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && !strings.ContainsRune("\t\n\v\f\r", rune(c)) {
			return false
		}
	}
	return true
}

// ReservedName reports whether a role of this name could be taken for the
// leader, the person or the runtime. Only letters count in the comparison, as
// they are what a reader goes by: "team leader_1", "Team-Leader", "ＵＳＥＲ" and
// "Troupe 2" are reserved, "User Research" is not.
func ReservedName(name string) bool {
	switch letters(name) {
	case letters(event.LeaderName), letters(event.PersonName), letters(event.RuntimeName):
		return true
	}
	return false
}

// letters is what is left of the folded name when all but letters is dropped.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, Fold(name))
}

// ReservedCode reports whether code, in any spelling, belongs to the leader,
// the person or the runtime.
func ReservedCode(code string) bool {
	switch Fold(code) {
	case event.Leader, event.Person, event.Runtime:
		return true
	}
	return false
}

// The lengths of codes that RoleCode takes from an id or a name, in letters
// and digits.
const (
	minCode   = 2
	maxCode   = 6
	shortCode = 3 // of an id that is too long for a code
)

// RoleCode is the default code of a role, a few letters and digits in a-z0-9
// (the mailbox protocol, section 2): its id when that is 2 to 6 of them, else
// the initials of its name when they are at least 2 (at most 6 are kept), else
// the first three of the id. When that gives nothing, or a code that is
// reserved or for which taken reports true, it is the first free one of a1, a2,
// and so on. A nil taken means that no code is taken yet.
func RoleCode(id, name string, taken func(code string) bool) string {
	free := func(code string) bool {
		return code != "" && !ReservedCode(code) && (taken == nil || !taken(code))
	}
	if code := wantedCode(id, name); free(code) {
		return code
	}
	for n := 1; ; n++ {
		if code := fmt.Sprintf("a%d", n); free(code) {
			return code
		}
	}
}

// wantedCode is the code of a role as if all were free; it may be empty.
func wantedCode(id, name string) string {
	folded := Fold(id)
	if n := len(folded); folded == plain(folded) && minCode <= n && n <= maxCode {
		return folded
	}
	if code := initials(name); len(code) >= minCode {
		return code[:min(len(code), maxCode)]
	}
	code := plain(folded)
	return code[:min(len(code), shortCode)]
}

// initials are the first letters of the words of name; a word of capitals
// counts whole.
func initials(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(norm.NFKC.String(name), func(r rune) bool {
		return unicode.IsSpace(r) || r == '-'
	}) {
		if word != strings.ToUpper(word) || !strings.ContainsFunc(word, unicode.IsUpper) {
			_, width := utf8.DecodeRuneInString(word)
			word = word[:width]
		}
		b.WriteString(plain(Fold(word)))
	}
	return b.String()
}

// plain keeps the letters and digits of s that a code may hold.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, s)
}
