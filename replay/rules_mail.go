package replay

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// letter is a message on its way.
type letter struct {
	event.MessageSent
	seq            int64
	read, returned bool
}

// mayStay reports whether a message may be unread when a run has finished:
// progress does not wake the leader, and a stopped agent keeps its box.
func (l *letter) mayStay(to *member) bool {
	return to.state == event.Stopped || l.Kind == event.Progress && l.To == event.Leader
}

// inquiry is a question, open or closed.
type inquiry struct {
	event.QuestionOpened
	seq    int64
	closed bool
}

func (k *checker) addMail(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageSent:
		k.addSent(rec, d)
	case event.MessageDelivered:
		l := k.mail[d.ID]
		if l == nil || l.To != rec.Agent || l.read || l.returned {
			k.fault(rec.Seq, RuleMessage, "message %s was not on its way to %s", d.ID, rec.Agent)
			return
		}
		l.read = true
		way := [2]string{l.From, l.To}
		if l.seq < k.read[way] {
			k.fault(rec.Seq, RuleOrder, "%s read %s after a later message of %s", rec.Agent, d.ID, l.From)
		}
		k.read[way] = max(k.read[way], l.seq)
	case event.MessageReturned:
		l, to := k.mail[d.ID], k.agents[d.To]
		if l == nil || l.To != d.To || l.From != rec.Agent || l.read || l.returned || to == nil || to.state != event.Finished {
			k.fault(rec.Seq, RuleMessage, "message %s to %s cannot come back to %s", d.ID, d.To, rec.Agent)
			return
		}
		l.returned = true
	case event.HistoryCompacted:
		k.mint(rec.Seq, d.ID)
	default:
	}
}

func (k *checker) addSent(rec event.Record, d event.MessageSent) {
	if d.From != rec.Agent {
		k.fault(rec.Seq, RuleMessage, "%s is from %s and was sent by %s", d.ID, d.From, rec.Agent)
	}
	switch q := k.asked[d.ID]; {
	case k.mail[d.ID] != nil:
		k.fault(rec.Seq, RuleMessage, "message %s was sent before", d.ID)
		return
	case q != nil:
		if q.From != d.From || q.To != d.To {
			k.fault(rec.Seq, RuleQuestion, "question %s is from %s to %s, its message from %s to %s", d.ID, q.From, q.To, d.From, d.To)
		}
	default:
		if d.Kind == event.Question {
			k.fault(rec.Seq, RuleQuestion, "the message of question %s was sent before the question was opened", d.ID)
		}
		k.mint(rec.Seq, d.ID)
	}
	k.mail[d.ID] = &letter{MessageSent: d, seq: rec.Seq}
	if to := k.agents[d.To]; to != nil {
		to.talk.apply(to.id, rec)
	}
}

func (k *checker) addQuestion(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.QuestionOpened:
		k.settleCircle("")
		if k.asked[d.ID] != nil {
			k.fault(rec.Seq, RuleQuestion, "question %s was opened before", d.ID)
			return
		}
		k.mint(rec.Seq, d.ID)
		q := &inquiry{QuestionOpened: d, seq: rec.Seq}
		k.asked[d.ID] = q
		if k.leads(d.To, d.From, map[string]bool{}) {
			k.circle = q
		}
	case event.QuestionClosed:
		q := k.asked[d.ID]
		if q == nil || q.closed {
			k.fault(rec.Seq, RuleQuestion, "question %s is not open", d.ID)
			return
		}
		if d.Outcome == event.RefusedCycle {
			k.settleCircle(d.ID)
		} else {
			k.settleCircle("")
		}
		q.closed = true
		k.checkEnd(rec, d, q)
	default:
	}
}

// checkEnd looks at who ended a question.
func (k *checker) checkEnd(rec event.Record, d event.QuestionClosed, q *inquiry) {
	by := q.To
	if fromBothSides(d.Outcome) {
		by = q.From
	}
	if rec.Agent != by || d.From != "" && d.From != q.To {
		k.fault(rec.Seq, RuleQuestion, "question %s from %s to %s is closed by %s, %s, from %q", d.ID, q.From, q.To, rec.Agent, d.Outcome, d.From)
	}
	if d.AnswerID == "" {
		return
	}
	k.mint(rec.Seq, d.AnswerID)
	if d.Outcome != event.Answered || d.From != q.To {
		k.fault(rec.Seq, RuleQuestion, "question %s has the answer %s and ended %s", d.ID, d.AnswerID, d.Outcome)
	}
}

// leads reports whether from waits for to, by open questions. The leader is in
// no circle, because its waits end early; but nobody may ask himself.
func (k *checker) leads(from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if seen[from] || from == event.Leader {
		return false
	}
	seen[from] = true
	for _, q := range k.asked {
		if !q.closed && q.From == from && k.leads(q.To, to, seen) {
			return true
		}
	}
	return false
}

// settleCircle judges the question that closed a circle: refused is the
// question that was refused because of one.
func (k *checker) settleCircle(refused string) {
	q := k.circle
	if q == nil {
		return
	}
	k.circle = nil
	if q.ID != refused && (q.From != event.Leader || q.To == event.Leader) {
		k.fault(q.seq, RuleCycle, "%s asks %s (%s), which already waits for it: %s", q.From, q.To, q.ID, strings.Join(k.waiting(), ", "))
	}
}

// waiting lists the open questions as who waits for whom.
func (k *checker) waiting() []string {
	var list []string
	for _, id := range sortedKeys(k.asked) {
		if q := k.asked[id]; !q.closed {
			list = append(list, q.From+" → "+q.To)
		}
	}
	return list
}
