package leader

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/troupe-go/troupe/agent"
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
	"github.com/troupe-go/troupe/prompts"
	"github.com/troupe-go/troupe/tools"
)

// NewBudget is a run's budget alone.
func NewBudget(l Limits, now func() time.Time) agent.Budget { return newBudget(l, now) }

// StartIdle begins a run and makes n workers of a role as the run's loop makes
// them, each with its goroutine, but sends them no task. The function that it
// returns ends all of them.
func StartIdle(ctx context.Context, l *Leader, role string, n int) (end func(), err error) {
	log, err := l.openLog("idle")
	if err != nil {
		return nil, err
	}
	run, err := newRun(l, "idle")
	if err != nil {
		return nil, err
	}
	run.write(log)
	if err := run.begin(event.RunStarted{RunID: run.id, Task: "wait"}); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var team sync.WaitGroup
	for range n {
		var a *agent.Agent
		if a, _, err = run.hire(role, "call", nil); err != nil {
			break
		}
		team.Go(func() { _ = a.Run(ctx) }) // it is interrupted
	}
	return func() {
		cancel()
		team.Wait()
		run.release()
	}, err
}

// Fold makes a run of its log and leaves it at that.
func Fold(path string, opts ...Option) error {
	run, _, err := openRun(path, newOptions(opts))
	if err != nil {
		return err
	}
	run.release()
	return nil
}

// TakesMessages reports whether a log that ends here lets the agent be sent messages,
// if it works elsewhere.
func TakesMessages(agent string, log []event.Record) bool {
	run := &Run{roster: newRoster(), words: prompts.In("en")}
	for _, rec := range log {
		run.roster.apply(rec)
	}
	return run.notWhileAtWork(mailbox.Address{ID: agent}) == nil
}

// Header is the team as the header of a log has it.
func Header(l *Leader) json.RawMessage { return l.raw }

// Approvals are the approvals of a run alone.
type Approvals struct{ *approvals }

// NewApprovals are approvals in a log, without rules.
func NewApprovals(log event.Appender) Approvals {
	return Approvals{newApprovals(log, mailbox.NewIDs(), tools.Policy{}, nil)}
}

// Request asks for leave for a call and returns the id.
func (a Approvals) Request(call tools.Call, tool string) (string, error) {
	got, err := a.request(call, tools.Spec{Name: tool}, nil)
	return got.ID, err
}

// Settle decides and lets the call take the decision.
func (a Approvals) Settle(ctx context.Context, id string, d Decision) error {
	if err := a.settle(id, d, false); err != nil {
		return err
	}
	_, err := a.wait(ctx, id)
	return err
}
