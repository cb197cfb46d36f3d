package event

import "encoding/json"

// Model kinds of a run, for [RunStarted.ModelKind].
const (
	ModelReal     = "real"
	ModelScripted = "scripted"
)

// RunStarted is the header of a log, always seq 1.
type RunStarted struct {
	RunID     string          `json:"run_id"`
	TeamName  string          `json:"team_name,omitempty"`
	Team      json.RawMessage `json:"team,omitempty"` // the whole resolved team, without keys
	Task      string          `json:"task"`
	TraceID   string          `json:"trace_id,omitempty"` // W3C trace id, 32 hex digits
	Program   string          `json:"program,omitempty"`  // version of the program
	ModelKind string          `json:"model_kind"`         // ModelReal or ModelScripted
	Lang      string          `json:"lang,omitempty"`     // language of the prompts: "zh" or "en"
	WorkDir   string          `json:"work_dir,omitempty"` // folder of the tools, as an absolute path of the machine that began the run
	Redact    []string        `json:"redact,omitempty"`   // regular expressions of what must not stand in the log
	// Meta is a JSON object in which the program that began the run notes what it
	// wants to know of it, such as whose it is; the runtime does not look at it.
	Meta json.RawMessage `json:"meta,omitempty"`
	// RequestID names the command that began the run, as its sender did, so that
	// the same command has its effect once.
	RequestID string  `json:"request_id,omitempty"`
	Fork      *Origin `json:"fork,omitempty"`   // where a forked run came from
	Import    *Import `json:"import,omitempty"` // set when another system recorded the run
}

// Origin names the record of another run up to which a fork copied it, and those that it edited.
type Origin struct {
	RunID  string  `json:"run_id"`
	Seq    int64   `json:"seq"`
	Edited []int64 `json:"edited,omitempty"`
}

// Import names the transcript of another system that a run was read from. Such
// a run is there to be looked at: no program of ours took part in it.
type Import struct {
	Format string `json:"format"`         // "openai" or "claude-code"
	File   string `json:"file,omitempty"` // the name of its file
	ID     string `json:"id,omitempty"`   // what the other system calls it
}

// Causes of a suspension, for [RunSuspended.Cause].
const (
	SuspendInterrupt = "interrupt"
	SuspendQuestion  = "question" // to the person
	SuspendApproval  = "approval"
)

// RunSuspended says that the run waits for a person and can be resumed.
type RunSuspended struct {
	Cause string `json:"cause"`        // one of the causes above
	ID    string `json:"id,omitempty"` // of the question or the approval
	By    string `json:"by,omitempty"` // who or what interrupted it
}

// RunResumed says that the run goes on.
type RunResumed struct {
	Task    string `json:"task,omitempty"`
	Program string `json:"program,omitempty"`
	// Team, Lang and WorkDir are as in the header, when they are others from here
	// on.
	Team    json.RawMessage `json:"team,omitempty"`
	Lang    string          `json:"lang,omitempty"`
	WorkDir string          `json:"work_dir,omitempty"`
	// RequestID names the command with the task, as in the header.
	RequestID string `json:"request_id,omitempty"`
}

// Resumed returns the header as it is after the run was resumed: with the team,
// the language and the folder that d tells of, if it does.
func (h RunStarted) Resumed(d RunResumed) RunStarted {
	if len(d.Team) > 0 {
		h.Team = d.Team
	}
	if d.Lang != "" {
		h.Lang = d.Lang
	}
	if d.WorkDir != "" {
		h.WorkDir = d.WorkDir
	}
	return h
}

// RunFinished says that the leader finished, or that a limit ended the run.
type RunFinished struct {
	Answer     string `json:"answer"`
	Partial    bool   `json:"partial,omitempty"`
	Limit      string `json:"limit,omitempty"` // the limit that was reached, when Partial
	Usage      Usage  `json:"usage"`
	Cost       *Cost  `json:"cost,omitempty"`
	DurationMS int64  `json:"duration_ms"`
}

// RunFailed says that the run ended for a reason of its own.
type RunFailed struct {
	Failure    Failure `json:"failure"`
	Answer     string  `json:"answer,omitempty"` // what the leader had said so far
	Usage      Usage   `json:"usage"`
	Cost       *Cost   `json:"cost,omitempty"`
	DurationMS int64   `json:"duration_ms"`
}
