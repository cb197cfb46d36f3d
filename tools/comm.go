package tools

import (
	"context"
	"strconv"
	"time"
)

// callFunc is the function behind a tool that comes with Troupe.
type callFunc[In any] = func(context.Context, Call, In) (string, error)

// noArgs are the arguments of a tool that takes none.
type noArgs struct{}

// LeaderTools returns the communication tools of a leader, in the order of
// [LeaderNames]. Descriptions are Chinese if lang is "zh", else English.
//
// Tools that send or change something are Ordered, so that the calls of a step
// take effect in the order in which the model wrote them; those that wait for
// others are Waits. All may be repeated after a crash: a call goes on with the
// question, the message or the agent that it had sent or made before.
func LeaderTools(t Team, langCode string) []Tool {
	l := lang(langCode)
	return []Tool{
		builtin("create_sub_agent", l, t.CreateSubAgent, Idempotent, Ordered(), NonBlank("role", "task")),
		builtin("send_message_to_sub_agent", l, t.SendMessage, Idempotent, Ordered(),
			NonBlank("agent", "message"), Enum("as", "message", "task")),
		builtin("ask_sub_agent", l, t.AskSubAgent, Idempotent, Ordered(), Waits(), NonBlank("agent", "question")),
		builtin("answer_sub_agent_question", l, t.AnswerQuestion, Idempotent, Ordered(), answers(), NonBlank("question_id", "answer")),
		builtin("wait_sub_agent_output", l, waitOutput(t, l), Pure, Waits(), Enum("until", "any", "all")),
		builtin("stop_sub_agent", l, t.StopSubAgent, Idempotent, Ordered(), NonBlank("agent")),
		builtin("terminate_sub_agent", l, t.TerminateSubAgent, Idempotent, Ordered(), NonBlank("agent")),
		builtin("create_custom_agent", l, t.CreateCustomAgent, Idempotent, Ordered(), NonBlank("name", "does", "prompt")),
		builtin("list_agents", l, without(t.ListRoles), Pure),
		builtin("list_active_sub_agents", l, without(t.ListActive), Pure),
		builtin("get_sub_agent_status", l, t.AgentStatus, Pure),
		builtin("ask_user", l, t.AskUser, Idempotent, Ordered(), Waits(), NonBlank("question")),
	}
}

// PeerTools returns the communication tools of a sub-agent, in the order of
// [PeerNames], by the rules of [LeaderTools].
func PeerTools(p Peers, langCode string) []Tool {
	l := lang(langCode)
	return []Tool{
		builtin("ask_master", l, p.AskMaster, Idempotent, Ordered(), Waits(), NonBlank("question")),
		builtin("ask_other_agent", l, p.AskOther, Idempotent, Ordered(), Waits(),
			NonBlank("agent", "question"), Enum("expects", "answer", "reply", "none")),
		builtin("answer_other_agent", l, p.AnswerOther, Idempotent, Ordered(), answers(), NonBlank("question_id", "answer")),
		builtin("list_active_sub_agents", l, without(p.ListActive), Pure),
	}
}

// RemoteTools returns the tools of a sub-agent that works elsewhere, in the
// order of [RemoteNames]: what it says there becomes calls of them.
func RemoteTools(p Peers, langCode string) []Tool {
	l := lang(langCode)
	return []Tool{
		builtin("ask_master", l, p.AskMaster, Idempotent, Ordered(), Waits(), NonBlank("question")),
		builtin("go_on", l, without(goOn), Pure, Waits()),
	}
}

// goOn tells an agent that its output was taken for progress.
func goOn(context.Context, Call) (string, error) { return "ok", nil }

// without makes a callFunc of a function that takes no arguments.
func without(fn func(context.Context, Call) (string, error)) callFunc[noArgs] {
	return func(ctx context.Context, call Call, _ noArgs) (string, error) { return fn(ctx, call) }
}

// waitOutput checks the timeout, whose form no schema tells, before it waits.
func waitOutput(t Team, l lang) callFunc[WaitOutputArgs] {
	return func(ctx context.Context, call Call, in WaitOutputArgs) (string, error) {
		if d, err := time.ParseDuration(in.Timeout); in.Timeout != "" && (err != nil || d <= 0) {
			return "", &ArgumentError{
				Argument: "timeout",
				Found:    strconv.Quote(excerpt(in.Timeout)),
				Want:     l.say(`a duration such as "90s" or "5m"`, `时长，例如 "90s" 或 "5m"`),
			}
		}
		return t.WaitOutput(ctx, call, in)
	}
}
