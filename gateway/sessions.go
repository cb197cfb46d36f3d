package gateway

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/troupe-go/troupe/event"
)

// Sessions is what gateways need of the runs of the process. A session is a
// conversation of one user with a team, kept in one log; each prompt to a team at
// rest begins a turn in it. Methods are safe for concurrent use.
//
// All but Open name a session by what Open returned. An error has the method
// Failure() event.Failure; [ErrorOf] turns it into what a client is told.
type Sessions interface {
	// Open returns the handle of the session that the user calls name, and the
	// seq of the newest record of its log, 0 when nothing was asked of it yet. It
	// begins nothing and takes no memory. Names of one user are not those of
	// another: no user reaches what another one began.
	Open(ctx context.Context, user, name string) (session string, last int64, err error)
	// Submit gives the team a prompt: it begins a turn, or goes to the leader
	// when one is under way. id names the command, as its sender does, and stands
	// in the record that it causes; a prompt with an id that the session has had
	// is not given again and succeeds: work that the end of a process cut short
	// goes on then, else nothing changes. It may be empty. The settings (see
	// [SettingModel]) of the first prompt are kept with the session; those of a
	// later one are put over them for the turn that it begins.
	//
	// It returns when the prompt stands in the log. [CodeFull] says that too many
	// sessions work.
	Submit(ctx context.Context, session, id, text string, settings map[string]string) error
	// Tell puts a message into an agent's conversation; agent is an id or a
	// display name, id is as for Submit. It fails with [CodeRest] when no turn is
	// under way.
	Tell(ctx context.Context, session, id, agent, text string) error
	// Answer answers a question to the person, and goes on with a run that was
	// suspended for it.
	Answer(ctx context.Context, session, question, text string) error
	// Approve decides about a tool call that waits for leave: ID, Decision and
	// Reason of d count. With the Rule that the approval offers, such calls are
	// allowed for the rest of the run. It goes on with a suspended run, as Answer.
	Approve(ctx context.Context, session string, d event.ApprovalDecided) error
	// ToolResult brings what the client made of a call that was handed to it
	// ([event.ToolHanded]) of an agent: CallID, Result and IsError of d count. It
	// returns when the result stands in the log, and fails with [CodeNoCall] for a
	// call that is not open: it never was, has its result, or took too long.
	ToolResult(ctx context.Context, session, agent string, d event.ToolReturned) error
	// Stop stops an agent, or the team when agent is empty; mode is one of
	// [event.StopSoft], [event.StopNow] and [event.StopTerminate]. A team that
	// stops softly finishes its step, and the next prompt goes on with all
	// that was under way. The other modes cut it short and end the turns of the
	// sub-agents, so that the next prompt finds only the leader at work. Stop does
	// not wait for the end; a team at rest stays as it is.
	Stop(ctx context.Context, session, agent, mode string) error
	// Agents tells what each agent does, the leader first: a JSON array of
	// objects with id, name, role, state, since, waits_for, tools, unread, model,
	// turns, steps, usage and cost.
	Agents(ctx context.Context, session string) (json.RawMessage, error)
	// Records yields the records of the session's log with Seq > after, in order,
	// up to its end. A session without a log has none. An error is yielded last.
	Records(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error]
	// Follow yields the records with Seq > after and waits for new ones, from one
	// turn to the next without a gap; between them come live records (Seq 0). A
	// slow reader lags and loses no record. It ends with the cause of ctx, or with
	// [CodeClosed] when the sessions close, after all records.
	Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Record, error]
}

// Keys of the settings of [Sessions.Submit]. Others are kept with the session and
// mean nothing.
const (
	SettingModel   = "model"           // provider/model, in place of the team's
	SettingWorkDir = "work_dir"        // absolute path of the folder in which the team works
	SettingProject = event.NoteProject // the client's own name for what it works on
	// SettingTools are tools that the client executes: a JSON array of objects with
	// name, description and parameters (a JSON Schema). All agents get them; those
	// that are there already keep the tools that they began with.
	SettingTools = "tools"
	// SettingTrace is the trace to which a session belongs that begins with the
	// prompt: 32 hex digits, as W3C has them.
	SettingTrace = "trace_id"
)
