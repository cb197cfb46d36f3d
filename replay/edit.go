package replay

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/transcript"
)

// Edit changes one thing of a run that is forked.
type Edit struct {
	// Seq is the number of the record whose text is replaced; see [Editable].
	// It is 0 when Prompt or Model says what to change.
	Seq int64
	// Prompt is the id of an agent, whose whole system prompt is replaced, or of
	// a role: then its own part of the prompt, "tl" for the leader, in the agents
	// that there are and in those to come.
	Prompt string
	// Model is the id of the role whose model is replaced, "tl" for the leader,
	// [Everybody] for all.
	Model string
	// Text is the new text; for a model its name in the team, or provider/model.
	Text string
}

// Everybody is the value of [Edit.Model] that means the leader and all roles.
const Everybody = "*"

// String names what the edit changes, as the command line does.
func (e Edit) String() string {
	switch {
	case e.Prompt != "":
		return "prompt:" + e.Prompt
	case e.Model != "":
		return "model:" + e.Model
	}
	return fmt.Sprintf("record %d", e.Seq)
}

// EditError says why an edit cannot be made.
type EditError struct {
	Edit   Edit
	Reason string
	// Near are the numbers of records near Edit.Seq that can be edited.
	Near []int64
}

// Error names the edit, the reason, and what can be edited.
func (e *EditError) Error() string {
	text := fmt.Sprintf("replay: edit of %s: %s", e.Edit, e.Reason)
	if len(e.Near) == 0 {
		return text
	}
	numbers := strings.Trim(fmt.Sprint(e.Near), "[]")
	return text + "; records near it that can be: " + strings.ReplaceAll(numbers, " ", ", ")
}

// Editable returns the text of a record that an edit may replace: the task of a
// run, the content of a message, the text of an answer, of a tool's result, of a
// model's reply or of a summary, an agent's system prompt. ok is false for
// records without one.
func Editable(rec event.Record) (text string, ok bool) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		return d.Task, true
	case event.RunResumed:
		return d.Task, d.Task != ""
	case event.AgentCreated:
		return d.Prompt, true
	case event.MessageSent:
		return d.Content, true
	case event.QuestionClosed:
		return d.Text, d.Text != ""
	case event.ModelReplied:
		return d.Text, d.Purpose == "" && (d.Text != "" || len(d.Calls) > 0)
	case event.ToolFinished:
		return d.Result, true
	case event.HistoryCompacted:
		return d.Summary, true
	default:
		return "", false
	}
}

// mayBeEmpty reports whether a record's text may be: a conversation is valid
// with a silent call, and with a result that says nothing.
func mayBeEmpty(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.ToolFinished:
		return true
	case event.ModelReplied:
		return len(d.Calls) > 0
	default:
		return false
	}
}

// edit makes the edits and returns the numbers of the records that they
// changed, in order. Whatever looks like a secret is masked, as where a text
// enters a log.
func edit(records []event.Record, edits []Edit) ([]int64, error) {
	before := slices.Clone(records)
	mask := transcript.NewMask().WithPatterns()
	e := editor{records: records, changed: map[int64]bool{}}
	for _, change := range edits {
		change.Text = mask.Text(change.Text)
		if reason := e.make(change); reason != "" {
			return nil, &EditError{Edit: change, Reason: reason, Near: near(before, change.Seq)}
		}
	}
	var seqs []int64
	for _, rec := range records {
		if e.changed[rec.Seq] {
			seqs = append(seqs, rec.Seq)
		}
	}
	return seqs, nil
}

// near lists up to four records around one that can be edited.
func near(records []event.Record, seq int64) []int64 {
	const each = 2
	var before, after []int64
	for _, rec := range records {
		switch _, ok := Editable(rec); {
		case !ok || seq == 0 || rec.Seq == seq:
		case rec.Seq < seq:
			before = append(before, rec.Seq)
		case len(after) < each:
			after = append(after, rec.Seq)
		}
	}
	return append(before[max(0, len(before)-each):], after...)
}

// editor changes the records of a fork.
type editor struct {
	records []event.Record
	changed map[int64]bool
}

// make makes one edit, or says why it cannot.
func (e *editor) make(change Edit) (reason string) {
	switch {
	case !utf8.ValidString(change.Text):
		return "the text is not valid UTF-8"
	case change.Prompt != "":
		return e.prompt(change.Prompt, change.Text)
	case change.Model != "":
		return e.model(change.Model, change.Text)
	case change.Seq < 1 || change.Seq > int64(len(e.records)):
		return fmt.Sprintf("it is not among the records of the fork, which are 1 to %d", len(e.records))
	}
	rec := e.records[change.Seq-1]
	old, ok := Editable(rec)
	switch {
	case !ok:
		return fmt.Sprintf("a record of type %s has no text that can be edited", rec.Type())
	case strings.TrimSpace(change.Text) == "" && !mayBeEmpty(rec):
		return fmt.Sprintf("the text of a record of type %s cannot be empty", rec.Type())
	}
	return e.text(rec, old, change.Text)
}

// set puts data into a record.
func (e *editor) set(seq int64, d event.Data) {
	e.records[seq-1].Data, e.records[seq-1].Raw = d, nil
	e.changed[seq] = true
}

// text replaces the text of a record, and its copies in others.
func (e *editor) text(rec event.Record, old, text string) (reason string) {
	switch d := rec.Data.(type) {
	case event.RunStarted:
		d.Task = text
		e.set(rec.Seq, d)
		e.taskMessage(rec.Seq, old, text)
	case event.RunResumed:
		d.Task = text
		e.set(rec.Seq, d)
		e.taskMessage(rec.Seq, old, text)
	case event.AgentCreated:
		d.Prompt = text
		e.set(rec.Seq, d)
	case event.MessageSent:
		d.Content = text
		e.set(rec.Seq, d)
		e.taskOf(rec.Seq, d, old)
	case event.ModelReplied:
		d.Text = text
		e.set(rec.Seq, d)
	case event.ToolFinished:
		d.Result, d.File, d.Bytes = text, "", 0
		e.set(rec.Seq, d)
	case event.HistoryCompacted:
		d.Summary = text
		e.set(rec.Seq, d)
	case event.QuestionClosed:
		return e.answer(rec.Seq, d, text)
	default: // not editable
	}
	return ""
}

// taskMessage changes the message that brought the task of record seq.
func (e *editor) taskMessage(seq int64, old, text string) {
	for _, rec := range e.records[seq:] {
		d, ok := rec.Data.(event.MessageSent)
		if ok && d.From == event.Person && d.To == event.Leader && d.Content == old {
			d.Content = text
			e.set(rec.Seq, d)
			return
		}
		if rec.Type() == event.TypeRunResumed {
			return
		}
	}
}

// taskOf changes the task of the run if message d, of record seq, brought it.
func (e *editor) taskOf(seq int64, d event.MessageSent, old string) {
	if d.From != event.Person || d.To != event.Leader {
		return
	}
	for _, rec := range slices.Backward(e.records[:seq-1]) {
		switch head := rec.Data.(type) {
		case event.RunStarted:
			if head.Task == old {
				head.Task = d.Content
				e.set(rec.Seq, head)
			}
			return
		case event.RunResumed:
			if head.Task == old {
				head.Task = d.Content
				e.set(rec.Seq, head)
			}
			return
		default: // between the task and its message
		}
	}
}

// answer replaces the answer to a question, also in the result of the call that
// asked, which is what the asker reads.
func (e *editor) answer(seq int64, d event.QuestionClosed, text string) (reason string) {
	old := d
	d.Text = text
	if at, result, ok := e.resultOf(d.ID); ok {
		changed, ok := e.answered(result, old, d)
		if !ok {
			return fmt.Sprintf("the asker has read the answer in another form; edit that, record %d", at)
		}
		result.Result, result.File, result.Bytes = changed, "", 0
		e.set(at, result)
	}
	e.set(seq, d)
	return ""
}

// resultOf finds the result of the call that asked a question.
func (e *editor) resultOf(question string) (seq int64, result event.ToolFinished, ok bool) {
	asker, call := "", ""
	for _, rec := range e.records {
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			if d.ID == question {
				asker, call = d.From, d.CallID
			}
		case event.ToolFinished:
			if call != "" && rec.Agent == asker && d.CallID == call {
				return rec.Seq, d, true
			}
		default: // about no call that asks
		}
	}
	return 0, event.ToolFinished{}, false
}

// answered is a result that had one answer, with another in its place.
func (e *editor) answered(result event.ToolFinished, old, now event.QuestionClosed) (text string, ok bool) {
	framed := func(c event.QuestionClosed) (string, error) {
		return mailbox.Format(mailbox.Message{
			ID: c.AnswerID, Kind: event.Answer, From: e.nameOf(c.From), QuestionID: c.ID, Content: c.Text,
		})
	}
	if was, err := framed(old); err == nil && was == result.Result {
		text, err = framed(now)
		return text, err == nil
	}
	if strings.Count(result.Result, old.Text) != 1 {
		return "", false
	}
	return strings.Replace(result.Result, old.Text, now.Text, 1), true
}

// nameOf is the display name of a participant.
func (e *editor) nameOf(id string) string {
	if id == event.Person {
		return event.PersonName
	}
	for _, rec := range e.records {
		if d, ok := rec.Data.(event.AgentCreated); ok && rec.Agent == id {
			return d.Name
		}
	}
	return ""
}
