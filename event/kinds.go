package event

import (
	"encoding/json"
	"time"
)

// Type is the name of a record type, for example "message.sent".
type Type string

// Live reports whether records of this type are handed to followers only and
// never stored.
func (t Type) Live() bool {
	return t == TypeModelDelta || t == TypeModelThinking || t == TypeToolOutput
}

// Data is what a record says. The set is closed: the structs of this file and of
// kinds_run.go, and [Unknown], which keeps the types that a newer version wrote.
//
//sumtype:decl
type Data interface {
	// Type is the name in the log.
	Type() Type
	data()
}

// The type names: of the run, its agents, messages, questions, models, tools,
// people and limits; those that are live only are last.
const (
	TypeRunStarted        Type = "run.started"
	TypeRunSuspended      Type = "run.suspended"
	TypeRunResumed        Type = "run.resumed"
	TypeRunFinished       Type = "run.finished"
	TypeRunFailed         Type = "run.failed"
	TypeAgentCreated      Type = "agent.created"
	TypeAgentState        Type = "agent.state"
	TypeAgentStopping     Type = "agent.stopping"
	TypeTurnEnded         Type = "turn.ended"
	TypeRoleCreated       Type = "role.created"
	TypeMessageSent       Type = "message.sent"
	TypeMessageDelivered  Type = "message.delivered"
	TypeMessageReturned   Type = "message.returned"
	TypeQuestionOpened    Type = "question.opened"
	TypeQuestionClosed    Type = "question.closed"
	TypeModelRequested    Type = "model.requested"
	TypeModelReplied      Type = "model.replied"
	TypeModelRetried      Type = "model.retried"
	TypeModelFailed       Type = "model.failed"
	TypeModelProfile      Type = "model.profile"
	TypeHistoryCompacted  Type = "history.compacted"
	TypeToolStarted       Type = "tool.started"
	TypeToolFinished      Type = "tool.finished"
	TypeToolHanded        Type = "tool.handed"
	TypeToolReturned      Type = "tool.returned"
	TypeApprovalRequested Type = "approval.requested"
	TypeApprovalDecided   Type = "approval.decided"
	TypeArtifactCreated   Type = "artifact.created"
	TypeLimitWarned       Type = "limit.warned"
	TypeLimitReached      Type = "limit.reached"
	TypeWarning           Type = "warning"
	TypeModelDelta        Type = "model.delta"
	TypeModelThinking     Type = "model.thinking"
	TypeToolOutput        Type = "tool.output"
)

// AgentCreated says that an agent exists; the record's Agent is its id.
type AgentCreated struct {
	Name     string   `json:"name"` // display name, "UI Operator_1"
	Role     string   `json:"role"` // role id; "tl" for the leader
	Code     string   `json:"code"` // short code in message ids
	Parent   string   `json:"parent,omitempty"`
	Prompt   string   `json:"prompt"` // the system prompt
	Tools    []string `json:"tools"`  // names, in the order the model sees
	Model    string   `json:"model"`  // provider/model
	Scripted bool     `json:"scripted,omitempty"`
	CallID   string   `json:"call,omitempty"` // the tool call that created it
	// Remote says where it works when that is not here: "streams/weather_agent".
	Remote string `json:"remote,omitempty"`
	// Lent is what of it another Troupe lends, if one does.
	Lent *Loan `json:"lent,omitempty"`
}

// AgentState is a move of the agent's state machine.
type AgentState struct {
	From  State  `json:"from"`
	To    State  `json:"to"`
	Cause string `json:"cause,omitempty"` // why, in a few words; for waiting: what for
}

// AgentStopping says that somebody wants the record's agent to stop; it does so
// when its step allows.
type AgentStopping struct {
	Mode   string `json:"mode"` // [StopSoft], [StopNow] or [StopTerminate]
	By     string `json:"by"`   // display name of who wants it
	Reason string `json:"reason,omitempty"`
}

// The ways to stop an agent, for [AgentStopping.Mode].
const (
	StopSoft      = "soft"      // after the step
	StopNow       = "now"       // at once
	StopTerminate = "terminate" // at once, and for good
)

// TurnEnded ends a turn.
type TurnEnded struct {
	Reason  Reason   `json:"reason"`
	Limit   string   `json:"limit,omitempty"`   // the limit, when Reason is EndLimit
	Failure *Failure `json:"failure,omitempty"` // what failed, when Reason is EndFailed
}

// RoleCreated says that the leader made a role for this run.
type RoleCreated struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Code   string   `json:"code"`
	Does   string   `json:"does"`
	Prompt string   `json:"prompt,omitempty"`
	Tools  []string `json:"tools,omitzero"` // nil: the usual ones
	Model  string   `json:"model,omitempty"`
	CallID string   `json:"call,omitempty"`
}

// MessageSent says that a message was accepted for delivery; the record's
// Agent is the sender. An answer is never delivered as a message: it has no
// MessageSent, [QuestionClosed] carries it.
type MessageSent struct {
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	From     string `json:"from"`      // agent id of the sender
	FromName string `json:"from_name"` // its display name, as in the message text
	To       string `json:"to"`        // agent id of the receiver
	Content  string `json:"content"`
	// Reason is set on completions: why the turn ended that they report.
	Reason Reason `json:"reason,omitempty"`
	// CallID is the tool call that sent it, empty for natural output.
	CallID string `json:"call,omitempty"`
	// RequestID names the command by which the person sent it, as in the header.
	RequestID string `json:"request_id,omitempty"`
}

// MessageDelivered says that a message entered the conversation of the
// record's agent.
type MessageDelivered struct {
	ID string `json:"id"`
	// Step is the step of the turn, from 1, whose request is the first to
	// have it.
	Step int `json:"step"`
}

// MessageReturned says that a message will never be delivered; the record's
// Agent is the sender it went back to.
type MessageReturned struct {
	ID  string `json:"id"`
	To  string `json:"to"` // the receiver that never got it
	Why string `json:"why"`
}

// QuestionOpened says that From waits for To; its text is the message of the
// same id.
type QuestionOpened struct {
	ID       string    `json:"id"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Reply    bool      `json:"reply,omitempty"` // a note whose reply is the next natural output
	Deadline time.Time `json:"deadline,omitzero"`
	CallID   string    `json:"call,omitempty"`
}

// QuestionClosed ends a question, once.
type QuestionClosed struct {
	ID       string  `json:"id"`
	Outcome  Outcome `json:"outcome"`
	From     string  `json:"from,omitempty"` // who answered
	AnswerID string  `json:"answer_id,omitempty"`
	Text     string  `json:"text,omitempty"` // the answer, or the partial text
	// Detail says more about an outcome without an answer, in words: the
	// circle of a refused ask, the error of a failed addressee.
	Detail string `json:"detail,omitempty"`
}

// PurposeSummary marks a model call whose reply is a summary of older steps:
// it never enters a conversation and is not the agent's output. It is followed
// by [HistoryCompacted].
const PurposeSummary = "summary"

// ModelRequested says that a request goes to the model.
type ModelRequested struct {
	Step     int    `json:"step"` // step of the turn, from 1
	Model    string `json:"model"`
	Digest   string `json:"digest"`             // SHA-256 of the exact request, hex
	Messages int    `json:"messages"`           // length of the conversation sent
	Reserved int    `json:"reserved,omitempty"` // tokens reserved for it
	// ReservedCost is the money reserved for it, when prices are known.
	ReservedCost *Cost `json:"reserved_cost,omitempty"`
	WrapUp       bool  `json:"wrap_up,omitempty"` // the last request of a turn at a limit, without tools
	// Purpose is empty for a step of the conversation, else [PurposeSummary].
	Purpose string `json:"purpose,omitempty"`
}

// ModelReplied is the model's whole reply.
type ModelReplied struct {
	Step       int    `json:"step"`
	Model      string `json:"model,omitempty"` // that answered: another than the one asked after a fallback
	Text       string `json:"text,omitempty"`
	Reasoning  string `json:"reasoning,omitempty"`
	Calls      []Call `json:"calls,omitempty"`
	Extra      string `json:"extra,omitempty"` // what else goes back with the reply: JSON of package model
	Finish     Finish `json:"finish"`
	RawFinish  string `json:"raw_finish,omitempty"` // the provider's word, when it is another
	Usage      Usage  `json:"usage"`
	Cost       *Cost  `json:"cost,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	Purpose    string `json:"purpose,omitempty"` // that of the request
}

// ModelRetried says that a call is tried again after a wait.
type ModelRetried struct {
	Attempt int     `json:"attempt"` // the attempt that failed, from 1
	WaitMS  int64   `json:"wait_ms"`
	Failure Failure `json:"failure"`
}

// Codes of [Failure] of calls that were cut short from our side: the turn goes
// on, or ends for another reason.
const (
	CodeCancelled   = "cancelled"   // the agent was stopped or the run interrupted
	CodeInterrupted = "interrupted" // the program ended during the call; said on resume
)

// ModelFailed says that a call failed for good.
type ModelFailed struct {
	Step    int     `json:"step"`
	Model   string  `json:"model,omitempty"` // that failed last
	Failure Failure `json:"failure"`
	Partial string  `json:"partial,omitempty"` // text that came before the failure
	Usage   Usage   `json:"usage,omitzero"`
	Cost    *Cost   `json:"cost,omitempty"`
	Purpose string  `json:"purpose,omitempty"` // that of the request
}

// ModelProfile says that a switch of the endpoint's profile was changed for this run.
type ModelProfile struct {
	Endpoint string `json:"endpoint"`
	Switch   string `json:"switch"`
	Value    string `json:"value"`
	Why      string `json:"why"`
}

// HistoryCompacted says that older steps were folded into a summary. The
// conversation is then the system prompt, the summary as a message of the
// runtime, the pinned messages and the kept ones.
type HistoryCompacted struct {
	ID      string `json:"id"`      // of the message that the summary is
	Summary string `json:"summary"` // its content
	Kept    int    `json:"kept"`    // messages kept as they are, from the end
	Dropped int    `json:"dropped"` // messages replaced by the summary
	// Pinned are the ids of older messages that stay too: questions that are
	// still open.
	Pinned []string `json:"pinned,omitempty"`
}

// ToolStarted says that a tool call runs.
type ToolStarted struct {
	CallID    string `json:"call"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	RequestID string `json:"request_id"` // the same when the call is repeated after a crash
}

// ToolFinished is the one result of a tool call.
type ToolFinished struct {
	CallID     string `json:"call"`
	Name       string `json:"name"`
	Result     string `json:"result"` // what the model reads, also when IsError
	IsError    bool   `json:"is_error,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	// File has the whole result when Result is its beginning and end only; the
	// path is from the folder of the log, with slashes. Bytes is its size.
	File  string `json:"file,omitempty"`
	Bytes int64  `json:"bytes,omitempty"`
}

// ToolHanded says that a tool call, which had leave, is for the person's client
// to execute; the record's Agent waits for what comes of it.
type ToolHanded struct {
	CallID    string `json:"call"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	TimeoutMS int64  `json:"timeout_ms,omitempty"` // how long it waits each time; 0 means for ever
}

// ToolReturned is what came of a call that was handed over, once; the record's
// Agent is the one whose call it is.
type ToolReturned struct {
	CallID  string `json:"call"`
	Result  string `json:"result"` // what the model reads, also when IsError
	IsError bool   `json:"is_error,omitempty"`
	By      string `json:"by"` // [Person], or [Runtime] when nothing came
}

// ApprovalRequested asks a person for leave to run a tool call.
type ApprovalRequested struct {
	ID        string `json:"id"`
	CallID    string `json:"call"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Rule      string `json:"rule,omitempty"` // would allow it another time; empty if none could
}

// Decisions about an approval, for [ApprovalDecided.Decision].
const (
	DecisionAllow = "allow"
	DecisionDeny  = "deny"
)

// ApprovalDecided is the decision about an approval, once; the record's Agent
// is the one whose call it is.
type ApprovalDecided struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`     // DecisionAllow or DecisionDeny
	By       string `json:"by,omitempty"` // who decided: the person or the runtime
	Reason   string `json:"reason,omitempty"`
	Rule     string `json:"rule,omitempty"` // allows such calls for the rest of the run
	// Offline says that no program ran the call then: it runs when the run is
	// resumed.
	Offline bool `json:"offline,omitempty"`
}

// ArtifactCreated names a file that an agent wrote.
type ArtifactCreated struct {
	Path   string `json:"path"` // relative to the run's working folder, with slashes
	Bytes  int64  `json:"bytes"`
	CallID string `json:"call,omitempty"`
}

// LimitWarned says that a limit is nearly reached.
type LimitWarned struct {
	Limit string  `json:"limit"` // the key in the team file, for example "steps"
	Used  float64 `json:"used"`
	Max   float64 `json:"max"`
}

// LimitReached says that a limit was reached.
type LimitReached struct {
	Limit string  `json:"limit"`
	Used  float64 `json:"used"`
	Max   float64 `json:"max"`
}

// Warning tells of something odd that did not stop the run.
type Warning struct {
	Code string `json:"code"` // a short stable word
	Text string `json:"text"`
}

// ModelDelta is a piece of the reply's text, live only.
type ModelDelta struct {
	Step   int    `json:"step"`
	Offset int    `json:"offset"` // where it begins in the text, in bytes
	Text   string `json:"text"`
}

// ModelThinking is a piece of the reply's reasoning, live only.
type ModelThinking struct {
	Step   int    `json:"step"`
	Offset int    `json:"offset"` // where it begins in the reasoning, in bytes
	Text   string `json:"text"`
}

// ToolOutput is a piece of a running tool's output, live only.
type ToolOutput struct {
	CallID string `json:"call"`
	Text   string `json:"text"`
}

// Unknown is a record of a type that this version does not know; it is kept
// and written back unchanged.
type Unknown struct {
	Name Type
	JSON json.RawMessage
}

// Type returns the name in the log; see [Data].
func (RunStarted) Type() Type        { return TypeRunStarted }
func (RunSuspended) Type() Type      { return TypeRunSuspended }
func (RunResumed) Type() Type        { return TypeRunResumed }
func (RunFinished) Type() Type       { return TypeRunFinished }
func (RunFailed) Type() Type         { return TypeRunFailed }
func (AgentCreated) Type() Type      { return TypeAgentCreated }
func (AgentState) Type() Type        { return TypeAgentState }
func (AgentStopping) Type() Type     { return TypeAgentStopping }
func (TurnEnded) Type() Type         { return TypeTurnEnded }
func (RoleCreated) Type() Type       { return TypeRoleCreated }
func (MessageSent) Type() Type       { return TypeMessageSent }
func (MessageDelivered) Type() Type  { return TypeMessageDelivered }
func (MessageReturned) Type() Type   { return TypeMessageReturned }
func (QuestionOpened) Type() Type    { return TypeQuestionOpened }
func (QuestionClosed) Type() Type    { return TypeQuestionClosed }
func (ModelRequested) Type() Type    { return TypeModelRequested }
func (ModelReplied) Type() Type      { return TypeModelReplied }
func (ModelRetried) Type() Type      { return TypeModelRetried }
func (ModelFailed) Type() Type       { return TypeModelFailed }
func (ModelProfile) Type() Type      { return TypeModelProfile }
func (HistoryCompacted) Type() Type  { return TypeHistoryCompacted }
func (ToolStarted) Type() Type       { return TypeToolStarted }
func (ToolFinished) Type() Type      { return TypeToolFinished }
func (ToolHanded) Type() Type        { return TypeToolHanded }
func (ToolReturned) Type() Type      { return TypeToolReturned }
func (ApprovalRequested) Type() Type { return TypeApprovalRequested }
func (ApprovalDecided) Type() Type   { return TypeApprovalDecided }
func (ArtifactCreated) Type() Type   { return TypeArtifactCreated }
func (LimitWarned) Type() Type       { return TypeLimitWarned }
func (LimitReached) Type() Type      { return TypeLimitReached }
func (Warning) Type() Type           { return TypeWarning }
func (ModelDelta) Type() Type        { return TypeModelDelta }
func (ModelThinking) Type() Type     { return TypeModelThinking }
func (ToolOutput) Type() Type        { return TypeToolOutput }
func (u Unknown) Type() Type         { return u.Name }

func (RunStarted) data()        {}
func (RunSuspended) data()      {}
func (RunResumed) data()        {}
func (RunFinished) data()       {}
func (RunFailed) data()         {}
func (AgentCreated) data()      {}
func (AgentState) data()        {}
func (AgentStopping) data()     {}
func (TurnEnded) data()         {}
func (RoleCreated) data()       {}
func (MessageSent) data()       {}
func (MessageDelivered) data()  {}
func (MessageReturned) data()   {}
func (QuestionOpened) data()    {}
func (QuestionClosed) data()    {}
func (ModelRequested) data()    {}
func (ModelReplied) data()      {}
func (ModelRetried) data()      {}
func (ModelFailed) data()       {}
func (ModelProfile) data()      {}
func (HistoryCompacted) data()  {}
func (ToolStarted) data()       {}
func (ToolFinished) data()      {}
func (ToolHanded) data()        {}
func (ToolReturned) data()      {}
func (ApprovalRequested) data() {}
func (ApprovalDecided) data()   {}
func (ArtifactCreated) data()   {}
func (LimitWarned) data()       {}
func (LimitReached) data()      {}
func (Warning) data()           {}
func (ModelDelta) data()        {}
func (ModelThinking) data()     {}
func (ToolOutput) data()        {}
func (Unknown) data()           {}
