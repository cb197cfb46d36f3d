package mailbox

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/beevik/etree"
)

// maxIDRunes is the longest id.
const maxIDRunes = 128

// Format writes m as the text that stands in a conversation (the mailbox
// protocol, section 1). The content is written as it is, but for what could be
// taken for the frame. The error is a [*FormatError]; nothing is ever repaired
// or cut.
func Format(m Message) (string, error) {
	if err := check(m); err != nil {
		return "", err
	}
	opening := openingTag(m)
	var b strings.Builder
	b.Grow(len(m.Content) + len(m.ID) + len(opening) + 3*len(m.From) + 96)
	for _, part := range [...]string{
		headerStart, " ", m.From, " ", headerMiddle, m.Kind.Label(),
		"\nid: ", m.ID,
		"\n\n<", m.From, ">\n", opening, "\n",
	} {
		b.WriteString(part)
	}
	escape(&b, m.Content, m.From)
	b.WriteString(frameEnd(m.Kind.Tag(), m.From))
	return b.String(), nil
}

// frameEnd is the one text that ends a frame.
func frameEnd(tag, name string) string {
	return "\n</" + tag + ">\n</" + name + ">"
}

// openingTag is the line before the content.
func openingTag(m Message) string {
	if m.Kind != Answer {
		return "<" + m.Kind.Tag() + ">"
	}
	element := etree.NewElement(m.Kind.Tag())
	element.CreateAttr(questionAttr, m.QuestionID)
	var b strings.Builder
	element.WriteTo(&b, &etree.WriteSettings{})
	return strings.TrimSuffix(b.String(), "/>") + ">"
}

// check finds the first field of m that cannot be written.
func check(m Message) error {
	if !m.Kind.Valid() {
		return &FormatError{"kind", fmt.Sprintf("%.40q is not one of the six kinds", string(m.Kind))}
	}
	if reason := nameFault(m.From); reason != "" {
		return &FormatError{"from", reason}
	}
	if reason := idFault(m.ID); reason != "" {
		return &FormatError{"id", reason}
	}
	if m.Kind == Answer {
		if reason := idFault(m.QuestionID); reason != "" {
			return &FormatError{questionAttr, reason}
		}
	} else if m.QuestionID != "" {
		return &FormatError{questionAttr, "is set on a message that is no answer"}
	}
	if reason := encodingFault(m.Content); reason != "" {
		return &FormatError{"content", reason}
	}
	return nil
}

// idFault says what keeps id from being an id of a message or a question;
// empty when nothing does.
func idFault(id string) string {
	if id == "" {
		return "is empty"
	}
	if reason := encodingFault(id); reason != "" {
		return reason
	}
	if utf8.RuneCountInString(id) > maxIDRunes {
		return fmt.Sprintf("is longer than %d runes", maxIDRunes)
	}
	for _, r := range id {
		if strings.ContainsRune(`<>&"'`, r) || unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z) {
			return fmt.Sprintf("holds %#U, which an id may not", r)
		}
		if r == 0xFFFE || r == 0xFFFF {
			return fmt.Sprintf("holds %U, which an XML attribute cannot carry", r)
		}
	}
	return ""
}

// encodingFault names the first byte of s that is not UTF-8, counted from 0;
// empty when all of s is.
func encodingFault(s string) string {
	if utf8.ValidString(s) {
		return ""
	}
	at := 0
	for {
		r, width := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && width < 2 {
			return fmt.Sprintf("is not valid UTF-8 at byte %d", at)
		}
		at += width
	}
}
