package leader

import (
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// assignment is what the log says of the turn of an agent that works elsewhere: what
// it is to be told next, and in which step. It is a fold, so that a step that is
// taken again after a crash is the same step.
type assignment struct {
	turn    int
	replies int               // in the turn
	asked   int               // requests since the last reply
	told    []string          // since the last reply
	mail    map[string]string // messages that were sent to it and not delivered, by id
}

// sent notes a message to the agent.
func (a *assignment) sent(d event.MessageSent) { a.mail[d.ID] = d.Content }

// apply folds a record of the agent.
func (a *assignment) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.AgentState:
		if d.To.Busy() && !d.From.Busy() {
			a.turn, a.replies, a.asked, a.told = rec.Turn, 0, 0, nil
		}
	case event.MessageDelivered:
		a.told = append(a.told, a.mail[d.ID])
		delete(a.mail, d.ID)
	case event.ModelRequested:
		a.asked++
	case event.ModelReplied:
		a.replies++
		a.asked, a.told = 0, nil
	case event.ToolFinished:
		if d.Name != event.CallGoOn {
			a.told = append(a.told, plain(d.Result))
		}
	default: // says nothing to it
	}
}

// plain is the content of an answer without its frame; what has none, such as
// the news that nobody answered, is taken as it is.
func plain(result string) string {
	if m, err := mailbox.Parse(result); err == nil {
		return m.Content
	}
	return result
}

// step is what the agent is told now, by the request that was logged last.
func (a *assignment) step(who event.RemoteAgent) event.RemoteStep {
	s := event.RemoteStep{
		RemoteAgent: who, Number: a.replies + 1, Again: a.asked > 1, Text: strings.Join(a.told, "\n\n"),
		Task: who.Run + "-" + who.Agent + "-" + strconv.Itoa(a.turn),
	}
	s.ID = s.Task
	if s.Number > 1 {
		s.ID += "-" + strconv.Itoa(s.Number)
	}
	return s
}
