package leader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/tools"
)

// Permissions say which tool calls run, which are refused, and which need a
// person's leave. Rules that deny come first, then those that allow, then those
// that ask; where no rule holds, a call runs unless its tool asks for leave
// ([tools.Spec.Asks]). Communication tools are never asked for.
//
// The rules are those of the whole team: no agent has more rights than the one
// that created it. [tools.Rule] says how a rule is written.
type Permissions struct {
	Deny  []string `json:"deny,omitempty"`
	Allow []string `json:"allow,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	// ClientTools are names of tools that a client may bring ([WithClientTools]). The
	// rules may name them, whether it brings them or not.
	ClientTools []string `json:"client_tools,omitempty"`
	// Headless says what becomes of a call that needs leave when nobody is
	// there to give it; empty means HeadlessDeny.
	Headless Headless `json:"headless"`
}

// Headless is what becomes of an approval that nobody can be asked for; see
// [WithAttendance].
type Headless string

// The ways to go on without a person.
const (
	HeadlessDeny    Headless = "deny"    // the call is refused, and the model is told
	HeadlessSuspend Headless = "suspend" // the run is suspended, to be resumed
	HeadlessAllow   Headless = "allow"   // the call runs
)

// complete fills in the default and says what is wrong.
func (p *Permissions) complete(known tools.Set) error {
	_, err := p.Policy(known)
	p.Headless = cmp.Or(p.Headless, HeadlessDeny)
	if !slices.Contains([]Headless{HeadlessDeny, HeadlessSuspend, HeadlessAllow}, p.Headless) {
		err = errors.Join(err, fmt.Errorf("leader: permissions: headless is %q; it is deny, suspend or allow", p.Headless))
	}
	return err
}

// Policy reads the rules about the known tools, and those that a client may bring.
// The error joins a [tools.RuleError] for each that is wrong.
func (p *Permissions) Policy(known tools.Set) (tools.Policy, error) {
	specs := known.Specs()
	for _, name := range p.ClientTools {
		if _, ok := known.Spec(name); !ok {
			specs = append(specs, tools.Spec{Name: name})
		}
	}
	policy, err := tools.NewPolicy(p.Deny, p.Allow, p.Ask, specs)
	if err != nil {
		return policy, fmt.Errorf("leader: permissions: %w", err)
	}
	return policy, nil
}

// mayRead reports whether a file may be read without a word, which is what
// search_files goes by.
func mayRead(p tools.Policy, known tools.Set) func(path string) bool {
	read, ok := known.Lookup("read_file")
	if !ok || p.Free(read.Spec()) {
		return nil
	}
	spec := read.Spec()
	return func(path string) bool {
		v, _ := p.Decide(spec, tools.Subject{path})
		return v == tools.Allowed
	}
}

// permit returns what asks leave for the calls of an agent with these tools. A
// call that had asked before the program ended goes on with that approval.
func (r *Run) permit(set tools.Set) func(context.Context, tools.Spec, tools.Call) error {
	return func(ctx context.Context, spec tools.Spec, call tools.Call) error {
		policy := r.approvals.policy()
		if policy.Free(spec) {
			return nil
		}
		subject, err := set.Subject(spec.Name, call.Arguments)
		if err != nil {
			return err
		}
		verdict, rule := policy.Decide(spec, subject)
		if verdict == tools.Denied {
			return r.deniedBy(call, spec.Name, policy, rule)
		}
		if _, asked := r.approvals.find(call, spec.Name); verdict == tools.Allowed && !asked {
			return nil
		}
		decided, err := r.approval(ctx, spec, subject, call)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil: // leave that comes too late
			return context.Cause(ctx)
		case decided.Decision == event.DecisionAllow:
			return r.stillAbout(set, spec, subject, call)
		case decided.By == event.Person:
			return errors.New(r.words.DeniedByPerson(spec.Name, decided.Reason))
		}
		return errors.New(r.words.DeniedUnasked(spec.Name, decided.Reason))
	}
}

// deniedBy words the refusal by a rule. An approval that was asked for when the
// rule was not there yet ends with it.
func (r *Run) deniedBy(call tools.Call, tool string, p tools.Policy, rule tools.Rule) error {
	if a, ok := r.approvals.find(call, tool); ok {
		err := r.approvals.decide(a.ID, event.ApprovalDecided{Decision: event.DecisionDeny, By: event.Runtime, Reason: rule.String()})
		if err != nil && !errors.Is(err, ErrDecided) {
			return err
		}
	}
	var allowed []string
	for _, a := range p.Allows(tool) {
		allowed = append(allowed, a.String())
	}
	return errors.New(r.words.DeniedByRule(tool, rule.String(), allowed))
}

// approval asks for leave and waits for the decision.
func (r *Run) approval(ctx context.Context, spec tools.Spec, s tools.Subject, call tools.Call) (event.ApprovalDecided, error) {
	a, err := r.approvals.request(call, spec, s)
	if err != nil {
		return event.ApprovalDecided{}, err
	}
	if d, ok := r.headless(); ok {
		if err := r.approvals.decide(a.ID, d); err != nil && !errors.Is(err, ErrDecided) {
			return event.ApprovalDecided{}, err
		}
	}
	call.Sent()
	defer call.Blocked(a.ID, event.Person)()
	return r.approvals.wait(ctx, a.ID)
}

// headless is the decision that stands for a person who is not there; ok is
// false if somebody is, or is waited for.
func (r *Run) headless() (d event.ApprovalDecided, ok bool) {
	mode := r.leader.team.Permissions.Headless
	if r.leader.opts.attendance != Unattended || mode == HeadlessSuspend {
		return d, false
	}
	d = event.ApprovalDecided{Decision: event.DecisionDeny, By: event.Runtime, Reason: r.words.NobodyToAsk()}
	if mode == HeadlessAllow {
		d.Decision = event.DecisionAllow
	}
	return d, true
}

// stillAbout refuses a call whose path leads elsewhere than when it was asked
// for: a person may have taken days.
func (r *Run) stillAbout(set tools.Set, spec tools.Spec, s tools.Subject, call tools.Call) error {
	now, err := set.Subject(spec.Name, call.Arguments)
	if err == nil && !slices.Equal(now, s) {
		err = errors.New(r.words.OtherThanApproved(spec.Name))
	}
	return err
}
