package prompts

import (
	"fmt"
	"strings"
)

// outcomeWords say what became of a question and what its asker can do next;
// {who} is the addressee and {id} the question.
type outcomeWords struct{ zh, zhNext, en, enNext string }

var outcomes = map[string]outcomeWords{
	"answered": {
		zh: "{who} 回答了 {id}",
		en: "{who} answered {id}",
	},
	"implicit": {
		zh: "{who} 没有用回答工具回答 {id}，它的最后输出被当作回答", zhNext: "请判断它是否真的回答了问题。",
		en: "{who} did not answer {id} with the answer tool; its last output counts as the answer", enNext: "Judge whether it really answers the question.",
	},
	"declined": {
		zh: "{who} 拒绝回答 {id}", zhNext: "去问别人，或按合理的假设继续，并在汇报中写明。",
		en: "{who} declined to answer {id}", enNext: "Ask somebody else, or go on with a sensible assumption and name it in your report.",
	},
	"completed_without_answer": {
		zh: "{who} 的本轮已经结束，没有回答 {id}", zhNext: "可以问得更具体一些再问一次、去问别人，或按合理的假设继续，并在汇报中写明。",
		en: "The turn of {who} ended without an answer to {id}", enNext: "Ask again more precisely, ask somebody else, or go on with a sensible assumption and name it in your report.",
	},
	"terminated": {
		zh: "{who} 已被终止，不会再回答 {id}", zhNext: "不要再问它；去问别人，或按合理的假设继续，并在汇报中写明。",
		en: "{who} was terminated and will never answer {id}", enNext: "Do not ask it again; ask somebody else, or go on with a sensible assumption and name it in your report.",
	},
	"failed": {
		zh: "{who} 在回答 {id} 之前失败了", zhNext: "再问一次会让它重新继续；也可以去问别人，或按合理的假设继续，并在汇报中写明。",
		en: "{who} failed before it answered {id}", enNext: "Asking again revives it; or ask somebody else, or go on with a sensible assumption and name it in your report.",
	},
	"budget": {
		zh: "{who} 在回答 {id} 之前达到了限额", zhNext: "能用它已有的输出就用；否则按合理的假设继续，并在汇报中写明。",
		en: "A limit ended the turn of {who} before it answered {id}", enNext: "Use what it has put out so far if you can; else go on with a sensible assumption and name it in your report.",
	},
	"cancelled": {
		zh: "对 {who} 的提问 {id} 被取消，没有回答", zhNext: "只有仍然需要时才重新提问。",
		en: "Your question {id} to {who} was cancelled without an answer", enNext: "Ask again only if you still need it.",
	},
	"timeout": {
		zh: "{who} 没有及时回答 {id}", zhNext: "迟到的回答不会再送达。去问别人，或按合理的假设继续，并在汇报中写明。",
		en: "{who} did not answer {id} in time", enNext: "A late answer will not reach you. Ask somebody else, or go on with a sensible assumption and name it in your report.",
	},
	"refused_cycle": {
		zh: "给 {who} 的提问 {id} 没有发出：它会形成互相等待的环", zhNext: "不要原样重问。",
		en: "Your question {id} to {who} was not sent: it would close a circle of agents that wait for each other", enNext: "Do not ask it again as things stand.",
	},
}

// Outcome is the result of an ask: what happened, and what the asker can do
// next. Kind is one of the ten outcomes of a question as the log writes them,
// for example "completed_without_answer"; who is the addressee. Text is the
// answer or the partial output, detail says more in a few words; both may be
// empty. For "refused_cycle", detail is the circle and text the id of the
// question that the asker must answer first.
func (w Words) Outcome(kind, who, questionID, text, detail string) string {
	words, known := outcomes[kind]
	if !known {
		words = outcomeWords{zh: "给 {who} 的提问 {id} 已结束：" + kind, en: "Your question {id} to {who} ended: " + kind}
	}
	fill := strings.NewReplacer("{who}", who, "{id}", questionID)
	said := fill.Replace(w.pick(words.zh, words.en)) + w.aside(detail) + w.pick("。", ".")
	if next := w.pick(words.zhNext, words.enNext); next != "" {
		said += w.pick(next, " "+next)
	}
	if kind != "refused_cycle" {
		return said + w.block("内容", "Text", text)
	}
	if text == "" {
		return said
	}
	return said + w.pick(
		fmt.Sprintf("先回答 %s，然后再提问。", text),
		fmt.Sprintf(" Answer %s first, then ask.", text))
}

// Yielded is the result of the leader's ask that ended early, because the
// asked agent itself waits for the leader: ownID is the leader's question,
// which stays open, toAnswerFirst the question of from.
func (w Words) Yielded(ownID, toAnswerFirst, from string) string {
	return w.pick(
		fmt.Sprintf("你的提问 %s 暂时得不到回答，因为要先等你回答 %s（来自 %s）。先回答它；%s 仍然有效，回答稍后会作为以这个 id 开头的消息到来，不要重问。", ownID, toAnswerFirst, from, ownID),
		fmt.Sprintf("Your question %s cannot be answered yet: first %s from %s waits for your answer. Answer that one; %s stays open, and its answer comes later as a message that begins with this id. Do not ask again.", ownID, toAnswerFirst, from, ownID))
}

// LateAnswer is the content of the note that brings the answer to a question
// after its ask had yielded. It begins with the question's id.
func (w Words) LateAnswer(questionID, answer string) string {
	return questionID + w.pick(" 的回答：\n", ", the answer:\n") + answer
}
