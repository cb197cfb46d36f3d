package mailbox

import (
	"fmt"

	"github.com/troupe-go/troupe/event"
)

// Kind says what a message is for; it is [event.Kind], which also knows the
// label and the tag of each kind.
type Kind = event.Kind

// The six kinds of messages, as package event explains them.
const (
	Task       = event.Task
	Progress   = event.Progress
	Completion = event.Completion
	Question   = event.Question
	Note       = event.Note
	Answer     = event.Answer
)

// Message is one message (the mailbox protocol, section 1).
type Message struct {
	// ID is unique in the run, for example "ask_uio_001": 1 to 128 runes
	// without white space, control or format runes, '<', '>', '&' and quotes.
	ID string
	// Kind is one of the six kinds.
	Kind Kind
	// From is the sender's display name, for example "UI Operator_1"; see
	// [ValidName].
	From string
	// QuestionID is the id of the question that an answer answers, under the
	// same rule as ID. It is set if and only if Kind is [Answer].
	QuestionID string
	// Content is the text itself, any valid UTF-8, also empty. It is kept byte
	// for byte.
	Content string
}

// FormatError says why a message cannot be written.
type FormatError struct {
	// Field is the part at fault: "kind", "from", "id", "question_id",
	// "content"; "name" when a name was checked alone, "code" when a code was.
	Field string
	// Reason completes a sentence that begins with the field, for example
	// "is empty".
	Reason string
}

// Error names the field and the reason.
func (e *FormatError) Error() string {
	return fmt.Sprintf("mailbox: %s %s", e.Field, e.Reason)
}

// ParseError says why a text is not a message.
type ParseError struct {
	// Line is the line at fault, counted from 1; lines end at LF.
	Line int
	// Reason says what was found and what is wanted.
	Reason string
}

// Error names the line and the reason.
func (e *ParseError) Error() string {
	return fmt.Sprintf("mailbox: line %d: %s", e.Line, e.Reason)
}

// The words of the frame around a content.
const (
	headerStart  = "来自"          // then the name
	headerMiddle = "的"           // then the label
	oldCompleted = "任务结束汇报"      // an older label of Completion, read and never written
	oldTarget    = " 向 "         // between sender and receiver in older questions, read and never written
	questionAttr = "question_id" // the attribute of the Answer tag
	separator    = "\n\n"        // between the messages of a batch
)

// headerLabel is a label as it may stand in a header.
type headerLabel struct {
	label string
	kind  Kind
}

// headerLabels holds every label that [Parse] takes.
var headerLabels = func() []headerLabel {
	labels := []headerLabel{{oldCompleted, Completion}}
	for _, k := range event.Kinds() {
		labels = append(labels, headerLabel{k.Label(), k})
	}
	return labels
}()
