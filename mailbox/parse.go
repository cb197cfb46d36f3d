package mailbox

import (
	"fmt"
	"strings"

	"github.com/beevik/etree"
)

// Parse reads s, which must be exactly one message as [Format] writes it, or as
// the older system of the same protocol did (the mailbox protocol, section 1):
// 来自 X 向 Y 的提问, 任务结束汇报 for 任务完成汇报, the attributes target and
// subtype, and "id:" without the space. The error is a [*ParseError].
func Parse(s string) (Message, error) {
	r := reader{text: s}
	m, err := r.message()
	if err != nil {
		return Message{}, err
	}
	if r.next < len(s) {
		return Message{}, r.fault(r.next+1, "text follows the end of the message")
	}
	return m, nil
}

// ParseAll reads one or more messages joined by an empty line, that is by
// "\n\n", under the same rules as [Parse]. It returns all of them or, with a
// [*ParseError], none. An empty text holds no message and is an error.
func ParseAll(s string) ([]Message, error) {
	r := reader{text: s}
	var all []Message
	for {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		if r.next == len(s) {
			return all, nil
		}
		if !strings.HasPrefix(s[r.next:], separator) {
			return nil, r.fault(r.next+1, "text follows the end of a message; only an empty line and the next message may")
		}
		r.next += len(separator)
	}
}

// reader reads messages out of a text, from left to right and each byte a
// fixed number of times.
type reader struct {
	text string
	last int // where the line begins that was read last
	next int // where the text begins that was not read yet
}

// line reads up to the next LF, which it drops, or to the end.
func (r *reader) line() string {
	r.last = r.next
	line, _, found := strings.Cut(r.text[r.next:], "\n")
	r.next += len(line)
	if found {
		r.next++
	}
	return line
}

// fault is an error about the line in which the first end bytes of the text
// end.
func (r *reader) fault(end int, format string, args ...any) error {
	line := 1 + strings.Count(r.text[:end], "\n")
	return &ParseError{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// wrong is an error about the line that was read last.
func (r *reader) wrong(format string, args ...any) error {
	return r.fault(r.last, format, args...)
}

// message reads one message up to the end of its frame.
func (r *reader) message() (Message, error) {
	kind, sender, err := r.header()
	if err != nil {
		return Message{}, err
	}
	id, err := r.id()
	if err != nil {
		return Message{}, err
	}
	from, err := r.name(kind, sender)
	if err != nil {
		return Message{}, err
	}
	questionID, err := r.tag(kind)
	if err != nil {
		return Message{}, err
	}
	content, err := r.content(kind, from)
	if err != nil {
		return Message{}, err
	}
	return Message{ID: id, Kind: kind, From: from, QuestionID: questionID, Content: content}, nil
}

// header reads the first line. It is read from its end, because a name may
// itself hold " 的"; what stands before is the sender, not yet checked.
func (r *reader) header() (kind Kind, sender string, err error) {
	line := r.line()
	if rest, ok := strings.CutPrefix(line, headerStart+" "); ok {
		for _, l := range headerLabels {
			before, ok := strings.CutSuffix(rest, l.label)
			if !ok {
				continue
			}
			if before, ok = strings.CutSuffix(before, " "+headerMiddle); ok {
				return l.kind, before, nil
			}
		}
	}
	return "", "", r.wrong("a header 来自 … 的… with one of the six kinds is wanted, not %.80q", line)
}

// id reads the id and the empty line after it.
func (r *reader) id() (string, error) {
	line := r.line()
	id, ok := strings.CutPrefix(line, "id:")
	if !ok {
		return "", r.wrong("the line id: … is wanted, not %.80q", line)
	}
	id = strings.TrimPrefix(id, " ")
	if reason := idFault(id); reason != "" {
		return "", r.wrong("the id %s", reason)
	}
	if line := r.line(); line != "" {
		return "", r.wrong("an empty line is wanted after the id, not %.80q", line)
	}
	return id, nil
}

// name reads the outer tag and compares it with the sender in the header. The
// tag decides: an older question names its receiver in the header too.
func (r *reader) name(kind Kind, sender string) (string, error) {
	line := r.line()
	name, ok := strings.CutPrefix(line, "<")
	if ok {
		name, ok = strings.CutSuffix(name, ">")
	}
	if !ok {
		return "", r.wrong("the opening tag <%.80s> is wanted, not %.80q", sender, line)
	}
	if name != sender {
		target, ok := strings.CutPrefix(sender, name+oldTarget)
		if !ok || kind != Question || nameFault(target) != "" {
			return "", r.wrong("the header names %.80q, the tag %.80q", sender, name)
		}
	}
	if reason := nameFault(name); reason != "" {
		return "", r.wrong("the name %.80q %s", name, reason)
	}
	return name, nil
}

// tag reads the inner tag, and the question's id out of an answer's.
func (r *reader) tag(kind Kind) (questionID string, err error) {
	line, want := r.line(), kind.Tag()
	if kind != Answer && line == "<"+want+">" {
		return "", nil
	}
	if !strings.HasPrefix(line, "<"+want+" ") {
		return "", r.wrong("the tag <%s> of %s is wanted, not %.80q", want, kind.Label(), line)
	}
	attrs, ok := attributes(line, want)
	if !ok {
		return "", r.wrong("%.80q is no opening tag", line)
	}
	seen := make(map[string]bool, len(attrs))
	for _, attr := range attrs {
		key := attr.FullKey()
		if seen[key] {
			return "", r.wrong("the attribute %s stands twice", key)
		}
		seen[key] = true
		switch {
		case key == questionAttr && kind == Answer:
			questionID = attr.Value
		case key != "target" && key != "subtype":
			return "", r.wrong("the tag <%s> has no attribute %.80q", want, key)
		}
	}
	if kind != Answer {
		return "", nil
	}
	if reason := idFault(questionID); reason != "" {
		return "", r.wrong("question_id %s", reason)
	}
	return questionID, nil
}

// attributes reads the attributes of line, which begins with the tag's name,
// when it is an opening tag and nothing else.
func attributes(line, tag string) ([]etree.Attr, bool) {
	doc := etree.NewDocument()
	doc.ReadSettings.PreserveDuplicateAttrs = true
	if err := doc.ReadFromString(line + "</" + tag + ">"); err != nil {
		return nil, false
	}
	root := doc.Root()
	if len(doc.Child) != 1 || len(root.Child) != 0 {
		return nil, false
	}
	return root.Attr, true
}

// content reads up to the end of the frame and undoes the escapes.
func (r *reader) content(kind Kind, name string) (string, error) {
	rest, end := r.text[r.next:], frameEnd(kind.Tag(), name)
	written, _, found := strings.Cut(rest, end)
	if !found {
		return "", r.wrong("the frame is not closed: the lines </%s> and </%s> are wanted after the content", kind.Tag(), name)
	}
	if reason := encodingFault(written); reason != "" {
		return "", r.wrong("the content %s", reason)
	}
	r.next += len(written) + len(end)
	return unescape(written), nil
}
