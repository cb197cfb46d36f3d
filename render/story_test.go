package render_test

import (
	"testing"
	"time"

	"github.com/troupe-go/troupe/event"
)

// story is a small run with everything in it that a person is shown: a leader,
// two workers, a question, an answer, steering, tools, a retry, a failure and
// a limit. The second number is the moment, in seconds after ten o'clock.
func story(t *testing.T) []event.Record {
	t.Helper()
	s := &storyteller{}
	usage := event.Usage{Input: 3000, CachedInput: 1000, Output: 120}
	cny := func(amount float64) *event.Cost { return &event.Cost{Currency: "CNY", Amount: amount} }
	busy := event.Failure{Code: "rate_limit", Who: "server", Retryable: true, Message: "429 Too Many Requests"}
	gone := event.Failure{Code: "server", Who: "server", Message: "502 Bad Gateway", Hint: "troupe resume r_7k3m"}

	s.add(0, "", 0, event.RunStarted{RunID: "r_7k3m", TeamName: "signup-page", Task: "设计注册页并写接口文档", ModelKind: event.ModelReal})
	s.add(0, "tl", 0, event.AgentCreated{Name: "Team Leader", Role: "tl", Code: "tl", Model: "deepseek/deepseek-chat"})
	s.add(0, "user", 0, event.MessageSent{ID: "msg_user_001", Kind: event.Note, From: "user", FromName: "User", To: "tl", Content: "设计注册页并写接口文档"})
	s.add(0, "tl", 1, event.AgentState{From: event.Created, To: event.Working, Cause: "message"})
	s.add(0, "tl", 1, event.MessageDelivered{ID: "msg_user_001", Step: 1})
	s.add(0, "tl", 1, event.ModelRequested{Step: 1, Model: "deepseek/deepseek-chat", Messages: 2})
	s.add(1, "tl", 1, event.ModelReplied{Step: 1, Text: "先分工。", Finish: event.FinishToolCalls, Usage: usage, Cost: cny(0.004), DurationMS: 1300})
	s.add(1, "tl", 1, event.ToolStarted{CallID: "c1", Name: "create_sub_agent", Arguments: `{"role":"uio","task":"配色"}`})
	s.add(1, "uio_1", 0, event.AgentCreated{Name: "UI Operator_1", Role: "uio", Code: "uio", Parent: "tl", Model: "deepseek/deepseek-chat"})
	s.add(1, "tl", 1, event.ToolFinished{CallID: "c1", Name: "create_sub_agent", Result: "UI Operator_1 (uio_1) works; 1 of 8", DurationMS: 3})
	s.add(1, "tl", 1, event.MessageSent{ID: "task_001", Kind: event.Task, From: "tl", FromName: "Team Leader", To: "uio_1", Content: "请为项目设计前端配色方案，产出 sub_agent_results/design/design.md。\n要求：\n\t1. 主色一种；\n\t2. 不用渐变。"})
	s.add(2, "", 0, event.RoleCreated{ID: "fse", Name: "Full-Stack Engineer", Code: "fse", Does: "设计接口，产出 api.md"})
	s.add(2, "fse_1", 0, event.AgentCreated{Name: "Full-Stack Engineer_1", Role: "fse", Code: "fse", Parent: "tl", Model: "ollama/qwen3:8b"})
	s.add(2, "tl", 1, event.MessageSent{ID: "task_002", Kind: event.Task, From: "tl", FromName: "Team Leader", To: "fse_1", Content: "设计注册接口。"})
	s.add(3, "uio_1", 1, event.AgentState{From: event.Created, To: event.Working})
	s.add(3, "fse_1", 1, event.AgentState{From: event.Created, To: event.Working})
	s.add(3, "tl", 1, event.ToolStarted{CallID: "c2", Name: "wait_sub_agent_output", Arguments: `{"until":"all"}`})
	s.add(3, "tl", 1, event.AgentState{From: event.Working, To: event.Waiting, Cause: "uio_1, fse_1"})
	s.add(4, "uio_1", 1, event.ToolStarted{CallID: "c3", Name: "read_file", Arguments: `{"limit":20,"path":"web/index.html"}`})
	s.add(4, "uio_1", 1, event.ToolFinished{CallID: "c3", Name: "read_file", Result: "no such file: web/index.html", IsError: true, DurationMS: 2})
	s.add(5, "uio_1", 1, event.MessageSent{ID: "out_uio_001", Kind: event.Progress, From: "uio_1", FromName: "UI Operator_1", To: "tl", Content: "我现在开始分析现有设计风格……"})
	s.add(6, "uio_1", 1, event.ToolStarted{CallID: "c4", Name: "ask_other_agent", Arguments: `{"agent":"fse_1","question":"API 接口已经确定了吗？"}`})
	s.add(6, "uio_1", 1, event.QuestionOpened{ID: "ask_uio_001", From: "uio_1", To: "fse_1", CallID: "c4"})
	s.add(6, "uio_1", 1, event.MessageSent{ID: "ask_uio_001", Kind: event.Question, From: "uio_1", FromName: "UI Operator_1", To: "fse_1", CallID: "c4", Content: "API 接口已经确定了吗？我需要接口字段来设计表单。"})
	s.add(6, "uio_1", 1, event.AgentState{From: event.Working, To: event.Waiting, Cause: "ask_uio_001"})
	s.add(7, "user", 0, event.MessageSent{ID: "msg_user_002", Kind: event.Note, From: "user", FromName: "User", To: "fse_1", Content: "先别建 API，只写文档。"})
	s.add(8, "fse_1", 1, event.ModelRetried{Attempt: 1, WaitMS: 2000, Failure: busy})
	s.add(10, "fse_1", 1, event.ModelReplied{Step: 1, Finish: event.FinishToolCalls, Usage: event.Usage{Input: 9000, Output: 200, Estimated: true}, DurationMS: 900})
	s.add(11, "fse_1", 1, event.ApprovalRequested{ID: "apr_001", CallID: "c5", Name: "run_command", Arguments: `{"command":"go test ./..."}`})
	s.add(12, "fse_1", 1, event.ApprovalDecided{ID: "apr_001", Decision: "deny", By: "user", Reason: "no code yet"})
	s.add(13, "fse_1", 1, event.ToolStarted{CallID: "c6", Name: "write_file", Arguments: `{"path":"api.md","content":"# API"}`})
	s.add(13, "fse_1", 1, event.ArtifactCreated{Path: "api.md", Bytes: 5120, CallID: "c6"})
	s.add(13, "fse_1", 1, event.ToolFinished{CallID: "c6", Name: "write_file", Result: "wrote api.md", DurationMS: 12})
	s.add(14, "fse_1", 1, event.QuestionClosed{ID: "ask_uio_001", Outcome: event.Answered, From: "fse_1", AnswerID: "ans_fse_001", Text: "已经确定，见 api.md：\n- POST /v1/register（email、password）\n- GET /v1/me"})
	s.add(14, "uio_1", 1, event.AgentState{From: event.Waiting, To: event.Working})
	s.add(14, "uio_1", 1, event.ToolFinished{CallID: "c4", Name: "ask_other_agent", Result: "来自 Full-Stack Engineer_1 的回答", DurationMS: 8000})
	s.add(15, "uio_1", 1, event.ToolStarted{CallID: "c7", Name: "write_file", Arguments: `{"path":"sub_agent_results/design/design.md","content":"# 配色"}`})
	s.add(15, "", 0, event.LimitWarned{Limit: "tokens", Used: 1.6e6, Max: 2e6})
	s.add(16, "fse_1", 1, event.ModelFailed{Step: 2, Failure: gone})
	s.add(16, "fse_1", 1, event.TurnEnded{Reason: event.EndFailed, Failure: &gone})
	s.add(16, "fse_1", 1, event.AgentState{From: event.Working, To: event.Failing, Cause: "server"})
	s.add(17, "uio_1", 1, event.LimitReached{Limit: "max_steps", Used: 20, Max: 20})
	s.add(18, "uio_1", 1, event.MessageSent{ID: "out_uio_002", Kind: event.Completion, From: "uio_1", FromName: "UI Operator_1", To: "tl", Reason: event.EndLimit, Content: "配色方案写好了一半。"})
	s.add(18, "uio_1", 1, event.TurnEnded{Reason: event.EndLimit, Limit: "max_steps"})
	s.add(18, "uio_1", 1, event.AgentState{From: event.Working, To: event.Idle})
	s.add(19, "tl", 1, event.QuestionOpened{ID: "ask_tl_001", From: "tl", To: "fse_1"})
	s.add(19, "fse_1", 0, event.QuestionClosed{ID: "ask_tl_001", Outcome: event.TimedOut, Detail: "10m0s"})
	s.add(19, "tl", 1, event.MessageReturned{ID: "msg_tl_001", To: "fse_1", Why: "terminated"})
	s.add(20, "", 0, event.Warning{Code: "mcp", Text: "server docs is optional and did not start"})
	s.add(20, "tl", 1, event.Unknown{Name: "weather.changed", JSON: []byte(`{}`)})
	s.add(20, "tl", 1, event.ModelDelta{Step: 2, Text: "完"})
	s.add(21, "", 0, event.RunFinished{Answer: "完成了一半。", Usage: usage.Add(usage), Cost: cny(0.008), DurationMS: 21000})
	return s.records
}

type storyteller struct{ records []event.Record }

func (s *storyteller) add(second int, agent string, turn int, d event.Data) {
	at := time.Date(2000, 1, 1, 10, 0, second, 0, time.UTC)
	s.records = append(s.records, event.Record{V: event.Version, Seq: int64(len(s.records) + 1), Time: at, Agent: agent, Turn: turn, Data: d})
}
