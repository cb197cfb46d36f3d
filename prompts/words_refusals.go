package prompts

import "fmt"

// AgentsFull refuses a new sub-agent because as many as the limit allows are at
// work.
func (w Words) AgentsFull(used, most int) string {
	return w.pick(
		fmt.Sprintf("未创建：同时工作的子智能体已有 %d 个，上限 %d，剩余 0。等一个完成汇报到来，或给空闲的子智能体派任务。", used, most),
		fmt.Sprintf("Not created: %d sub-agents are at work, the limit is %d, free: 0. Let one complete first, or give the task to an idle one.", used, most))
}

// SpawnsOut refuses a new sub-agent because the run has made as many as the
// limit allows.
func (w Words) SpawnsOut(most int) string {
	return w.pick(
		fmt.Sprintf("未创建：本次运行最多创建 %d 个子智能体，已经用完。请用已有的子智能体，或自己完成。", most),
		fmt.Sprintf("Not created: this run may create no more than %d sub-agents and has done so. Use those that exist, or do it yourself.", most))
}

// RoleFull refuses a new instance of a role that has as many as it may.
func (w Words) RoleFull(role string, most int) string {
	return w.pick(
		fmt.Sprintf("未创建：角色 %s 最多 %d 个实例，已经满了。给已有的实例派任务，或换一个角色。", role, most),
		fmt.Sprintf("Not created: the role %s may have %d instances and has them. Give the task to one of them, or take another role.", role, most))
}

// UnknownRole refuses a role that does not exist; known are the ids of those
// that do.
func (w Words) UnknownRole(role string, known []string) string {
	return w.pick(
		fmt.Sprintf("没有角色 %q。现有角色：%s。", excerpt(role), w.list(known)),
		fmt.Sprintf("There is no role %q. Roles: %s.", excerpt(role), w.list(known)))
}

// MayNotAsk refuses a message to an agent whose role the sender may not ask;
// allowed are the roles that it may.
func (w Words) MayNotAsk(to string, allowed []string) string {
	return w.pick(
		fmt.Sprintf("你不能问 %s。你可以问的角色：%s。需要它的信息时，请告诉 Team Leader。", to, w.list(allowed)),
		fmt.Sprintf("You may not ask %s. Roles you may ask: %s. If you need something from it, tell the Team Leader.", to, w.list(allowed)))
}

// UnknownAgent refuses a message to an agent that does not exist; known are
// the display names of those that do.
func (w Words) UnknownAgent(agent string, known []string) string {
	return w.pick(
		fmt.Sprintf("没有智能体 %q。现有：%s。", excerpt(agent), w.list(known)),
		fmt.Sprintf("There is no agent %q. Agents: %s.", excerpt(agent), w.list(known)))
}

// TerminatedAgent refuses a message to an agent that was terminated.
func (w Words) TerminatedAgent(name string) string {
	return w.pick(
		fmt.Sprintf("%s 已终止，收不到消息。", name),
		fmt.Sprintf("%s is terminated and gets no messages.", name))
}

// WorksElsewhere refuses a message to an agent that works in another system,
// which takes none before its task is done.
func (w Words) WorksElsewhere(name string) string {
	return w.pick(
		fmt.Sprintf("%s 在别处工作，工作期间不接收消息；未发送。等它的完成汇报，或先停止它，再派新任务。", name),
		fmt.Sprintf("Not sent: %s works elsewhere and takes no messages while it works. Wait for its report, or stop it first and give it a new task.", name))
}

// ToYourself refuses a message of an agent to itself.
func (w Words) ToYourself() string {
	return w.pick(
		"不能给自己发消息。",
		"You cannot send a message to yourself.")
}

// UnknownQuestion refuses an answer to a question that was never put to this
// agent; open are the ids of those that wait for it.
func (w Words) UnknownQuestion(id string, open []string) string {
	return w.pick(
		fmt.Sprintf("没有人向你提过 %q。等你回答的提问：%s。", excerpt(id), w.list(open)),
		fmt.Sprintf("Nobody asked you %q. Questions that wait for your answer: %s.", excerpt(id), w.list(open)))
}

// ClosedQuestion refuses an answer to a question that has ended.
func (w Words) ClosedQuestion(id string) string {
	return w.pick(
		fmt.Sprintf("%s 已经结束，这个回答不会送达。", id),
		fmt.Sprintf("%s has ended already; this answer was not delivered.", id))
}

// UseAskMaster refuses a message to the leader by the tool for colleagues.
func (w Words) UseAskMaster() string {
	return w.pick(
		"Team Leader 不在这里：向它提问有专门的工具，要告诉它的事写进你的自然输出。",
		"The Team Leader is not reached this way: there is a tool for asking it, and what you only want to tell it belongs in your natural output.")
}

// UnknownModel refuses a model that the team does not have.
func (w Words) UnknownModel(model string, known []string) string {
	return w.pick(
		fmt.Sprintf("团队没有模型 %q。可用的：%s。不写就用团队的默认模型。", excerpt(model), w.list(known)),
		fmt.Sprintf("The team has no model %q. It has: %s. Leave it out to use the team's default.", excerpt(model), w.list(known)))
}

// ToolNotAllowed refuses a tool for a role made in the run.
func (w Words) ToolNotAllowed(tool string, allowed []string) string {
	return w.pick(
		fmt.Sprintf("团队文件没有给任何角色工具 %q。新角色可以用：%s。", excerpt(tool), w.list(allowed)),
		fmt.Sprintf("The team file gives no role the tool %q. A new role may have: %s.", excerpt(tool), w.list(allowed)))
}

// maxExcerpt bounds what a refusal repeats of an argument, in runes.
const maxExcerpt = 64

// excerpt is what a refusal repeats of an argument.
func excerpt(text string) string {
	if runes := []rune(text); len(runes) > maxExcerpt {
		return string(runes[:maxExcerpt]) + "…"
	}
	return text
}
