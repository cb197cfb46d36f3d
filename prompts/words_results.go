package prompts

import (
	"fmt"
	"strings"
)

// Created is the result of creating a sub-agent: used and free are places
// for sub-agents at work at the same time, a negative free means that there
// is no limit.
func (w Words) Created(name, id string, used, free int) string {
	places := w.pick(fmt.Sprintf("已用名额 %d，剩余 %d", used, free), fmt.Sprintf("Places used: %d, free: %d", used, free))
	if free < 0 {
		places = w.pick(fmt.Sprintf("已用名额 %d，不限", used), fmt.Sprintf("Places used: %d, no limit", used))
	}
	return w.pick(
		fmt.Sprintf("已创建 %s（%s），它在后台工作，汇报会自己到来。%s。", name, id, places),
		fmt.Sprintf("Created %s (%s). It works in the background; its reports come by themselves. %s.", name, id, places))
}

// Omitted stands in a result that was too long, in the place of so many bytes;
// the whole result is in the file.
func (w Words) Omitted(bytes int, file string) string {
	return w.pick(
		fmt.Sprintf("[此处省略 %d 字节。完整结果在日志旁的 %s，供人查看；如果需要这一部分，再次调用工具，每次取少一些。]", bytes, file),
		fmt.Sprintf("[%d bytes are left out here. The whole result is in %s beside the log, for people; if you need this part, call the tool again for less at a time.]", bytes, file))
}

// Sent is the result of sending a message: its id, and the display name of
// the receiver.
func (w Words) Sent(id, to string) string {
	return w.pick(
		fmt.Sprintf("已发送 %s 给 %s，它会在下一步之前读到。", id, to),
		fmt.Sprintf("Sent %s to %s, who reads it before its next step.", id, to))
}

// MessageSentNoReply is the result of a message to another agent that expects
// nothing in return.
func (w Words) MessageSentNoReply(id, to string) string {
	return w.pick(
		fmt.Sprintf("已发送 %s 给 %s，不会有回复。继续你的工作。", id, to),
		fmt.Sprintf("Sent %s to %s. No reply will come; go on with your work.", id, to))
}

// AnswerDelivered is the result of answering; id is the question's.
func (w Words) AnswerDelivered(id string) string {
	return w.pick(
		fmt.Sprintf("对 %s 的回答已送达。", id),
		fmt.Sprintf("Your answer to %s was delivered.", id))
}

// WaitEnd says what ended a wait, by the ids of messages; their texts follow
// as messages. More than one part may be set.
type WaitEnd struct {
	Completions []string
	Questions   []string
	Notes       []string
	Failures    []string
	// NoneWorking says that none of the awaited agents works or waits.
	NoneWorking bool
	// TimedOut says that the wait's own time was over.
	TimedOut bool
	// Working are the display names of awaited agents that still work.
	Working []string
}

// WaitEnded is the result of a wait.
func (w Words) WaitEnded(e WaitEnd) string {
	parts := []string{w.pick("等待结束。", "The wait ended.")}
	add := func(zh, en string, ids []string) {
		if len(ids) > 0 {
			parts = append(parts, w.pick(zh+"："+w.list(ids)+"。", en+": "+w.list(ids)+"."))
		}
	}
	add("完成汇报", "Completed", e.Completions)
	add("提问，请先回答", "Questions, to be answered first", e.Questions)
	add("消息", "Notes", e.Notes)
	add("失败", "Failures", e.Failures)
	if len(parts) > 1 {
		parts = append(parts, w.pick("正文随后作为消息到来。", "The texts follow as messages."))
	}
	if e.NoneWorking {
		parts = append(parts, w.pick("所等的子智能体都不在工作，没有什么可等。", "None of the awaited sub-agents works; there is nothing to wait for."))
	}
	if e.TimedOut {
		parts = append(parts, w.pick("等待时间已到。", "The time to wait is over."))
	}
	add("仍在工作", "Still at work", e.Working)
	return strings.Join(parts, w.pick("", " "))
}

// Stopped is the result of stopping a sub-agent.
func (w Words) Stopped(name string) string {
	return w.pick(
		fmt.Sprintf("%s 已停止。给它发消息可以让它继续。", name),
		fmt.Sprintf("%s is stopped. A message to it lets it go on.", name))
}

// Stopping is the result of stopping a sub-agent that is still in a step.
func (w Words) Stopping(name string) string {
	return w.pick(
		fmt.Sprintf("%s 会在当前这一步之后停止，届时有通知。给它发消息可以让它继续。", name),
		fmt.Sprintf("%s stops after the step it is in; a notice tells you when. A message to it lets it go on.", name))
}

// Terminated is the result of terminating a sub-agent.
func (w Words) Terminated(name string) string {
	return w.pick(
		fmt.Sprintf("%s 已终止，不会再工作，名额已让出。", name),
		fmt.Sprintf("%s is terminated. It will not work again, and its place is free.", name))
}

// RoleCreated is the result of making a role for this run.
func (w Words) RoleCreated(id, name string) string {
	return w.pick(
		fmt.Sprintf("已新建角色 %s（id %s），仅在本次运行有效。用这个 id 创建子智能体。", name, id),
		fmt.Sprintf("Made the role %s (id %s), for this run only. Create sub-agents of it by this id.", name, id))
}
