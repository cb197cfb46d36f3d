package leader

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/subagent"
	"github.com/troupe-go/troupe/tools"
)

// Attendance says whether somebody answers what a run asks the person.
type Attendance string

// The two ways to run a team.
const (
	// Attended runs wait for [Run.Reply] and [Run.Approve]. It is the default.
	Attended Attendance = "attended"
	// Unattended runs never wait: a call that needs leave goes by
	// [Permissions.Headless], and when nobody can go on without an answer, the
	// run is suspended. [Answer] and [Decide] take it then, also days later.
	Unattended Attendance = "unattended"
)

// WithAttendance says whether somebody answers what the run asks the person.
func WithAttendance(a Attendance) Option { return func(o *options) { o.attendance = a } }

// Pending is what waits for the person: a question, or the approval of a tool
// call.
type Pending struct {
	ID    string    `json:"id"`    // "ask_tl_001", "apr_001"
	Agent string    `json:"agent"` // id of the agent that waits
	Name  string    `json:"name"`  // its display name
	Since time.Time `json:"since"`
	// Text is the question; empty for an approval.
	Text string `json:"text,omitempty"`
	// Tool, Arguments and Rule tell of the call to approve. Rule is what
	// [Decision.Always] allows; empty if no rule can say it.
	Tool      string `json:"tool,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Rule      string `json:"rule,omitempty"`

	seq int64
}

// IsApproval reports whether a tool call waits for leave.
func (p Pending) IsApproval() bool { return p.Tool != "" }

// cause is how the log names what a run was suspended for.
func (p Pending) cause() string {
	if p.IsApproval() {
		return event.SuspendApproval
	}
	return event.SuspendQuestion
}

// failure says that the run waits.
func (p Pending) failure() event.Failure {
	text := p.Text
	if p.IsApproval() {
		text = p.Tool + " " + p.Arguments
	}
	return event.Failure{
		Code: CodeWaiting, Who: "client", Retryable: true, Message: fmt.Sprintf("the run waits for a person: %s (%s): %s", p.ID, p.Name, text),
	}
}

// CodeWaiting is the code in the [Error] of a run that was suspended because it
// waits for a person.
const CodeWaiting = "waiting"

// Pending lists what waits for the person, oldest first. A reader of [Run.Events]
// may see a record an instant before this tells of it.
func (r *Run) Pending() []Pending { return pendingOf(r.roster, r.approvals) }

// pendingOf lists what waits for the person. An approval whose call has a
// result, as one that a stop cut short, waits for nobody.
func pendingOf(who *roster, leave *approvals) []Pending {
	var list []Pending
	for _, q := range who.inquiries() {
		if q.To == event.Person && q.text != "" {
			list = append(list, Pending{ID: q.ID, Agent: q.From, Name: who.nameOf(q.From), Since: q.at, Text: q.text, seq: q.seq})
		}
	}
	for _, a := range leave.waiting() {
		if who.runs(a.agent, a.CallID) {
			list = append(list, Pending{
				ID: a.ID, Agent: a.agent, Name: who.nameOf(a.agent), Since: a.since,
				Tool: a.Name, Arguments: a.Arguments, Rule: a.Rule, seq: a.seq,
			})
		}
	}
	slices.SortFunc(list, func(a, b Pending) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

// Decision is what a person says to an approval.
type Decision struct {
	// Allow lets the call run; without it the call is refused.
	Allow bool
	// Always also allows what [Pending.Rule] says for the rest of the run. It
	// counts only with Allow. Rules that deny still come first.
	Always bool
	// Reason is told to the model when the call is refused; optional.
	Reason string
}

// decided is the record of a decision about a call that the rule would allow.
func (d Decision) decided(rule string) (event.ApprovalDecided, error) {
	c := event.ApprovalDecided{Decision: event.DecisionDeny, By: event.Person, Reason: d.Reason}
	if !utf8.ValidString(d.Reason) {
		return c, mailbox.ErrContent
	}
	if d.Allow {
		c.Decision = event.DecisionAllow
	}
	if d.Allow && d.Always {
		if c.Rule = rule; rule == "" {
			return c, ErrNoRule
		}
	}
	return c, nil
}

// Approve decides about a tool call that waits for leave; [Run.Pending] lists
// them. It fails with [ErrNoApproval], [ErrDecided], [ErrNoRule], or with
// [ErrEnded] when the run has ended, also when it waits to be resumed: then
// [Decide] takes the decision.
func (r *Run) Approve(id string, d Decision) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.deaf() {
		return r.refused(ErrEnded)
	}
	return r.refused(r.approvals.settle(id, d, false))
}

// settle records a person's decision; offline says that nobody drives the run.
func (d *approvals) settle(id string, choice Decision, offline bool) error {
	c, err := choice.decided(d.ruleOf(id))
	if err != nil {
		return err
	}
	c.Offline = offline
	return d.decide(id, c)
}

// ruleOf is the rule that would allow the call of an approval another time.
func (d *approvals) ruleOf(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.byID[id]; a != nil {
		return a.Rule
	}
	return ""
}

var personAddress = mailbox.Address{ID: event.Person, Name: event.PersonName, Code: event.Person}

// AskUser asks the person and waits for the answer, for ever if need be: people
// sleep.
func (t teamTools) AskUser(ctx context.Context, call tools.Call, in tools.AskUserArgs) (string, error) {
	end, err := t.run.exchange.Ask(ctx, mailbox.Inquiry{
		From: leaderAddress, To: personAddress, Kind: event.Question, Text: withOptions(in.Question, in.Options), CallID: call.ID, Turn: call.Turn,
	}, call.Sent, call.Blocked)
	if err != nil {
		return "", t.refusal("", err)
	}
	return subagent.Outcome(t.run.words, event.PersonName, end)
}

// withOptions is a question with the numbered answers that come to mind.
func withOptions(question string, options []string) string {
	var b strings.Builder
	b.WriteString(question)
	if len(options) > 0 {
		b.WriteByte('\n')
	}
	for i, option := range options {
		fmt.Fprintf(&b, "\n%d. %s", i+1, strings.TrimSpace(option))
	}
	return b.String()
}
