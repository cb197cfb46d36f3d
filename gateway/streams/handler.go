package streams

import (
	"context"
	"encoding/json"
	"errors"
)

// Handler does the work of a worker. Tasks run at the same time; a task has at
// most one run at a time.
//
// A method returns when the run has ended or the task waits: no state may stay
// in memory between two runs of a task, which may be on different machines. An
// error is the task's failure. When ctx ends, its cause tells why: ErrCancelled,
// ErrHandedBack or ErrLeaseLost; the method then returns soon, with an error if
// the task is not done.
type Handler interface {
	// Start begins a task, or with Again goes on with one whose worker is gone.
	Start(ctx context.Context, t Task, out *Sink) (Outcome, error)
	// Resume goes on with a task that waited.
	Resume(ctx context.Context, t Task, out *Sink) (Outcome, error)
	// Cancel ends a task that waits and has no run.
	Cancel(ctx context.Context, t Task) error
}

// AgentHandler runs single agents for the teams of other Troupes: tasks with
// [Task.Agent] set.
type AgentHandler interface {
	Handler
	// Tell passes on what the team that has the agent says while a run of its
	// task is here: a Resume on the worker's own stream with t.Extra "troupe".
	// When it returns false the run does not take it any more, and it becomes the
	// next run of the task, or nothing when that has ended. The same t.Key may
	// come again.
	Tell(ctx context.Context, t Task) (taken bool)
}

// Why the context of a run ends.
var (
	ErrCancelled  = errors.New("streams: the task was cancelled")
	ErrHandedBack = errors.New("streams: the worker stops and hands the task back")
	ErrLeaseLost  = errors.New("streams: the worker has lost its lease")
)

// Task is what a run is about.
type Task struct {
	ExecutionID string
	MessageID   string // the task's name for everybody
	// Key is the same when the same command comes again: the effect of a
	// command can be noted under it.
	Key string
	// Again says that a run of this command may have begun before, and ended
	// with its worker.
	Again bool
	// Header is that of the command; ParentMessageID and SourceAgentType are
	// the child's when it is the reply of one.
	Header Header
	// Request is the header of the command that made the task.
	Request Header
	Content Content
	Extra   Values
	// Agent is extra_payload.troupe of the request: the agent of another
	// Troupe's team whose task it is. Nil for the task of a whole team.
	Agent json.RawMessage
	// Status and ReplyData are those of a reply; empty otherwise.
	Status    string
	ReplyData json.RawMessage
	// Results are those of a group by the child's message id; nil otherwise.
	Results map[string]GroupResult
	// CancelReason is why the task is cancelled, for Cancel.
	CancelReason string
}

// Outcome is how a run ended without an error. The zero value is the end of
// the task without an answer.
type Outcome struct {
	// Wait is WaitingUser, WaitingAgent or GroupQueued for a task that waits,
	// "" for one that is done.
	Wait Status
	// Question is what the user is asked; with WaitingUser. It is written
	// together with the state, so no answer can come before.
	Question string
	// Answer is the final answer for readers, and the reply to a caller.
	Answer string
	// ReplyData is any JSON for a caller; nil for the answer as a text.
	ReplyData json.RawMessage
	// Metadata is sent over that of the request to a caller.
	Metadata Values
	Extra    Values
}
