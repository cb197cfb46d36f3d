package streams

import (
	"context"

	"github.com/troupe-go/troupe/event"
)

// account is what the log of a session says of one task.
type account struct {
	message string
	run     string
	last    int64             // seq of the newest record
	owner   string            // the task whose turn is the last one
	begun   bool              // the team was given this task
	end     event.Data        // how the last turn ended; nil while it has not
	names   map[string]string // of the agents, by id
	asked   map[string]asking // what the user was asked, by id

	own      event.Data // how the turn of this task ended; nil while it has not
	ownStart int64      // seq of the record that began it
	ownEnd   int64      // seq of own
}

// asking is something that waits for the user: a question, or leave for a call.
type asking struct {
	id        string
	name      string // who asks
	text      string // the question
	tool      string // of the call; "" for a question
	arguments string
	rule      string // what "always" would allow; "" for nothing
}

// line is the asking in one line.
func (a asking) line() string {
	if a.tool != "" {
		return a.name + ": " + a.tool + " " + a.arguments
	}
	return a.name + ": " + a.text
}

// account reads the log of a session for a task.
func (h *Teams) account(ctx context.Context, t Task, session string) (*account, error) {
	a := &account{message: t.MessageID, names: map[string]string{}, asked: map[string]asking{}}
	for rec, err := range h.opts.Sessions.Records(ctx, session, 0) {
		if err != nil {
			return nil, err
		}
		a.apply(rec)
	}
	return a, nil
}

func (a *account) apply(rec event.Record) {
	a.last = rec.Seq
	switch d := rec.Data.(type) {
	case event.RunStarted:
		a.run = d.RunID
		a.command(rec.Seq, d.RequestID)
	case event.RunResumed:
		a.command(rec.Seq, d.RequestID)
	case event.MessageSent:
		a.sent(rec, d)
	case event.AgentCreated:
		a.names[rec.Agent] = d.Name
	case event.ApprovalRequested:
		a.asked[d.ID] = asking{id: d.ID, name: a.names[rec.Agent], tool: d.Name, arguments: d.Arguments, rule: d.Rule}
	case event.RunFinished, event.RunFailed, event.RunSuspended:
		a.end = d
		if a.owner == a.message {
			a.own, a.ownEnd = d, rec.Seq
		}
	default: // says nothing of whose turn it is
	}
}

func (a *account) sent(rec event.Record, d event.MessageSent) {
	if d.Kind == event.Question && d.To == event.Person {
		a.asked[d.ID] = asking{id: d.ID, name: d.FromName, text: d.Content}
	}
	if d.RequestID != "" && d.RequestID != a.owner {
		a.command(rec.Seq, d.RequestID)
	}
}

// command takes in that a turn begins or goes on, with a command or without.
func (a *account) command(seq int64, message string) {
	a.end = nil
	if message != "" {
		a.owner = message
	}
	if a.owner != a.message {
		return
	}
	a.own = nil
	if !a.begun {
		a.begun, a.ownStart = true, seq
	}
}

// waits is what the last turn waits for, nil when it does not wait for the user.
func (a *account) waits() *asking {
	d, ok := a.end.(event.RunSuspended)
	if !ok || d.Cause == event.SuspendInterrupt {
		return nil
	}
	if w, known := a.asked[d.ID]; known {
		return &w
	}
	return &asking{id: d.ID}
}

// over reports whether the turn of the task came to an end that only has to be
// told.
func (a *account) over() bool {
	d, suspended := a.own.(event.RunSuspended)
	return a.own != nil && (!suspended || d.Cause != event.SuspendInterrupt)
}
