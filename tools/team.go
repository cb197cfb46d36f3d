package tools

import (
	"context"
)

// Team is what the leader's communication tools need; package leader
// implements it. Each method returns the text that the model reads. Arguments
// were checked against the schema; agents are display names or ids, folded for
// case.
type Team interface {
	CreateSubAgent(ctx context.Context, call Call, in CreateSubAgentArgs) (string, error)
	SendMessage(ctx context.Context, call Call, in SendMessageArgs) (string, error)
	AskSubAgent(ctx context.Context, call Call, in AskSubAgentArgs) (string, error)
	AnswerQuestion(ctx context.Context, call Call, in AnswerArgs) (string, error)
	WaitOutput(ctx context.Context, call Call, in WaitOutputArgs) (string, error)
	StopSubAgent(ctx context.Context, call Call, in StopArgs) (string, error)
	TerminateSubAgent(ctx context.Context, call Call, in StopArgs) (string, error)
	CreateCustomAgent(ctx context.Context, call Call, in CreateCustomAgentArgs) (string, error)
	ListRoles(ctx context.Context, call Call) (string, error)
	ListActive(ctx context.Context, call Call) (string, error)
	AgentStatus(ctx context.Context, call Call, in AgentStatusArgs) (string, error)
	AskUser(ctx context.Context, call Call, in AskUserArgs) (string, error)
}

// Peers is what a sub-agent's communication tools need; the same conventions
// as for [Team].
type Peers interface {
	AskMaster(ctx context.Context, call Call, in AskMasterArgs) (string, error)
	AskOther(ctx context.Context, call Call, in AskOtherArgs) (string, error)
	AnswerOther(ctx context.Context, call Call, in AnswerArgs) (string, error)
	ListActive(ctx context.Context, call Call) (string, error)
}

// CreateSubAgentArgs are the arguments of create_sub_agent.
type CreateSubAgentArgs struct {
	Role string `json:"role"`
	Task string `json:"task"`
}

// SendMessageArgs are the arguments of send_message_to_sub_agent. As is
// "message" (also when empty) or "task".
type SendMessageArgs struct {
	Agent   string `json:"agent"`
	Message string `json:"message"`
	As      string `json:"as,omitempty"`
}

// AskSubAgentArgs are the arguments of ask_sub_agent.
type AskSubAgentArgs struct {
	Agent    string `json:"agent"`
	Question string `json:"question"`
}

// AnswerArgs are the arguments of answer_sub_agent_question and
// answer_other_agent.
type AnswerArgs struct {
	QuestionID string `json:"question_id"`
	Answer     string `json:"answer"`
}

// WaitOutputArgs are the arguments of wait_sub_agent_output. No agents means
// all that work; Until is "any" (also when empty) or "all"; Timeout is a
// duration such as "90s", empty for none of its own.
type WaitOutputArgs struct {
	Agents  []string `json:"agents,omitempty"`
	Until   string   `json:"until,omitempty"`
	Timeout string   `json:"timeout,omitempty"`
}

// StopArgs are the arguments of stop_sub_agent and terminate_sub_agent.
type StopArgs struct {
	Agent  string `json:"agent"`
	Reason string `json:"reason,omitempty"`
}

// CreateCustomAgentArgs are the arguments of create_custom_agent.
type CreateCustomAgentArgs struct {
	Name   string   `json:"name"`
	Does   string   `json:"does"`
	Prompt string   `json:"prompt"`
	Tools  []string `json:"tools,omitempty"`
	Model  string   `json:"model,omitempty"`
}

// AgentStatusArgs are the arguments of get_sub_agent_status; no agents means
// all.
type AgentStatusArgs struct {
	Agents []string `json:"agents,omitempty"`
}

// AskUserArgs are the arguments of ask_user. Options may be empty.
type AskUserArgs struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
}

// AskMasterArgs are the arguments of ask_master.
type AskMasterArgs struct {
	Question string `json:"question"`
}

// AskOtherArgs are the arguments of ask_other_agent. Expects is "answer" (also
// when empty), "reply" or "none".
type AskOtherArgs struct {
	Agent    string `json:"agent"`
	Question string `json:"question"`
	Expects  string `json:"expects,omitempty"`
}
