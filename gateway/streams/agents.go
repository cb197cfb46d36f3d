package streams

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Workshop has the models and tools that [Agents] lends.
type Workshop interface {
	// Describe tells what an agent of a role is made of.
	Describe(role, agentType string) (event.Loan, error)
	// Reply asks the model of a role; last it yields a model.replied or a
	// model.failed.
	Reply(ctx context.Context, agentType string, q event.LentRequest) iter.Seq2[event.Data, error]
	// Call does a call of a tool; last it yields a tool.finished.
	Call(ctx context.Context, role, agentType string, c event.LentCall) iter.Seq2[event.Data, error]
}

// Agents lends model and tools to the agents of other Troupes' teams: it does
// what their runs ask for, one record after the other, and tells what came of
// it. A task is one turn of an agent. One for which nobody asks waits, and holds
// no place of the worker. Nothing is done again here: the run that has the agent
// knows what may be, and opens it anew when a worker is gone.
type Agents struct {
	workshop Workshop
	linger   time.Duration

	mu   sync.Mutex // guards runs
	runs map[string]*lending
}

// lingerFor is how long a lent agent holds its place while nobody asks.
const lingerFor = 20 * time.Second

// NewAgents lends what a workshop has; linger is how long an agent holds its
// place in the worker while nobody asks, 0 for the usual time.
func NewAgents(w Workshop, linger time.Duration) *Agents {
	return &Agents{workshop: w, linger: cmp.Or(linger, lingerFor), runs: map[string]*lending{}}
}

var errWorkerGone = errors.New("streams: the worker that lent the agent is gone; its run opens it anew")

// Start opens an agent: it tells what it is made of, and serves it.
func (a *Agents) Start(ctx context.Context, t Task, out *Sink) (Outcome, error) {
	who, err := whoIs(t)
	if err != nil || t.Again {
		return Outcome{}, errors.Join(err, errWorkerGone)
	}
	loan, err := a.workshop.Describe(who.Role, t.Request.TargetAgentType)
	if err != nil {
		return Outcome{}, err
	}
	l := a.lending(t, who, out)
	created := event.AgentCreated{Role: who.Role, Prompt: loan.Prompt, Lent: &loan}
	if len(loan.Models) > 0 {
		created.Model, created.Scripted = loan.Models[0].Name, loan.Models[0].Scripted
	}
	for _, tool := range loan.Tools {
		created.Tools = append(created.Tools, tool.Name)
	}
	if err := l.say(ctx, who.TaskID, created); err != nil || who.Agent == "" {
		return Outcome{}, err
	}
	return a.serve(ctx, l)
}

// Resume goes on with an agent for which nobody had asked for a while.
func (a *Agents) Resume(ctx context.Context, t Task, out *Sink) (Outcome, error) {
	who, err := whoIs(t)
	if err != nil || t.Again {
		return Outcome{}, errors.Join(err, errWorkerGone)
	}
	l := a.lending(t, who, out)
	if w, ok := wordIn(t.Extra); ok {
		l.hear(w, t.Key)
	}
	return a.serve(ctx, l)
}

// Cancel ends an agent for which nobody asks: there is nothing to do.
func (a *Agents) Cancel(context.Context, Task) error { return nil }

// Tell passes on what the run asks for.
func (a *Agents) Tell(_ context.Context, t Task) bool {
	w, ok := wordIn(t.Extra)
	a.mu.Lock()
	l := a.runs[lendingKey(t)]
	a.mu.Unlock()
	return ok && l != nil && l.hear(w, t.Key)
}

func whoIs(t Task) (who lentAgent, err error) {
	if err = json.Unmarshal(t.Agent, &who); err != nil || who.Run == "" {
		return who, fmt.Errorf("streams: the task does not say whose agent it is: %w", errors.Join(err, ErrMissing))
	}
	return who, nil
}

func lendingKey(t Task) string { return t.Header.SessionID + " " + t.MessageID }

// serve does what is asked for until the turn ends, or nobody asks any more.
func (a *Agents) serve(ctx context.Context, l *lending) (Outcome, error) {
	a.mu.Lock()
	a.runs[l.key] = l
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.runs, l.key)
	}()
	defer l.work.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for {
		w, next := l.next(ctx, a.linger)
		switch next {
		case lentAsked:
			if _, over := w.Record.Data.(event.TurnEnded); over {
				l.close()
				return Outcome{}, nil
			}
			l.begin(ctx, w)
		case lentQuiet:
			return Outcome{Wait: WaitingAgent}, nil
		case lentOver:
			return Outcome{}, context.Cause(ctx)
		}
	}
}
