package prompts

import (
	"fmt"
	"strings"
	"time"
)

// OpenQuestion is a question that waits for an answer.
type OpenQuestion struct {
	ID   string // "ask_uio_001"
	From string // display name of who waits
	Text string
}

// OpenQuestions reminds an agent whose turn would end while questions to it
// are open.
func (w Words) OpenQuestions(qs []OpenQuestion) string {
	var b strings.Builder
	b.WriteString(w.pick(
		"你的本轮即将结束，但还有人在等你回答。现在就用回答工具逐个回答，question_id 要与下面的 id 完全一致。不这样做的话，你的下一次自然输出会被当作对它们的回答。",
		"Your turn is about to end, but others still wait for your answers. Answer each one now with your answer tool, question_id being exactly the id below. If you do not, your next natural output will be taken as the answer to them."))
	w.questions(&b, qs)
	return b.String()
}

func (w Words) questions(b *strings.Builder, qs []OpenQuestion) {
	for _, q := range qs {
		b.WriteString(w.pick(
			fmt.Sprintf("\n- %s，来自 %s：%s", q.ID, q.From, line(q.Text)),
			fmt.Sprintf("\n- %s from %s: %s", q.ID, q.From, line(q.Text))))
	}
}

// LimitNear tells an agent that a limit is nearly reached. The limit is its
// key in the team file, for example "steps"; used and most are in its unit,
// seconds for "deadline".
func (w Words) LimitNear(limit string, used, most float64) string {
	return w.pick(
		fmt.Sprintf("接近限额：%s已用 %s，共 %s。先完成最重要的部分，并为最后的汇报留出余量。", w.limit(limit), amount(limit, used), amount(limit, most)),
		fmt.Sprintf("A limit is near: %s, %s of %s used. Finish what matters most and leave enough for your last report.", w.limit(limit), amount(limit, used), amount(limit, most)))
}

// WrapUp asks for the one last reply of a turn that a limit ended. The limit
// is its key in the team file.
func (w Words) WrapUp(limit string) string {
	return w.pick(
		fmt.Sprintf("已达到限额：%s。这是你本轮的最后一次回复，不能再调用工具。请总结：做完了什么、结果和文件在哪里、还缺什么、下一步该做什么。", w.limit(limit)),
		fmt.Sprintf("Limit reached: %s. This is your last reply in this turn, and tools are no longer available. Sum up what is done, where results and files are, what is missing, and what should come next.", w.limit(limit)))
}

// Undeliverable tells a sender that a message of its own will never be
// delivered.
func (w Words) Undeliverable(id, to, why string) string {
	return w.pick(
		fmt.Sprintf("你发给 %s 的消息 %s 无法送达：%s。对方没有读到它。", to, id, clause(why)),
		fmt.Sprintf("Your message %s to %s will not be delivered: %s. It was never read.", id, to, clause(why)))
}

// EmptyReply nudges a model whose reply had neither text nor calls.
func (w Words) EmptyReply() string {
	return w.pick(
		"你上一次回复既没有文字也没有工具调用。请继续工作；如果已经做完，请给出完整的最后输出。",
		"Your last reply had neither text nor a tool call. Go on with your work, or, if it is done, give your complete last output.")
}

// RepeatedCall warns of a call made n times with the same arguments and the
// same result.
func (w Words) RepeatedCall(tool string, n int) string {
	return w.pick(
		fmt.Sprintf("你已经用相同的参数调用 %s %d 次，结果都一样，再调用也不会变。换一种做法，或者说明卡在哪里；继续重复会结束本轮。", tool, n),
		fmt.Sprintf("You have called %s %d times with the same arguments and the same result; another call will not change it. Do something else or say what blocks you. Repeating it further ends your turn.", tool, n))
}

// CutCall is the result of a call whose arguments the model could not finish
// writing, because its reply reached the limit on its length.
func (w Words) CutCall() string {
	return w.pick(
		"这次调用没有执行：你的回复达到长度上限，参数不完整。把它拆成更小的步骤再做。",
		"This call was not run: your reply reached the limit on its length and the arguments are cut off. Do it again in smaller steps.")
}

// CancelledCall is the result of a call that was cut short, for the reason
// given.
func (w Words) CancelledCall(reason string) string {
	return w.pick(
		fmt.Sprintf("这次调用被取消%s，可能只生效了一部分。重做之前先检查现状。", w.aside(reason)),
		fmt.Sprintf("This call was cancelled%s; it may have taken effect in part. Look at how things stand before you do it again.", w.aside(reason)))
}

// ClientSilent is the result of a call of a tool that the person's client executes,
// when nothing came of it in time. 1002 is the client protocol's number for that.
func (w Words) ClientSilent(tool string, after time.Duration) string {
	return w.pick(
		fmt.Sprintf("1002 工具执行超时：客户端在 %s 内没有返回 %s 的结果，可能只执行了一部分。重做之前先检查现状。", after, tool),
		fmt.Sprintf("1002 tool timeout: the client sent no result of %s within %s; it may have run in part. Look at how things stand before you do it again.", tool, after))
}

// NotCreated is the result of the creation of a sub-agent in a run that was
// being interrupted. It is read when the run goes on.
func (w Words) NotCreated() string {
	return w.pick(
		"没有创建：运行当时正在中断。如果仍然需要，请重新创建。",
		"Not created: the run was being interrupted. If it is still needed, create it again.")
}

// UnknownOutcome is the result of a call that may have run when the program
// ended, and that must not run twice.
func (w Words) UnknownOutcome(tool string) string {
	return w.pick(
		fmt.Sprintf("运行在 %s 执行时中断，不知道它是否完成，也没有再次执行。先检查现状，再决定要不要重做。", tool),
		fmt.Sprintf("The run broke off while %s was at work. Nobody knows whether it finished, and it was not run again. Look at how things stand before you decide to do it again.", tool))
}

// Resumed tells the leader that the run goes on after it had ended by itself:
// why, which may be empty, says how it had ended.
func (w Words) Resumed(why string) string {
	return w.pick(
		fmt.Sprintf("运行在中止之后继续%s。查看子智能体的现状，把任务做完。", w.aside(why)),
		fmt.Sprintf("The run goes on after it had ended%s. Look at how the sub-agents stand, and finish the task.", w.aside(why)))
}

// limit names a limit in words, its key with it.
func (w Words) limit(key string) string {
	switch key {
	case "agents":
		return w.pick("同时工作的子智能体数（agents）", "sub-agents at work at the same time (agents)")
	case "spawns":
		return w.pick("整个运行创建的子智能体数（spawns）", "sub-agents created in the run (spawns)")
	case "max_steps":
		return w.pick("一轮的步数（max_steps）", "steps of one turn (max_steps)")
	case "steps":
		return w.pick("整个运行的步数（steps）", "steps of the whole run (steps)")
	case "tokens":
		return w.pick("整个运行的 token 数（tokens）", "tokens of the whole run (tokens)")
	case "budget":
		return w.pick("整个运行的费用（budget）", "money for the whole run (budget)")
	case "deadline":
		return w.pick("整个运行的时间（deadline）", "time for the whole run (deadline)")
	}
	return key
}

// amount writes an amount in the unit of the limit.
func amount(limit string, v float64) string {
	if limit == "deadline" {
		return time.Duration(v * float64(time.Second)).Round(time.Second).String()
	}
	return number(v)
}

// UnknownProto is the line before a message from another program whose
// envelope has a version that is not known. The version is as it stands there,
// in quotes if it is a text.
func (w Words) UnknownProto(version string) string {
	return w.pick(
		fmt.Sprintf("下面是另一个程序发来的消息，它的信封版本 %s 不是这里认识的版本，因此原文照转，没有按字段解析。请自行读懂它要什么。", line(version)),
		fmt.Sprintf("What follows is a message from another program. The version %s of its envelope is not known here, so it is handed over as it came, unparsed. Read it and see what it wants.", line(version)))
}

// AddressedTo is the line before a message from another program to an agent
// that is not at work; the leader gets it.
func (w Words) AddressedTo(agent string) string {
	return w.pick(
		fmt.Sprintf("这条消息是另一个程序发给 %s 的；它现在没有在工作。", line(agent)),
		fmt.Sprintf("This message is from another program and meant for %s, who is not at work now.", line(agent)))
}

// SentAt is the line before a message from another program that was under way
// for long: when it was sent, and how long ago that is.
func (w Words) SentAt(when, ago string) string {
	return w.pick(
		fmt.Sprintf("这条消息发于 %s，过了 %s 才送到，内容可能已经过时。", line(when), line(ago)),
		fmt.Sprintf("This message was sent at %s and arrived %s later; it may be out of date.", line(when), line(ago)))
}
