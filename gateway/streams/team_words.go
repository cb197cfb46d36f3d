package streams

import (
	"strings"
)

// teamWords are what a worker says by itself to users and teams.
type teamWords struct {
	leave     string // before a call that needs leave
	choices   string // behind it
	always    string // between them, when a rule could allow such calls
	unread    string // before what is asked again
	extra     string // before what else came with a task
	withdrawn string // in place of an answer that will not come
}

var teamWordsEN = teamWords{
	leave: " asks for leave to run:\n", choices: "Answer yes, or no with a reason", always: ", or always",
	unread: "The answer was not understood.\n", extra: "\n\nAlso given with the task: ",
	withdrawn: "The task was cancelled, there will be no answer.",
}

var teamWordsZH = teamWords{
	leave: " 请求允许运行：\n", choices: "请回答“是”，或“否”加理由", always: "，或“总是”",
	unread: "没有看懂这个回答。\n", extra: "\n\n随任务一并给出：",
	withdrawn: "任务已取消，不会有回答。",
}

func teamWordsOf(lang string) teamWords {
	if strings.HasPrefix(lang, "zh") {
		return teamWordsZH
	}
	return teamWordsEN
}

// ask is what the user reads.
func (w teamWords) ask(a asking) string {
	if a.tool == "" {
		return a.text
	}
	text := a.name + w.leave + a.tool + " " + a.arguments + "\n" + w.choices
	if a.rule != "" {
		text += w.always + " (" + a.rule + ")"
	}
	return text
}

// again is what the user reads after an answer that decides nothing.
func (w teamWords) again(a asking) string { return w.unread + w.ask(a) }

// prompt is what the team reads of a task: its content, and what else its sender
// put into extra_payload.
func (w teamWords) prompt(t Task) string {
	text := t.Content.Text()
	rest := Values{}
	for name, value := range t.Extra {
		if name != troupeName {
			rest[name] = value
		}
	}
	if len(rest) > 0 {
		text += w.extra + jsonText(rest)
	}
	return text
}

// reply is what the user said: the content of a Resume, or its data.
func (w teamWords) reply(t Task) string {
	if !t.Content.blank() || len(t.ReplyData) == 0 {
		return t.Content.Text()
	}
	return Content(t.ReplyData).Text()
}
