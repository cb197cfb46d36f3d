package client

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/event"
)

// What the ids of this protocol's messages begin with where they stand in the log,
// so that a command of another protocol is not taken for one of them.
const (
	promptMark = "client/"
	steerMark  = "client-steer/"
)

// fold is what the log of a session says to a client: how many messages its
// records are so far, and what of it is still open. It needs nothing but the
// records, so that any connection, also after a restart, numbers the messages in
// the same way.
type fold struct {
	record  int64      // seq of the newest record that was taken in
	seq     int64      // of the newest message
	trace   string     // of the run
	prompts []string   // ids of those whose turn has not ended
	calls   []openCall // for the client, without a result
}

// openCall is a call that the client is to execute.
type openCall struct {
	agent string
	seq   int64 // of the message that hands it over
	event.ToolHanded
}

// id names the call to the client: models may give calls of two agents one id.
func (c openCall) id() string { return callID(c.agent, c.CallID) }

func callID(agent, call string) string { return agent + "/" + call }

// cutCall takes the id of a call apart.
func cutCall(id string) (agent, call string) {
	agent, call, _ = strings.Cut(id, "/")
	return agent, call
}

// count is how many messages a record makes. One of a type that this version
// does not know makes one. None of this may change within a version of the
// protocol, since messages are numbered by it.
func (f *fold) count(rec event.Record) int64 {
	switch d := rec.Data.(type) {
	case event.ModelRequested, event.ModelProfile:
		return 0
	case event.ModelReplied:
		if d.Purpose != "" || d.Text == "" {
			return 0
		}
	case event.ModelFailed:
		if d.Purpose == "" && d.Partial != "" {
			return 2
		}
	case event.RunFinished, event.RunFailed, event.RunSuspended:
		if ends(rec) {
			return 1 + int64(len(f.prompts))
		}
	default:
	}
	return 1
}

// ends reports whether a record is the end of the turn that prompts began. A turn
// that waits for the user, or that the end of the server broke off, goes on.
func ends(rec event.Record) bool {
	switch d := rec.Data.(type) {
	case event.RunFinished, event.RunFailed:
		return true
	case event.RunSuspended:
		return d.Cause == event.SuspendInterrupt && d.By == event.PersonName
	default:
		return false
	}
}

// apply takes in a stored record.
func (f *fold) apply(rec event.Record) {
	f.seq += f.count(rec)
	f.record = rec.Seq
	switch d := rec.Data.(type) {
	case event.RunStarted:
		f.trace = d.TraceID
	case event.MessageSent:
		if id, ok := promptOf(d); ok && !slices.Contains(f.prompts, id) {
			f.prompts = append(f.prompts, id)
		}
	case event.ToolHanded:
		f.closeCall(rec.Agent, d.CallID) // a call that came again
		f.calls = append(f.calls, openCall{rec.Agent, f.seq, d})
	case event.ToolReturned:
		f.closeCall(rec.Agent, d.CallID)
	case event.ToolFinished:
		f.closeCall(rec.Agent, d.CallID)
	default: // changes nothing of it
	}
	if ends(rec) {
		f.prompts = nil
	}
}

// promptOf is the id of the prompt that a message is; ok is false if it is none.
func promptOf(d event.MessageSent) (id string, ok bool) {
	if d.From != event.Person {
		return "", false
	}
	return strings.CutPrefix(d.RequestID, promptMark)
}

func (f *fold) closeCall(agent, call string) {
	f.calls = slices.DeleteFunc(f.calls, func(c openCall) bool { return c.agent == agent && c.CallID == call })
}
