package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/tools"
)

// Errors about approvals.
var (
	// ErrNoApproval says that no approval has this id; the text lists those
	// that are open.
	ErrNoApproval = errors.New("leader: there is no approval with this id")
	// ErrDecided says that the approval was decided before; the text says how.
	ErrDecided = errors.New("leader: the approval was decided already")
	// ErrNoRule says that no rule can allow such a call another time.
	ErrNoRule = errors.New("leader: no rule can allow such a call another time; allow it once")
)

// callKey names a tool call.
type callKey struct{ agent, call string }

// approval is the question whether one call may run.
type approval struct {
	event.ApprovalRequested
	agent   string
	turn    int
	seq     int64
	since   time.Time
	decided event.ApprovalDecided // without a decision while it is open
	done    chan struct{}         // closed with the decision

	spec    tools.Spec // of the call, if it runs in this program
	subject tools.Subject
}

// approvals are the calls that a person has to decide about. They change by
// records only, live and when a log is read again.
type approvals struct {
	log   event.Appender
	ids   *mailbox.IDs
	known []tools.Spec // for rules that a decision brings

	// mu guards all below. Requests and decisions are appended under it, so
	// their order in the log is that of the ids and of the decisions.
	mu     sync.Mutex
	rules  tools.Policy
	byID   map[string]*approval
	byCall map[callKey]*approval // of calls that have no result yet
	open   []*approval           // oldest first
}

func newApprovals(log event.Appender, ids *mailbox.IDs, rules tools.Policy, known []tools.Spec) *approvals {
	return &approvals{
		log: log, ids: ids, known: known, rules: rules,
		byID: map[string]*approval{}, byCall: map[callKey]*approval{},
	}
}

// policy is what the team's rules and the decisions so far allow.
func (d *approvals) policy() tools.Policy {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rules
}

// Apply changes the approvals as a record of the log says; all other records
// change nothing.
func (d *approvals) Apply(rec event.Record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.apply(rec)
}

// apply is how records change the approvals. The caller holds d.mu.
func (d *approvals) apply(rec event.Record) {
	switch data := rec.Data.(type) {
	case event.ApprovalRequested:
		if d.byID[data.ID] != nil {
			return
		}
		a := &approval{
			ApprovalRequested: data, agent: rec.Agent, turn: rec.Turn, seq: rec.Seq, since: rec.Time, done: make(chan struct{}),
		}
		d.byID[data.ID], d.byCall[callKey{rec.Agent, data.CallID}] = a, a
		d.open = append(d.open, a)
	case event.ApprovalDecided:
		a := d.byID[data.ID]
		if a == nil || a.decided.Decision != "" {
			return
		}
		a.decided = data
		d.open = slices.DeleteFunc(d.open, func(o *approval) bool { return o == a })
		close(a.done)
		if rule, err := tools.ParseRule(data.Rule, d.known); err == nil && data.Decision == event.DecisionAllow {
			d.rules = d.rules.With(rule)
		}
	case event.ToolFinished:
		delete(d.byCall, callKey{rec.Agent, data.CallID})
	default: // about no approval
	}
}

// of returns the approval of a call, nil if none was asked for. Ids of calls
// come from models, and may come again. The caller holds d.mu.
func (d *approvals) of(call tools.Call, tool string) *approval {
	a := d.byCall[callKey{call.Agent, call.ID}]
	if a == nil || a.Name != tool || a.Arguments != string(call.Arguments) {
		return nil
	}
	return a
}

// find returns the approval of a call; ok is false if none was asked for.
func (d *approvals) find(call tools.Call, tool string) (a approval, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if found := d.of(call, tool); found != nil {
		return *found, true
	}
	return approval{}, false
}

// request asks for leave for a call, once.
func (d *approvals) request(call tools.Call, spec tools.Spec, s tools.Subject) (approval, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.of(call, spec.Name)
	if a == nil {
		asked := event.ApprovalRequested{
			ID: d.ids.MintApproval(), CallID: call.ID, Name: spec.Name, Arguments: string(call.Arguments),
		}
		if rule, ok := tools.Exact(spec, s); ok {
			asked.Rule = rule.String()
		}
		rec, err := d.log.Append(call.Agent, call.Turn, asked)
		if err != nil {
			return approval{}, err
		}
		d.apply(rec)
		a = d.byID[asked.ID]
	}
	a.spec, a.subject = spec, s
	return *a, nil
}

// wait waits for the decision. When ctx ends before, the approval is denied by
// the runtime, because the call will not run; but when the run is interrupted
// it stays open, and the error says so.
func (d *approvals) wait(ctx context.Context, id string) (event.ApprovalDecided, error) {
	d.mu.Lock()
	a := d.byID[id]
	d.mu.Unlock()
	select {
	case <-a.done:
	case <-ctx.Done():
		cause := context.Cause(ctx)
		if errors.Is(cause, mailbox.ErrInterrupted) {
			return event.ApprovalDecided{}, cause
		}
		err := d.decide(id, event.ApprovalDecided{Decision: event.DecisionDeny, By: event.Runtime, Reason: cause.Error()})
		if err != nil && !errors.Is(err, ErrDecided) {
			return event.ApprovalDecided{}, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byCall, callKey{a.agent, a.CallID})
	return a.decided, nil
}

// decide records a decision, and those that follow from its rule: open calls
// that the rule allows need nobody any more.
func (d *approvals) decide(id string, c event.ApprovalDecided) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.byID[id]
	switch {
	case a == nil:
		return fmt.Errorf("%w: %q; %s", ErrNoApproval, id, d.openText())
	case a.decided.Decision != "":
		return fmt.Errorf("%w: %s, %s by %s", ErrDecided, id, a.decided.Decision, a.decided.By)
	}
	if err := d.record(a, c); err != nil || c.Rule == "" {
		return err
	}
	for _, o := range slices.Clone(d.open) {
		if o.spec.Name == "" {
			continue
		}
		if v, rule := d.rules.Decide(o.spec, o.subject); v == tools.Allowed {
			err := d.record(o, event.ApprovalDecided{Decision: event.DecisionAllow, By: event.Runtime, Reason: rule.String()})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// record appends a decision and applies it. The caller holds d.mu.
func (d *approvals) record(a *approval, c event.ApprovalDecided) error {
	c.ID = a.ID
	rec, err := d.log.Append(a.agent, a.turn, c)
	if err != nil {
		return err
	}
	d.apply(rec)
	return nil
}

// openText lists what is open. The caller holds d.mu.
func (d *approvals) openText() string {
	if len(d.open) == 0 {
		return "none is open"
	}
	var ids []string
	for _, a := range d.open {
		ids = append(ids, a.ID)
	}
	return "open are " + strings.Join(ids, ", ")
}

// count is how many approvals are open.
func (d *approvals) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// waiting lists the open approvals, oldest first.
func (d *approvals) waiting() []approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]approval, len(d.open))
	for i, a := range d.open {
		list[i] = *a
	}
	return list
}
