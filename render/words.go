package render

import "github.com/troupe-go/troupe/event"

// words are our own words in one language. The table of a language is
// complete; a test walks it.
type words struct {
	kinds    map[event.Kind]string    // purposes of messages
	outcomes map[event.Outcome]string // how a question ended without an answer
	states   map[event.State]string
	reasons  map[event.Reason]string // why a turn ended
	stops    map[string]string       // how an agent is to stop
	phases   map[Phase]string
	ends     map[EndStatus]string

	script string // the label of what a script says

	// What happens, in the column of the purpose.
	started, resumed, suspended, finished, runFailed                           string
	created, role, state, stopping, turn                                       string
	delivered, returned, unanswered                                            string
	requested, replied, retried, failed, profile, compact                      string
	cutShort                                                                   string
	tool, toolDone, toolError, handed, handedBack, approval, decided, artifact string
	limitNear, limit, warning                                                  string
	unknown                                                                    string

	// Pieces of sentences; the verbs are those of package fmt.
	attempt, wait, allow, deny, dropped            string
	moreLines, unfinished, waited, total, stopHint string
	unread, steps, imported                        string

	// The summary.
	sumStatus, sumRun, sumTime, sumTokens, sumCost string
	sumFiles, sumLog, sumNext, sumUsage            string

	// The transcript.
	code                                            string // of the language, as HTML has it
	transcript, task, answer, course, team, program string
	agent, name, model, prompt, tools               string
	arguments, result, noResult                     string

	column int // width of the column of the purpose
}

// kind is the purpose of a message; an unknown kind is shown as it is.
func (w *words) kind(k event.Kind) string { return lookUp(w.kinds, k) }

// lookUp is the word for a key, or the key itself when it is unknown.
func lookUp[K ~string](table map[K]string, key K) string {
	if word, ok := table[key]; ok {
		return word
	}
	return CleanLine(string(key))
}

func labels() map[event.Kind]string {
	all := make(map[event.Kind]string)
	for _, k := range event.Kinds() {
		all[k] = k.Label()
	}
	return all
}

var chinese = words{
	kinds: labels(),
	outcomes: map[event.Outcome]string{
		event.Answered: "已回答", event.Implicit: "以其输出作答", event.Declined: "拒绝回答",
		event.CompletedWithoutAnswer: "结束时未回答", event.Terminated: "对方已终止", event.Failed: "对方失败",
		event.OverBudget: "对方到达限额", event.Cancelled: "已取消", event.TimedOut: "超时", event.RefusedCycle: "会形成循环等待，已拒绝",
	},
	states: map[event.State]string{
		event.Created: "就绪", event.Working: "工作", event.Waiting: "等待", event.Idle: "空闲",
		event.Failing: "失败", event.Stopped: "已停", event.Finished: "已终止",
	},
	reasons: map[event.Reason]string{
		event.EndNatural: "自然结束", event.EndLimit: "到达限额", event.EndFailed: "失败",
		event.EndStopped: "被停止", event.EndTerminated: "被终止",
	},
	stops: map[string]string{event.StopSoft: "这一步之后", event.StopNow: "立即", event.StopTerminate: "立即，不再继续"},
	phases: map[Phase]string{
		PhaseReady: "就绪", PhaseWorking: "工作", PhaseThinking: "思考", PhaseTool: "工具",
		PhaseAnswer: "等回答", PhaseReports: "等汇报", PhaseApproval: "等批准", PhaseWaiting: "等待",
		PhaseIdle: "空闲", PhaseFailed: "失败", PhaseStopped: "已停", PhaseTerminated: "已终止",
	},
	ends: map[EndStatus]string{
		EndFinished: "完成", EndPartial: "到达限额，结果不完整", EndFailed: "失败",
		EndSuspended: "等待人答复，已挂起", EndInterrupted: "已中断",
	},
	script:  "脚本",
	started: "运行开始", resumed: "运行继续", suspended: "运行挂起", finished: "运行完成", runFailed: "运行失败",
	created: "创建", role: "新角色", state: "状态", stopping: "要求停止", turn: "回合结束",
	delivered: "已送达", returned: "无法送达", unanswered: "未获回答",
	requested: "请求模型", replied: "模型回复", retried: "重试", failed: "失败", cutShort: "已打断", profile: "端点调整", compact: "压缩历史",
	tool: "工具", toolDone: "工具完成", toolError: "工具出错", handed: "交给客户端", handedBack: "客户端返回", approval: "等待批准", decided: "审批", artifact: "产物",
	limitNear: "限额将满", limit: "到达限额", warning: "警告", unknown: "记录",
	attempt: "第 %d 次失败", wait: "%s 后重试", allow: "允许", deny: "拒绝",
	dropped: "%d 条消息合为摘要", moreLines: "还有 %d 行：troupe replay --json", unfinished: "%d 个子智能体未完成",
	unread: "未读 %d，%s", steps: "第 %d 步", imported: "导入自",
	waited: "%s，已等 %s", total: "合计", stopHint: "Ctrl-C 轻停，再按一次立即停",
	sumStatus: "状态", sumRun: "运行", sumTime: "用时", sumTokens: "token", sumCost: "费用",
	sumFiles: "产物", sumLog: "日志", sumNext: "接着", sumUsage: "输入 %s（缓存 %s）  输出 %s",
	code: "zh-CN", transcript: "运行记录", task: "任务", answer: "结果", course: "经过", team: "团队", program: "程序",
	agent: "智能体", name: "名称", model: "模型", prompt: "提示词", tools: "工具", arguments: "参数", result: "结果", noResult: "没有结果",
	column: 12,
}

var english = words{
	kinds: map[event.Kind]string{
		event.Task: "task", event.Progress: "progress", event.Completion: "report",
		event.Question: "question", event.Note: "message", event.Answer: "answer",
	},
	outcomes: map[event.Outcome]string{
		event.Answered: "answered", event.Implicit: "answered by its output", event.Declined: "declined",
		event.CompletedWithoutAnswer: "ended without an answer", event.Terminated: "was terminated", event.Failed: "failed",
		event.OverBudget: "reached a limit", event.Cancelled: "cancelled", event.TimedOut: "timed out",
		event.RefusedCycle: "refused: agents would wait in a circle",
	},
	states: map[event.State]string{
		event.Created: "ready", event.Working: "working", event.Waiting: "waiting", event.Idle: "idle",
		event.Failing: "failed", event.Stopped: "stopped", event.Finished: "terminated",
	},
	reasons: map[event.Reason]string{
		event.EndNatural: "natural", event.EndLimit: "limit", event.EndFailed: "failed",
		event.EndStopped: "stopped", event.EndTerminated: "terminated",
	},
	stops: map[string]string{event.StopSoft: "after the step", event.StopNow: "at once", event.StopTerminate: "at once, for good"},
	phases: map[Phase]string{
		PhaseReady: "ready", PhaseWorking: "working", PhaseThinking: "thinking", PhaseTool: "tool",
		PhaseAnswer: "asking", PhaseReports: "waiting", PhaseApproval: "approval", PhaseWaiting: "waiting",
		PhaseIdle: "idle", PhaseFailed: "failed", PhaseStopped: "stopped", PhaseTerminated: "terminated",
	},
	ends: map[EndStatus]string{
		EndFinished: "finished", EndPartial: "a limit was reached, the result is partial", EndFailed: "failed",
		EndSuspended: "suspended, waiting for a person", EndInterrupted: "interrupted",
	},
	script:  "script",
	started: "start", resumed: "resumed", suspended: "suspended", finished: "finished", runFailed: "run failed",
	created: "created", role: "new role", state: "state", stopping: "stop asked", turn: "turn end",
	delivered: "delivered", returned: "returned", unanswered: "unanswered",
	requested: "request", replied: "reply", retried: "retry", failed: "failed", cutShort: "cut short", profile: "profile", compact: "compacted",
	tool: "tool", toolDone: "tool done", toolError: "tool error", handed: "to the client", handedBack: "from the client", approval: "approval?", decided: "approval", artifact: "artifact",
	limitNear: "limit near", limit: "limit", warning: "warning", unknown: "record",
	attempt: "attempt %d failed", wait: "again in %s", allow: "allowed", deny: "denied",
	dropped: "%d messages became a summary", moreLines: "%d more: troupe replay --json", unfinished: "%d sub-agents unfinished",
	unread: "%d unread, %s", steps: "step %d", imported: "imported from",
	waited: "%s, for %s", total: "Total", stopHint: "Ctrl-C stops gently, twice at once",
	sumStatus: "status", sumRun: "run", sumTime: "time", sumTokens: "tokens", sumCost: "cost",
	sumFiles: "files", sumLog: "log", sumNext: "next", sumUsage: "in %s (cached %s)  out %s",
	code: "en", transcript: "Transcript of run", task: "Task", answer: "Answer", course: "Course", team: "team", program: "program",
	agent: "agent", name: "name", model: "model", prompt: "Prompt", tools: "Tools", arguments: "Arguments", result: "Result", noResult: "no result",
	column: 10,
}
