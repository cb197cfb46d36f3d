package replay

import (
	"strings"

	"github.com/troupe-go/troupe/event"
)

// recording is a log with what one must know of it to give each agent its
// part.
type recording struct {
	records   []event.Record
	questions map[string]event.QuestionOpened
	sent      map[string]int // index by message id
	delivered map[string]int
	notices   map[int]string // notes about returned messages, by index: the agent that sent them
}

func newRecording(records []event.Record) *recording {
	r := &recording{
		records: records, questions: map[string]event.QuestionOpened{},
		sent: map[string]int{}, delivered: map[string]int{}, notices: map[int]string{},
	}
	type notice struct{ to, about, by string }
	var due []notice
	for i, rec := range records {
		switch d := rec.Data.(type) {
		case event.QuestionOpened:
			r.questions[d.ID] = d
		case event.MessageDelivered:
			r.delivered[d.ID] = i
		case event.MessageReturned:
			due = append(due, notice{to: rec.Agent, about: d.ID, by: d.To})
		case event.MessageSent:
			r.sent[d.ID] = i
			for j, n := range due {
				if rec.Agent == event.Runtime && rec.Turn == 0 && d.To == n.to && strings.Contains(d.Content, n.about) {
					r.notices[i] = n.by
					due = append(due[:j], due[j+1:]...)
					break
				}
			}
		default: // not looked up
		}
	}
	return r
}

// own reports whether the agent itself makes the record i, by its turn loop,
// when it is run alone. The others about it are made by its tools, which are
// not run, or by others.
func (r *recording) own(id string, i int) bool {
	rec := r.records[i]
	switch d := rec.Data.(type) {
	case event.AgentState:
		return rec.Agent == id && !betweenCalls(d)
	case event.MessageSent:
		if rec.Agent == event.Runtime {
			return rec.Turn > 0 && d.To == id || r.notices[i] == id
		}
		return rec.Agent == id && (d.Kind == event.Progress || d.Kind == event.Completion)
	case event.MessageReturned:
		return d.To == id
	case event.QuestionClosed:
		return rec.Agent == id && r.questions[d.ID].To == id && d.AnswerID == "" && !fromBothSides(d.Outcome)
	case event.AgentStopping, event.TurnEnded, event.MessageDelivered, event.ModelRequested, event.ModelReplied, event.ModelFailed,
		event.ModelRetried, event.ModelProfile, event.HistoryCompacted, event.ToolStarted, event.ToolFinished,
		event.LimitWarned, event.LimitReached, event.Warning:
		return rec.Agent == id
	default:
		return false
	}
}

// firstRequest is the seq of the agent's first request from index i on.
func (r *recording) firstRequest(id string, i int) int64 {
	for _, rec := range r.records[i:] {
		if rec.Agent == id && rec.Type() == event.TypeModelRequested {
			return rec.Seq
		}
	}
	return 0
}

// betweenCalls reports whether a move is one into or out of waiting, which
// happens when calls begin and end to wait for others.
func betweenCalls(d event.AgentState) bool {
	return d.To == event.Waiting || d.From == event.Waiting && d.To == event.Working
}

// fromBothSides reports whether a question that ends so may have been closed by
// its asker as well as by its addressee; the record is the asker's.
func fromBothSides(o event.Outcome) bool {
	return o == event.Cancelled || o == event.Terminated || o == event.TimedOut || o == event.RefusedCycle
}

// resting reports whether an agent in this state takes no turn.
func resting(s event.State) bool {
	return s == event.Created || s == event.Idle || s == event.Failing || s == event.Stopped
}
