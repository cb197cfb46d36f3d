package event

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Version is the log version that this program writes, the field "v" of each
// record. Older versions stay readable.
const Version = 1

// Ids of the participants that are not sub-agents. A sub-agent's id is
// "{code}_{n}", for example "uio_1" (the mailbox protocol, section 2).
const (
	Leader  = "tl"   // the team leader
	Person  = "user" // the person who gave the task
	Runtime = "sys"  // Troupe itself: reminders, notices, undeliverable messages
)

// Display names of the participants that are not sub-agents.
const (
	LeaderName  = "Team Leader"
	PersonName  = "User"
	RuntimeName = "Troupe"
)

// Record is one line of the log: one thing that happened, at one place in the
// order of the run. Records are facts; nobody changes one after it was
// appended.
type Record struct {
	// V is the log version the record was written with; see [Version].
	V int
	// Seq is the position in the log, counted from 1 (the header). Zero marks
	// a live record, which is never stored.
	Seq int64
	// Time is when it was appended, in UTC.
	Time time.Time
	// Agent is the id of the agent it is about; empty for the run as a whole.
	Agent string
	// Turn counts the agent's turns from 1; 0 where no turn is meant.
	Turn int
	// Data says what happened; its type is one of those in kinds.go.
	Data Data

	// Raw is the line as it was read when it has fields that this version does
	// not know; encoding writes it back unchanged. It is nil for all others.
	Raw json.RawMessage
}

// Type is the record's type name, for example "message.sent".
func (r Record) Type() Type {
	if r.Data == nil {
		return ""
	}
	return r.Data.Type()
}

// Appender is the writing end of a log.
type Appender interface {
	// Append writes d as the next record and returns the record as it stands
	// in the log: texts may have been masked, so callers apply what comes back
	// and not what they passed. agent is an agent id, or empty for the run;
	// turn counts from 1, 0 where none is meant. An error means that nothing
	// was appended and that the run cannot go on safely.
	Append(agent string, turn int, d Data) (Record, error)
	// Live hands d to followers at the tail, with Seq 0, without storing it.
	// Only types for which [Type.Live] holds may be passed.
	Live(agent string, turn int, d Data)
}

// Source is the reading end of a log.
type Source interface {
	// Records yields the stored records with Seq > after, in order, and ends
	// at the current end of the log. An error is yielded last.
	Records(after int64) iter.Seq2[Record, error]
	// Follow yields the stored records with Seq > after, then waits for new
	// ones; between them come live records (Seq 0) that were handed over while
	// the reader stood at the tail. It ends without error when the log is
	// closed, and with the context's cause when ctx ends.
	Follow(ctx context.Context, after int64) iter.Seq2[Record, error]
}
