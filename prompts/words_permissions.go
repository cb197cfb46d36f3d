package prompts

import "fmt"

// DeniedByRule is the result of a call that a rule of the team's permissions
// forbids; allowed are the rules that allow calls of the same tool.
func (w Words) DeniedByRule(tool, rule string, allowed []string) string {
	text := w.pick(
		fmt.Sprintf("未执行：团队的规则 %q 禁止这次 %s 调用。", rule, tool),
		fmt.Sprintf("Not done: the team's rule %q forbids this call of %s.", rule, tool))
	if len(allowed) > 0 {
		text += w.pick("允许的是："+w.list(allowed)+"。", " Allowed are: "+w.list(allowed)+".")
	}
	return text + w.pick(
		"不要换个办法绕过去；没有它就做不成的部分，如实说明。",
		" Do not look for a way round it; say plainly what cannot be done without it.")
}

// DeniedByPerson is the result of a call that the person refused; the reason
// may be empty.
func (w Words) DeniedByPerson(tool, reason string) string {
	return w.pick(
		fmt.Sprintf("未执行：User 拒绝了这次 %s 调用%s。不要换个办法再试；按这个决定继续，没有它就做不成的部分，如实说明。", tool, w.aside(reason)),
		fmt.Sprintf("Not done: the person refused this call of %s%s. Do not try it another way; go on with that decision, and say plainly what cannot be done without it.", tool, w.aside(reason)))
}

// DeniedUnasked is the result of a call that needs the person's leave when
// nobody is there to give it, or that the runtime refused for another reason.
func (w Words) DeniedUnasked(tool, reason string) string {
	return w.pick(
		fmt.Sprintf("未执行：这次 %s 调用需要人批准，但没有得到批准%s。换一种不需要批准的做法，没有它就做不成的部分，如实说明。", tool, w.aside(reason)),
		fmt.Sprintf("Not done: this call of %s needs a person's leave and did not get it%s. Do it in a way that needs none, and say plainly what cannot be done without it.", tool, w.aside(reason)))
}

// NobodyToAsk is the reason of a refusal when nobody is there to decide.
func (w Words) NobodyToAsk() string {
	return w.pick("现在没有人可以批准", "nobody is there to be asked")
}

// OtherThanApproved is the result of a call that no longer is about what the
// person agreed to.
func (w Words) OtherThanApproved(tool string) string {
	return w.pick(
		fmt.Sprintf("未执行：在等待批准期间，这次 %s 调用所指的对象变了。请重新查看后再调用。", tool),
		fmt.Sprintf("Not done: what this call of %s is about changed while it waited for leave. Look again, then call it anew.", tool))
}
