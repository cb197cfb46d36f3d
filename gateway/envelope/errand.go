package envelope

import (
	"iter"
	"strings"
	"time"

	"github.com/troupe-go/troupe/event"
)

// errand is what the log of a session tells of one message that was handed to it:
// whether it has it, and what came of it. It is a fold of the records.
type errand struct {
	prefix string // begins the names of all commands with this message's id
	id     string // names the command
	// question is what the message answers, and text the answer as the log shows it,
	// empty when it is not known; there is no question for a task.
	question, text string

	seq    int64 // of the newest record that was folded
	given  bool
	clash  bool // the id of the message, or the question, stands for something else
	warned bool // that its version is not known

	message string // the message of the mailbox that it became
	agent   string // who got it; empty for the leader
	turn    int    // of the agent, in which it was read
	report  string // what the agent said at the end of that turn

	asked map[string]string // what questions and approvals are about, by id
	waits *waiting          // for a person
	end   *ending
}

// waiting is what a run waits for.
type waiting struct {
	ID       string `json:"id"`
	Approval bool   `json:"approval,omitempty"` // leave for a call of a tool, and no question
	Text     string `json:"text"`
}

// ending is what came of an errand.
type ending struct {
	Outcome
	at    time.Time
	final bool // else the run may go on
}

// codeUnknownProto is the code of the warning for a version that is not known.
const codeUnknownProto = "unknown_proto"

// newErrand is about the message that a ticket names: any with its id, if the ticket
// does not tell more.
func newErrand(t ticket) *errand {
	x := &errand{prefix: "env/" + LogID(t.Sender, t.MsgID) + "#", question: t.Question, asked: map[string]string{}}
	if t.What != "" {
		x.id = x.prefix + t.What
	}
	return x
}

// read folds records.
func (x *errand) read(records iter.Seq2[event.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		x.apply(rec)
	}
	return nil
}

// settled reports whether nothing more comes for now.
func (x *errand) settled() bool { return x.given && (x.end != nil || x.waits != nil) }

// apply folds one record.
func (x *errand) apply(rec event.Record) {
	x.seq = max(x.seq, rec.Seq)
	switch d := rec.Data.(type) {
	case event.RunStarted:
		x.take(d.RequestID)
	case event.RunResumed:
		x.waits = nil
		if x.end != nil && !x.end.final {
			x.end = nil
		}
		x.take(d.RequestID)
	case event.MessageSent:
		x.sent(rec, d)
	case event.QuestionClosed:
		x.decided(d.ID)
		if x.question != "" && d.ID == x.question {
			x.given = d.Outcome == event.Answered && (x.text == "" || x.text == d.Text)
			x.clash = !x.given
		}
	case event.ApprovalRequested:
		x.asked[d.ID] = d.Name + " " + d.Arguments
	case event.ApprovalDecided:
		x.decided(d.ID)
	case event.Warning:
		x.warned = x.warned || d.Code == codeUnknownProto && strings.Contains(d.Text, x.prefix)
	case event.MessageDelivered, event.MessageReturned, event.TurnEnded:
		x.follow(rec)
	case event.RunSuspended, event.RunFinished, event.RunFailed:
		x.close(rec)
	default:
	}
}

// decided notes that a question or an approval is closed.
func (x *errand) decided(id string) {
	delete(x.asked, id)
	if x.waits != nil && x.waits.ID == id {
		x.waits = nil
	}
}

// take notes that a command is in the log.
func (x *errand) take(request string) {
	if !strings.HasPrefix(request, x.prefix) {
		return
	}
	if x.id == "" {
		x.id = request
	}
	x.given = x.given || request == x.id
	x.clash = x.clash || request != x.id
}

// sent folds a message between participants.
func (x *errand) sent(rec event.Record, d event.MessageSent) {
	x.take(d.RequestID)
	switch {
	case d.RequestID != "" && d.RequestID == x.id:
		if x.message = d.ID; d.To != event.Leader {
			x.agent = d.To
		}
	case d.To == event.Person:
		x.asked[d.ID] = d.Content
	case x.turn > 0 && d.From == x.agent && d.Kind == event.Completion && rec.Turn == x.turn:
		x.report = d.Content
	}
}

// follow goes after a message to an agent, to the end of the turn that reads it.
func (x *errand) follow(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.MessageDelivered:
		if x.agent != "" && d.ID == x.message {
			x.turn = rec.Turn
		}
	case event.MessageReturned:
		if x.message != "" && d.ID == x.message {
			x.finish(rec, Outcome{Text: d.Why, Failed: true, Code: "undeliverable"})
		}
	case event.TurnEnded:
		if x.turn == 0 || rec.Agent != x.agent || rec.Turn != x.turn {
			return
		}
		o := Outcome{Text: x.report, Limit: d.Limit}
		if d.Reason != event.EndNatural && d.Reason != event.EndLimit {
			o.Failed, o.Code = true, string(d.Reason)
		}
		x.finish(rec, o)
	default:
	}
}

// close folds an end of the run.
func (x *errand) close(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.RunFinished:
		x.finish(rec, Outcome{Text: d.Answer, Limit: d.Limit})
	case event.RunFailed:
		x.finish(rec, Outcome{Text: d.Failure.Message, Failed: true, Code: d.Failure.Code, Retryable: d.Failure.Retryable})
	case event.RunSuspended:
		switch {
		case d.Cause != event.SuspendInterrupt:
			x.waits = &waiting{ID: d.ID, Approval: d.Cause == event.SuspendApproval, Text: x.asked[d.ID]}
		case d.By == event.PersonName && x.given && x.end == nil:
			x.end = &ending{Outcome: Outcome{Text: "the team was stopped", Failed: true, Code: "stopped"}, at: rec.Time}
		}
	default:
	}
}

// finish notes what came of the errand, once.
func (x *errand) finish(rec event.Record, o Outcome) {
	if x.given && (x.end == nil || !x.end.final) {
		x.end = &ending{Outcome: o, at: rec.Time, final: true}
	}
}
