package streams

import (
	"encoding/json"
	"slices"
)

// Progress is what workers of Troupe note in a record, under a name of their
// own that other parties leave alone: whose work it is, what came meanwhile and
// what had its effect.
type Progress struct {
	// Request is the header of the command that made the task: the reply after
	// its last run needs it.
	Request *Header `json:"request,omitempty"`
	// Agent is extra_payload.troupe of that command; see [Task.Agent].
	Agent json.RawMessage `json:"agent,omitempty"`
	// Work is the command that is being worked on.
	Work *Work `json:"work,omitempty"`
	// Inbox holds the commands that came while the task ran.
	Inbox []Work `json:"inbox,omitempty"`
	// Done holds the keys of the commands that had their effect, oldest first.
	Done []string `json:"done,omitempty"`
	// ReplyDue says that the task has ended and its caller does not know yet.
	ReplyDue *Reply `json:"reply_due,omitempty"`
}

// Work is one command for a task.
type Work struct {
	Key     string          `json:"key"`               // what is the same when the command comes again
	Owner   string          `json:"owner,omitempty"`   // the token of the worker's lease
	Entry   string          `json:"entry,omitempty"`   // the entry that is acknowledged after it
	Command json.RawMessage `json:"command,omitempty"` // as it came
}

// Reply is what a caller is told about the end of a task.
type Reply struct {
	Status       string          `json:"status"`
	Content      Content         `json:"content,omitempty"`
	ReplyData    json.RawMessage `json:"reply_data,omitempty"`
	Metadata     Values          `json:"metadata,omitempty"`
	ExtraPayload Values          `json:"extra_payload,omitempty"`
}

// doneKept is how many keys of commands a record keeps: far more than can be
// delivered again at one time.
const doneKept = 256

// knows reports whether the command with that key had its effect, or waits to
// have it.
func (p *Progress) knows(key string) bool {
	if slices.Contains(p.Done, key) {
		return true
	}
	for _, w := range p.Inbox {
		if w.Key == key {
			return true
		}
	}
	return p.Work != nil && p.Work.Key == key
}

// finish notes that the work had its effect.
func (p *Progress) finish() {
	if p.Work == nil {
		return
	}
	p.Done = append(slices.Clip(p.Done), p.Work.Key)
	if extra := len(p.Done) - doneKept; extra > 0 {
		p.Done = p.Done[extra:]
	}
	p.Work = nil
}
