package envelope

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/prompts"
)

// MaxBytes is the size of the largest message that is read, unless
// [Options.MaxBytes] says otherwise.
const MaxBytes = 1 << 20

// Options are what the end that a message arrives at knows. The zero value
// checks what a message says of itself.
type Options struct {
	// MaxBytes is the size of the largest message; 0 is [MaxBytes].
	MaxBytes int
	// Receiver reports whether a name is the team's or one of its agents';
	// nil takes any.
	Receiver func(name string) bool
	// Sender is who the other end proved to be; empty for nobody in particular.
	Sender string
	// Tool reports whether a tool may be called from outside; nil takes any.
	Tool func(name string) bool
	// Asked reports whether a result from sender is waited for under this
	// request id; nil takes any.
	Asked func(sender, requestID string) bool
}

// Finding is what there is to say about a message.
type Finding struct {
	Verdict Verdict
	// Envelope is the message, unless the verdict is [Down] or one that
	// refuses; what could be read of sender, receiver and id is there anyhow.
	Envelope Envelope
	// Faults are why it was refused, in the order of the walk (see [Walk]).
	Faults []Remark
	// Notes are what is odd and no reason to refuse it.
	Notes []Remark
}

// Check reads a message and holds it to the rules. For the verdict [Down] the
// receiver in the envelope is empty unless it can be used: then the text goes
// to the leader.
func Check(raw []byte, o Options) Finding {
	text, members, r := read(raw, o)
	if r != nil {
		return refuse(*r)
	}
	return check(text, members, o)
}

// read finds the fields of a message that may be too large.
func read(raw []byte, o Options) (text string, members []member, r *Remark) {
	most := o.MaxBytes
	if most <= 0 {
		most = MaxBytes
	}
	if len(raw) > most {
		return "", nil, &Remark{Reason: TooLarge, Offset: most}
	}
	text = string(raw)
	members, r = scan(text)
	return text, members, r
}

// check holds the fields of a message to their rules.
func check(text string, members []member, o Options) Finding {
	m := message{text: text, members: members, options: o}
	if m.version(); m.found.Verdict == Down {
		m.address()
		return m.found
	}
	m.fields()
	m.extra()
	m.settle()
	return m.found
}

// checkMade is [Check] for a text that we made, of any size.
func checkMade(text string, o Options) Finding {
	members, r := scan(text)
	if r != nil {
		return refuse(*r)
	}
	return check(text, members, o)
}

func refuse(r Remark) Finding {
	return Finding{Verdict: Invalid, Faults: []Remark{r}}
}

// Decode reads one message. The error is an [*Error]; its verdict is [Down]
// for a version that is not known, and [Text] is then what to do with raw.
func Decode(raw []byte) (Envelope, error) {
	f := Check(raw, Options{})
	switch {
	case f.Verdict.Refused():
		return Envelope{}, &Error{Verdict: f.Verdict, Remarks: f.Faults}
	case f.Verdict == Down:
		return Envelope{}, &Error{Verdict: Down, Remarks: f.Notes}
	}
	return f.Envelope, nil
}

// Text is what enters the receiver's conversation in place of a message whose
// version is not known: a line that says so, and the message as it came. It
// is the content of a message of the mailbox protocol, kind [event.Note].
func Text(f Finding, raw []byte, words prompts.Words) string {
	proto := ""
	if i := slices.IndexFunc(f.Notes, func(r Remark) bool { return r.Reason == UnknownProto }); i >= 0 {
		proto = f.Notes[i].Found
	}
	return words.UnknownProto(proto) + "\n" + strings.TrimSpace(string(raw))
}
