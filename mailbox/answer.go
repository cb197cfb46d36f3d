package mailbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
)

// Answer closes a question with the answer of its addressee by, whose code is
// in the answer's new id; turn is by's turn. It fails with
// [ErrUnknownQuestion], [ErrNotYours], [ErrIsNote], [ErrClosedQuestion],
// [ErrContent] or the log's error, and then nothing was changed.
func (d *Desk) Answer(by, code, id, text string, turn int) (event.QuestionClosed, error) {
	if !utf8.ValidString(text) {
		return event.QuestionClosed{}, ErrContent
	}
	d.mu.Lock()
	q, ok := d.questions[id]
	err := d.mayAnswer(by, id, q, ok)
	if err == nil {
		err = d.close(q, event.QuestionClosed{
			Outcome: event.Answered, From: by, Text: text, AnswerID: d.ids.Mint(event.Answer, code),
		}, by, turn)
	}
	d.mu.Unlock()
	if err != nil {
		return event.QuestionClosed{}, err
	}
	d.report(q)
	return q.closed, nil
}

// Answered reports whether by has answered the question with an answer of its
// own.
func (d *Desk) Answered(by, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	q, ok := d.questions[id]
	return ok && q.closed.Outcome == event.Answered && q.closed.AnswerID != "" && q.closed.From == by
}

// mayAnswer says why by may not answer q, worded for a model.
func (d *Desk) mayAnswer(by, id string, q *question, ok bool) error {
	switch {
	case !ok:
		return fmt.Errorf("%w: %q; %s", ErrUnknownQuestion, id, d.openToText(by))
	case q.opened.To != by:
		return fmt.Errorf("%w: %s asked %s (%s)", ErrNotYours, q.opened.From, q.opened.To, id)
	case q.opened.Reply:
		return fmt.Errorf("%w: %s", ErrIsNote, id)
	case !q.isOpen():
		return q.closedError()
	}
	return nil
}

func (d *Desk) openToText(agent string) string {
	var ids []string
	for _, q := range d.open {
		if q.opened.To == agent && !q.opened.Reply && q.refusal == "" {
			ids = append(ids, q.opened.ID)
		}
	}
	if len(ids) == 0 {
		return "no question waits for your answer"
	}
	return "these wait for your answer: " + strings.Join(ids, ", ")
}

func (q *question) closedError() error {
	return fmt.Errorf("%w: %s ended before, as %s", ErrClosedQuestion, q.opened.ID, q.closed.Outcome)
}

// report calls Late for a question that was just closed if its end has to
// travel as a note. The caller does not hold the mutex; a closed question does
// not change any more.
func (d *Desk) report(q *question) {
	if q.yielded != "" {
		d.late(q.opened, q.closed)
	}
}

// Close ends a question as the runtime decides; o is any outcome. text is the
// addressee's natural output, whole or partial, or empty; detail says more in
// words; no id is minted. The record is the asker's, in the turn in which it
// asked, for the outcomes in which the addressee has no part any more
// (cancelled, timeout, refused_cycle, terminated), else the addressee's in turn,
// which is 0 where none is meant. It fails with [ErrUnknownQuestion], or with [ErrClosedQuestion] and
// the earlier closing.
func (d *Desk) Close(id string, o event.Outcome, text, detail string, turn int) (event.QuestionClosed, error) {
	if o == "" {
		return event.QuestionClosed{}, errors.New("mailbox: a question ends with an outcome")
	}
	d.mu.Lock()
	q, ok := d.questions[id]
	var err error
	switch {
	case !ok:
		err = fmt.Errorf("%w: %q", ErrUnknownQuestion, id)
	case !q.isOpen():
		err = q.closedError()
	default:
		err = d.end(q, o, text, detail, turn)
	}
	var c event.QuestionClosed
	if ok && !q.isOpen() {
		c = q.closed
	}
	d.mu.Unlock()
	if err == nil {
		d.report(q)
	}
	return c, err
}

// end closes an open question for the runtime. The caller holds the mutex.
func (d *Desk) end(q *question, o event.Outcome, text, detail string, turn int) error {
	c := event.QuestionClosed{
		Outcome: o,
		Text:    strings.ToValidUTF8(text, "\uFFFD"),
		Detail:  strings.ToValidUTF8(detail, "\uFFFD"),
	}
	agent := q.opened.To
	switch o {
	case event.Cancelled, event.TimedOut, event.RefusedCycle, event.Terminated:
		agent, turn = q.opened.From, q.turn
	case event.Answered, event.Implicit, event.Declined:
		c.From = q.opened.To
	case event.CompletedWithoutAnswer, event.Failed, event.OverBudget: // from nobody, unless there is a text
	}
	if text != "" {
		c.From = q.opened.To
	}
	return d.close(q, c, agent, turn)
}

// Ended closes every open question to agent, oldest first, because agent will
// not answer any more, and returns the closings. When the log fails it returns
// those that were recorded.
func (d *Desk) Ended(agent string, o event.Outcome, text, detail string) []event.QuestionClosed {
	d.mu.Lock()
	var ended []*question
	for _, q := range slices.Clone(d.open) {
		if q.opened.To != agent {
			continue
		}
		if err := d.end(q, o, text, detail, 0); err != nil {
			break
		}
		ended = append(ended, q)
	}
	d.mu.Unlock()
	closings := make([]event.QuestionClosed, 0, len(ended))
	for _, q := range ended {
		d.report(q)
		closings = append(closings, q.closed)
	}
	return closings
}
