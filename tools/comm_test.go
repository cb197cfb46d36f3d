package tools_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tools"
)

func TestCommunicationToolsReachTheirMethod(t *testing.T) {
	leader := mustSet(t, tools.LeaderTools(echo{}, "en")...)
	peer := mustSet(t, tools.PeerTools(echo{}, "zh")...)
	tests := []struct {
		set                   tools.Set
		name, arguments, want string
	}{
		{leader, "create_sub_agent", `{"role":"uio","task":"t"}`, "CreateSubAgent {Role:uio Task:t}"},
		{leader, "send_message_to_sub_agent", `{"agent":"uio_1","message":"m"}`, "SendMessage {Agent:uio_1 Message:m As:}"},
		{leader, "send_message_to_sub_agent", `{"agent":"uio_1","message":"m","as":"task"}`, "SendMessage {Agent:uio_1 Message:m As:task}"},
		{leader, "send_message_to_sub_agent", `{"agent":"uio_1","message":"m","as":""}`, "SendMessage {Agent:uio_1 Message:m As:}"},
		{leader, "ask_sub_agent", `{"agent":"uio_1","question":"q"}`, "AskSubAgent {Agent:uio_1 Question:q}"},
		{leader, "answer_sub_agent_question", `{"question_id":"ask_uio_001","answer":"a"}`, "AnswerQuestion {QuestionID:ask_uio_001 Answer:a}"},
		{leader, "wait_sub_agent_output", ``, "WaitOutput {Agents:[] Until: Timeout:}"},
		{leader, "wait_sub_agent_output", `{"agents":["a","b"],"until":"all","timeout":"1m30s"}`, "WaitOutput {Agents:[a b] Until:all Timeout:1m30s}"},
		{leader, "stop_sub_agent", `{"agent":"uio_1","reason":"r"}`, "StopSubAgent {Agent:uio_1 Reason:r}"},
		{leader, "terminate_sub_agent", `{"agent":"uio_1"}`, "TerminateSubAgent {Agent:uio_1 Reason:}"},
		{leader, "create_custom_agent", `{"name":"n","does":"d","prompt":"p","tools":["read_file"]}`, "CreateCustomAgent {Name:n Does:d Prompt:p Tools:[read_file] Model:}"},
		{leader, "list_agents", `{}`, "ListRoles <nil>"},
		{leader, "list_active_sub_agents", `null`, "ListActive <nil>"},
		{leader, "get_sub_agent_status", `{"agents":["uio_1"]}`, "AgentStatus {Agents:[uio_1]}"},
		{peer, "ask_master", `{"question":"q"}`, "AskMaster {Question:q}"},
		{peer, "ask_other_agent", `{"agent":"fse_1","question":"q","expects":"none"}`, "AskOther {Agent:fse_1 Question:q Expects:none}"},
		{peer, "answer_other_agent", `{"question_id":"i","answer":"a"}`, "AnswerOther {QuestionID:i Answer:a}"},
		{peer, "list_active_sub_agents", ``, "ListActive <nil>"},
	}
	for _, test := range tests {
		got, err := test.set.Run(t.Context(), test.name, tools.Call{Arguments: []byte(test.arguments)})
		if got != test.want || err != nil {
			t.Errorf("%s %s: got %q, %v, want %q", test.name, test.arguments, got, err, test.want)
		}
	}
}

func TestCommunicationToolsRefuse(t *testing.T) {
	leader := mustSet(t, tools.LeaderTools(echo{}, "en")...)
	peer := mustSet(t, tools.PeerTools(echo{}, "en")...)
	tests := []struct {
		set                       tools.Set
		name, arguments, argument string
	}{
		{leader, "create_sub_agent", `{"role":"uio"}`, "task"},
		{leader, "create_sub_agent", `{"role":" ","task":"t"}`, "role"},
		{leader, "send_message_to_sub_agent", `{"agent":"a","message":"m","as":"note"}`, "as"},
		{leader, "send_message_to_sub_agent", `{"agent":"a","text":"m"}`, "text"},
		{leader, "answer_sub_agent_question", `{"question_id":"","answer":"a"}`, "question_id"},
		{leader, "wait_sub_agent_output", `{"agents":"a"}`, "agents"},
		{leader, "wait_sub_agent_output", `{"until":"first"}`, "until"},
		{leader, "wait_sub_agent_output", `{"timeout":"90"}`, "timeout"},
		{leader, "wait_sub_agent_output", `{"timeout":"-1s"}`, "timeout"},
		{leader, "wait_sub_agent_output", `{"timeout":90}`, "timeout"},
		{leader, "list_agents", `{"role":"x"}`, "role"},
		{peer, "ask_other_agent", `{"agent":"a","question":"q","expects":"silence"}`, "expects"},
		{peer, "ask_master", ``, ""},
	}
	for _, test := range tests {
		_, err := test.set.Run(t.Context(), test.name, tools.Call{Arguments: []byte(test.arguments)})
		bad, ok := errors.AsType[*tools.ArgumentError](err)
		if !ok || bad.Argument != test.argument || !strings.HasPrefix(bad.Signature, test.name+"(") {
			t.Errorf("%s %s: error %v, want one for argument %q", test.name, test.arguments, err, test.argument)
		}
	}
}
