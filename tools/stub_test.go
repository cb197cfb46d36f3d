package tools_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/tools"
)

// echo implements Team and Peers: it returns the method and its arguments.
type echo struct{}

func say(method string, args any) (string, error) { return fmt.Sprintf("%s %+v", method, args), nil }

func (echo) CreateSubAgent(_ context.Context, _ tools.Call, in tools.CreateSubAgentArgs) (string, error) {
	return say("CreateSubAgent", in)
}

func (echo) SendMessage(_ context.Context, _ tools.Call, in tools.SendMessageArgs) (string, error) {
	return say("SendMessage", in)
}

func (echo) AskSubAgent(_ context.Context, _ tools.Call, in tools.AskSubAgentArgs) (string, error) {
	return say("AskSubAgent", in)
}

func (echo) AnswerQuestion(_ context.Context, _ tools.Call, in tools.AnswerArgs) (string, error) {
	return say("AnswerQuestion", in)
}

func (echo) WaitOutput(_ context.Context, _ tools.Call, in tools.WaitOutputArgs) (string, error) {
	return say("WaitOutput", in)
}

func (echo) StopSubAgent(_ context.Context, _ tools.Call, in tools.StopArgs) (string, error) {
	return say("StopSubAgent", in)
}

func (echo) TerminateSubAgent(_ context.Context, _ tools.Call, in tools.StopArgs) (string, error) {
	return say("TerminateSubAgent", in)
}

func (echo) CreateCustomAgent(_ context.Context, _ tools.Call, in tools.CreateCustomAgentArgs) (string, error) {
	return say("CreateCustomAgent", in)
}

func (echo) ListRoles(context.Context, tools.Call) (string, error) { return say("ListRoles", nil) }

func (echo) ListActive(context.Context, tools.Call) (string, error) { return say("ListActive", nil) }

func (echo) AgentStatus(_ context.Context, _ tools.Call, in tools.AgentStatusArgs) (string, error) {
	return say("AgentStatus", in)
}

func (echo) AskUser(_ context.Context, _ tools.Call, in tools.AskUserArgs) (string, error) {
	return say("AskUser", in)
}

func (echo) AskMaster(_ context.Context, _ tools.Call, in tools.AskMasterArgs) (string, error) {
	return say("AskMaster", in)
}

func (echo) AskOther(_ context.Context, _ tools.Call, in tools.AskOtherArgs) (string, error) {
	return say("AskOther", in)
}

func (echo) AnswerOther(_ context.Context, _ tools.Call, in tools.AnswerArgs) (string, error) {
	return say("AnswerOther", in)
}
