package prompts

import "fmt"

// FailureReport is the content of the notice that the leader gets in place of
// a completion when a sub-agent's turn failed: what happened, and a hint at
// what helps, which may be empty.
func (w Words) FailureReport(name, what, hint string) string {
	return w.pick(
		fmt.Sprintf("%s 的本轮失败了，没有完成汇报；这是运行时的通知。\n原因：%s%s\n给它发消息可以让它重新继续；也可以把任务交给别的子智能体。", name, what, w.block("提示", "Hint", hint)),
		fmt.Sprintf("The turn of %s failed, so there is no completion report; this is a notice from the runtime.\nWhat happened: %s%s\nA message to it lets it try again; or give the task to another sub-agent.", name, what, w.block("提示", "Hint", hint)))
}

// LimitReport is the content of the notice that the leader gets when a limit
// ended a sub-agent's turn. The limit is its key in the team file; partial is
// the text so far and may be empty.
func (w Words) LimitReport(name, limit, partial string) string {
	return w.pick(
		fmt.Sprintf("%s 的本轮因达到限额而结束：%s。结果不完整；这是运行时的通知。%s", name, w.limit(limit), w.partial(partial)),
		fmt.Sprintf("The turn of %s ended at a limit: %s. Its result is partial; this is a notice from the runtime.%s", name, w.limit(limit), w.partial(partial)))
}

// StopReport is the content of the notice that the leader gets when somebody
// stopped a sub-agent. By is who did it; reason and partial may be empty.
func (w Words) StopReport(name, by, reason, partial string) string {
	return w.pick(
		fmt.Sprintf("%s 被 %s 停止%s，任务没有完成；这是运行时的通知。给它发消息可以让它继续。%s", name, by, w.aside(reason), w.partial(partial)),
		fmt.Sprintf("%s was stopped by %s%s before its task was done. This is a notice from the runtime. A message to it lets it go on.%s", name, by, w.aside(reason), w.partial(partial)))
}

// TerminateReport is the content of the notice that the leader gets when
// somebody terminated a sub-agent in its turn. By is who did it; reason and
// partial may be empty.
func (w Words) TerminateReport(name, by, reason, partial string) string {
	return w.pick(
		fmt.Sprintf("%s 被 %s 终止%s，任务没有完成，它也不会再工作；这是运行时的通知。%s", name, by, w.aside(reason), w.partial(partial)),
		fmt.Sprintf("%s was terminated by %s%s before its task was done and will not work again. This is a notice from the runtime.%s", name, by, w.aside(reason), w.partial(partial)))
}

// partial is what an agent had said before its turn was ended.
func (w Words) partial(text string) string {
	if s := w.block("到目前为止的输出", "Its output so far", text); s != "" {
		return s
	}
	return w.pick("\n它还没有任何输出。", "\nIt had not put out anything yet.")
}

// SilentReport is the completion of a sub-agent whose turn ended naturally
// without a word.
func (w Words) SilentReport(name string) string {
	return w.pick(
		fmt.Sprintf("%s 的本轮已自然结束，没有留下文字。", name),
		fmt.Sprintf("The turn of %s ended naturally, without a word.", name))
}

// ElsewherePrompt stands in the log as the system prompt of an agent that works
// at a place outside of the program: what it is really told is not known here.
func (w Words) ElsewherePrompt(name, place string) string {
	return w.pick(
		fmt.Sprintf("%s 在别处工作（%s）：它只会收到任务，以及对它的提问的回答。", name, place),
		fmt.Sprintf("%s works elsewhere (%s): it is told its tasks and the answers to its questions.", name, place))
}
