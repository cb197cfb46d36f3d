package leader

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Lender is a [Remote] behind which another Troupe may stand. That one lends
// model and tools to the agents of a role, whose turn loop, conversation and
// messages stay with the run. The task of a step names the turn that borrows.
type Lender interface {
	Remote
	// Lend tells what an agent of the role is made of there; nil when no Troupe
	// stands there, and its agents are told by Step.
	Lend(ctx context.Context, who event.RemoteAgent) (*event.Loan, error)
	// Reply asks the lent model. It yields [event.ModelDelta],
	// [event.ModelThinking], notices for the log, after an [event.ModelRetried]
	// the reply anew, and last an [event.ModelReplied] or [event.ModelFailed].
	Reply(ctx context.Context, s event.RemoteStep, q event.LentRequest) iter.Seq2[event.Data, error]
	// Call does a call of a lent tool. It yields [event.ToolOutput],
	// [event.ArtifactCreated], and last an [event.ToolFinished]. The error of a
	// call whose outcome nobody knows is [event.ErrUnknownOutcome].
	Call(ctx context.Context, s event.RemoteStep, t event.LentTool, c event.LentCall) iter.Seq2[event.Data, error]
	// Return says that the turn has ended by itself.
	Return(ctx context.Context, s event.RemoteStep) error
}

// borrow asks what the agents of a role are made of where it runs; nil for a
// role that runs here, or where no Troupe stands. It is asked once a run, by the
// goroutine of the call that creates the first.
func (r *Run) borrow(ctx context.Context, want string) (*event.Loan, error) {
	role, err := r.role(want)
	if err != nil {
		return nil, err
	}
	lender, ok := role.Remote.(Lender)
	if !ok {
		return nil, nil
	}
	r.mu.Lock()
	loan, known := r.loans[role.ID]
	r.mu.Unlock()
	if known {
		return loan, nil
	}
	loan, err = lender.Lend(ctx, event.RemoteAgent{Run: r.id, TraceID: r.trace, Role: role.ID})
	if err != nil {
		return nil, lendFault(role, err)
	}
	if err := r.payable(role, loan); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loans[role.ID] = loan
	return loan, nil
}

// lendFault is an error of the other side in words for the leader.
func lendFault(role Role, err error) error {
	text := fmt.Sprintf("%s (%s): %v", role.Name, role.Place, err)
	if f, ok := errors.AsType[failing](err); ok && f.Failure().Hint != "" {
		text += "; " + f.Failure().Hint
	}
	return errors.New(text)
}

// payable says why the money of a loan cannot be counted, when it is limited:
// its models need prices in the currency of the team's.
func (r *Run) payable(role Role, loan *event.Loan) error {
	team := r.leader.team
	if loan == nil || team.Limits.Budget <= 0 {
		return nil
	}
	currency := ""
	for _, m := range team.models() {
		if m.Price != nil {
			currency = m.Price.Currency
		}
	}
	for _, m := range loan.Models {
		switch {
		case m.Scripted:
		case m.Price == nil:
			return fmt.Errorf("leader: role %s: limit budget needs prices in one currency; its model %s has none", role.ID, m.Name)
		case currency != "" && m.Price.Currency != currency:
			return fmt.Errorf("leader: role %s: limit budget needs prices in one currency; its model %s has %s, others %s", role.ID, m.Name, m.Price.Currency, currency)
		}
	}
	return nil
}

// modelOf is a lent model as a team has it, without a client.
func modelOf(loan event.Loan) Model {
	var list []Model
	for _, l := range loan.Models {
		list = append(list, Model{
			Name: l.Name, Scripted: l.Scripted, MaxOutputTokens: l.MaxOutputTokens, ContextWindow: l.ContextWindow, CompactAt: l.CompactAt,
			Price: (*Price)(l.Price),
		})
	}
	if len(list) == 0 {
		return Model{}
	}
	m := list[0]
	m.Fallback = list[1:]
	return m
}

// lentOf is the inverse of modelOf.
func lentOf(m Model) []event.LentModel {
	var list []event.LentModel
	for _, c := range m.chain() {
		list = append(list, event.LentModel{
			Name: c.Name, Scripted: c.Scripted, MaxOutputTokens: c.MaxOutputTokens, ContextWindow: c.ContextWindow, CompactAt: c.CompactAt,
			Price: (*event.LentPrice)(c.Price),
		})
	}
	return list
}
