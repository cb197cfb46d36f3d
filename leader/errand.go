package leader

import (
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/mailbox"
)

// errand is what the log says of the turn of an agent that works elsewhere: what
// it is to be told next, and in which step. It is a fold, so that a step that is
// taken again after a crash is the same step.
type errand struct {
	turn    int
	replies int               // in the turn
	told    []string          // since the last reply
	mail    map[string]string // messages that were sent to it and not delivered, by id
}

// sent notes a message to the agent.
func (e *errand) sent(d event.MessageSent) { e.mail[d.ID] = d.Content }

// apply folds a record of the agent.
func (e *errand) apply(rec event.Record) {
	switch d := rec.Data.(type) {
	case event.AgentState:
		if d.To.Busy() && !d.From.Busy() {
			e.turn, e.replies, e.told = rec.Turn, 0, nil
		}
	case event.MessageDelivered:
		e.told = append(e.told, e.mail[d.ID])
		delete(e.mail, d.ID)
	case event.ModelReplied:
		e.replies++
		e.told = nil
	case event.ToolFinished:
		if d.Name != event.CallGoOn {
			e.told = append(e.told, plain(d.Result))
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

// step is what the agent is told now.
func (e *errand) step(who event.RemoteAgent) event.RemoteStep {
	s := event.RemoteStep{
		RemoteAgent: who, Number: e.replies + 1, Text: strings.Join(e.told, "\n\n"),
		Task: who.Run + "-" + who.Agent + "-" + strconv.Itoa(e.turn),
	}
	s.ID = s.Task
	if s.Number > 1 {
		s.ID += "-" + strconv.Itoa(s.Number)
	}
	return s
}
