package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxRoleName is the longest name of a role in characters: display names have
// 64 at most, and _12345 is added to it.
const maxRoleName = 58

var (
	codeForm     = pattern(`^[a-z0-9]{2,6}$`)
	currencyForm = pattern(`^[A-Z]{3}$`)
)

// maxIdentifier is the longest identifier in characters.
const maxIdentifier = 64

// isIdentifier reports whether s is an identifier of a role or a model: letters
// and digits of any script, and after the first character _ and - too. A regular
// expression for it would take longer to compile than all files to read.
func isIdentifier(s string) bool {
	n := 0
	for _, r := range s {
		if n++; n > maxIdentifier {
			return false
		}
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && (n == 1 || r != '_' && r != '-') {
			return false
		}
	}
	return n > 0
}

// reservedNames and reservedCodes belong to the leader, the person and the
// runtime.
func reservedNames() []string { return []string{"Team Leader", "User", "Troupe"} }
func reservedCodes() []string { return []string{"tl", "user", "sys"} }

// foldName makes names equal that people would take for each other: in
// compatibility forms, case and spaces.
func foldName(s string) string {
	s = cases.Fold().String(norm.NFKC.String(s))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// isReserved returns the word of a list that a name looks like.
func isReserved(name string, words []string) (string, bool) {
	for _, w := range words {
		if foldName(name) == foldName(w) {
			return w, true
		}
	}
	return "", false
}

// nameFault says what the display-name rule has against a name, empty if
// nothing.
func nameFault(s string) string {
	switch {
	case utf8.RuneCountInString(s) > maxRoleName:
		return fmt.Sprintf("is longer than %d characters", maxRoleName)
	case strings.HasPrefix(s, " "), strings.HasSuffix(s, " "), strings.Contains(s, "  "):
		return "has spaces at an end, or two in a row"
	case strings.ContainsAny(s[:1], "/!?"):
		return "begins with /, ! or ?"
	case strings.Contains(s, " 向 "):
		return `holds " 向 "`
	}
	for _, r := range s {
		switch {
		case strings.ContainsRune(`<>&"'`, r):
			return fmt.Sprintf("holds %c", r)
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs), unicode.In(r, unicode.Z) && r != ' ':
			return fmt.Sprintf("holds the invisible character U+%04X", r)
		}
	}
	return ""
}

// roleName is the display name of a role.
func roleName() kind[string] {
	return kind[string]{want: "a name", schema: schema{"type": "string", "minLength": 1, "maxLength": maxRoleName}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, "a name")
		if !ok {
			return "", false
		}
		return s, r.checkName(v, s)
	}}
}

// checkName reports a name that no role may have.
func (r *reader) checkName(v value, s string) bool {
	if fault := nameFault(s); fault != "" {
		r.problem(v, fmt.Sprintf("%s: the name %s %s", v.path, quoteShort(s), fault), "write a short plain name such as UI Operator")
		return false
	}
	if word, ok := isReserved(s, reservedNames()); ok {
		r.problem(v, fmt.Sprintf("%s: the name %s is reserved (%s)", v.path, quoteShort(s), word), "choose another name")
		return false
	}
	return true
}

// roleCode is the short code of a role.
func roleCode() kind[string] {
	want := "2 to 6 small letters or digits"
	return kind[string]{want: want, schema: schema{"type": "string", "pattern": codeForm().String(), "not": schema{"enum": reservedCodes()}}, read: func(r *reader, v value) (string, bool) {
		s, ok := r.text(v, want)
		if !ok {
			return "", false
		}
		if word, reserved := isReserved(s, reservedCodes()); reserved {
			r.problem(v, fmt.Sprintf("%s: the code %s is reserved", v.path, quoteShort(word)), "choose another code")
			return "", false
		}
		if !codeForm().MatchString(s) {
			hint := ""
			if lower := strings.ToLower(s); codeForm().MatchString(lower) {
				hint = fmt.Sprintf("did you mean %q?", lower)
			}
			r.wrong(v, want, hint)
			return "", false
		}
		return s, true
	}}
}

// checkRoleID reports an id that no role may have.
func (r *reader) checkRoleID(src *source, at position, path, id string) bool {
	if !isIdentifier(id) {
		src.add(Problem{Path: path, Message: fmt.Sprintf("%s is no id of a role", quoteShort(id)), Hint: "an id has letters, digits, - and _, 64 at most, and begins with a letter or digit; give the role a name: for people"}, at, false)
		return false
	}
	if _, reserved := isReserved(id, reservedCodes()); reserved {
		src.add(Problem{Path: path, Message: fmt.Sprintf("the role id %s is reserved", quoteShort(id)), Hint: "choose another id"}, at, false)
		return false
	}
	return true
}

// titled makes a display name of an id: ui-operator becomes Ui Operator.
func titled(id string) string {
	words := strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || unicode.IsSpace(r) })
	for i, w := range words {
		first, size := utf8.DecodeRuneInString(w)
		words[i] = string(unicode.ToTitle(first)) + w[size:]
	}
	return shortenName(strings.Join(words, " "))
}

// shortenName cuts a name to the longest that a role may have.
func shortenName(s string) string {
	if runes := []rune(s); len(runes) > maxRoleName {
		return strings.TrimSpace(string(runes[:maxRoleName]))
	}
	return s
}

// slug makes an id of a display name: UI Operator becomes ui-operator.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(norm.NFKC.String(name)) {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	return strings.Join(words, "-")
}
