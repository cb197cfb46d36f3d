package leader

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/event"
)

// Status says how a run ended.
type Status string

// The ways in which a run ends.
const (
	StatusFinished  Status = "finished"  // the leader finished
	StatusPartial   Status = "partial"   // a limit ended it; Result.Limit names it
	StatusFailed    Status = "failed"    // see the error
	StatusSuspended Status = "suspended" // interrupted, or waits for a person; can be resumed
)

// Result is what a run brought.
type Result struct {
	RunID     string        `json:"run_id"`
	Status    Status        `json:"status"`
	Answer    string        `json:"answer"`          // the leader's last natural output
	Limit     string        `json:"limit,omitempty"` // the limit that ended the run
	Usage     event.Usage   `json:"usage"`
	Cost      *event.Cost   `json:"cost,omitempty"` // nil: unknown, no prices were given
	Duration  time.Duration `json:"duration_ns"`
	Artifacts []string      `json:"artifacts,omitempty"` // files that agents wrote, relative to the working folder
	Log       string        `json:"log,omitempty"`       // path of the log, empty when it is in memory
	Scripted  bool          `json:"scripted,omitempty"`  // a script answered, no model
}

// Error says why a run failed, or why something asked of it cannot be done.
type Error struct {
	// Failure has the code, who is to blame, whether it may work later, the
	// words and a hint.
	event.Failure
	// Agent is the agent at fault and Seq the last record of the log when it
	// happened; both may be empty.
	Agent string
	Seq   int64
	// Err is the cause, may be nil.
	Err error
}

// Error is the message with the agent and the hint.
func (e *Error) Error() string {
	text := e.Message
	if e.Agent != "" {
		text = fmt.Sprintf("%s: %s", e.Agent, text)
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return "leader: " + text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
